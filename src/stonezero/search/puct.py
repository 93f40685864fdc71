"""One wave of PUCT search: select leaves, expand them with the network's answer, back values up.

PUCT as in AlphaZero (Silver et al., Science 362, 2018, supplementary "Search"):

    argmax over moves of Q(s, a) + c_puct * P(s, a) * sqrt(N(s)) / (1 + N(s, a))

with one departure: N(s) counts the node's own evaluation, so that the first choice in a new node
follows the prior. An unvisited move is worth the parent's mean value minus `fpu_reduction`
("first play urgency", relative to the parent). Ties go to the move that was opened first, which is
the one with the higher prior. A pending descent counts as `virtual_loss` lost visits of each edge on
its path, so that several leaves of one game spread out.

A descent may also be stopped, at `max_depth` or at a node with more than `stop_visits` visits, and backs up
the mean value of that node. Other ways to choose an edge are in `selection.py`.

Nothing here allocates, knows rules or calls a network.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import inlined_kernel, kernel
from stonezero.search.selection import PLAIN, Methods, PuctSettings, best_edge, chosen_edge, is_plain
from stonezero.search.tree import (
    NO_EDGE,
    NO_MOVE,
    NO_NODE,
    ROOT,
    UNEXPANDED,
    Tree,
    add_node,
    bring_best_unopened_forward,
)

LOWEST_EXPONENT = np.float32(-87.0)
LOG2_E = np.float32(1.4426950408889634)
C0, C1, C2 = np.float32(9.9999994e-1), np.float32(6.9315308e-1), np.float32(2.4015361e-1)
C3, C4, C5 = np.float32(5.5826318e-2), np.float32(8.9893397e-3), np.float32(1.8775767e-3)


class Wave(NamedTuple):
    """Leaves that wait for one network call; row b of each array belongs to one leaf.

    Rows are flat indices game * N + node into the positions that mirror the tree.
    """

    game: NDArray[np.int64]  #: int64[B]
    node: NDArray[np.int64]  #: int64[B]
    row: NDArray[np.int64]  #: int64[B]: the leaf's position
    parent_row: NDArray[np.int64]  #: int64[B]: its parent's position
    move: NDArray[np.int16]  #: int16[B]: the move between them; NO_MOVE for a root


def allocate_wave(max_leaves: int) -> Wave:
    """Room for `max_leaves` leaves."""
    return Wave(
        game=np.zeros(max_leaves, np.int64),
        node=np.zeros(max_leaves, np.int64),
        row=np.zeros(max_leaves, np.int64),
        parent_row=np.zeros(max_leaves, np.int64),
        move=np.zeros(max_leaves, np.int16),
    )


@inlined_kernel
def refresh_edge(tree: Tree, settings: PuctSettings, game: int, edge: int) -> None:
    """Bring up to date what selection reads of an opened edge."""
    child = tree.nodes[game, tree.child[game, edge]]
    losses = settings.virtual_loss * tree.pending[game, edge]
    count = child.visit_count + losses
    is_same_side = child.turn == tree.nodes[game, child.parent].turn
    value_sum = child.value_sum if is_same_side else -child.value_sum
    tree.mean_value[game, edge] = (value_sum - losses) / count
    tree.exploration[game, edge] = tree.prior[game, edge] / (1 + count)


@kernel
def begin_wave(
    tree: Tree, games: NDArray[np.int64], leaves_per_wave: int, leaves_wanted: NDArray[np.int32], wave: Wave
) -> int:
    """Begin a wave with the unexpanded roots of `games`. Returns its number of leaves.

    leaves_wanted int32[G] becomes 0 for these games and `leaves_per_wave` for the others.
    """
    count = 0
    for game in games:
        leaves_wanted[game] = leaves_per_wave
        if tree.nodes[game, ROOT].num_children == UNEXPANDED:
            leaves_wanted[game] = 0
            _append_leaf(tree, game, ROOT, NO_MOVE, wave, count)
            count += 1
    return count


@kernel
def select(
    tree: Tree,
    settings: PuctSettings,
    games: NDArray[np.int64],
    leaves_wanted: NDArray[np.int32],
    budget: NDArray[np.int32],
    wave: Wave,
    count: int,
    methods: Methods,
) -> int:
    """Descend in each of `games` and append new leaves to the wave after its first `count`.

    leaves_wanted int32[G] and budget int32[G] are lowered in place: a game takes part while it wants
    leaves and has simulations left in its budget. A descent into a known terminal node, or one that is
    stopped, is a simulation but no leaf. A descent that meets a leaf still waiting for its evaluation is
    undone and ends the game's part in this wave; a full tree ends its search (budget 0). Returns the new
    number of leaves.
    """
    has_plain_nodes = is_plain(methods)
    for game in games:
        is_simple = has_plain_nodes and methods.rule[game] == PLAIN
        while leaves_wanted[game] > 0 and budget[game] > 0:
            if not has_room(tree, settings, game):
                budget[game] = 0
                break
            leaf = _descend(tree, settings, methods, game, is_simple)
            if leaf == NO_NODE:
                leaves_wanted[game] = 0
                break
            budget[game] -= 1
            node = tree.nodes[game, leaf]
            if node.is_terminal or node.num_children != UNEXPANDED:
                value = node.terminal_value if node.is_terminal else node.value_sum / node.visit_count
                backup(tree, settings, game, leaf, value)
            else:
                _append_leaf(tree, game, leaf, tree.move[game, node.parent_edge], wave, count)
                leaves_wanted[game] -= 1
                count += 1
    return count


@inlined_kernel
def has_room(tree: Tree, settings: PuctSettings, game: int) -> bool:
    """Whether one more node fits, and the edges of all leaves that a wave may expand."""
    has_node = tree.num_nodes[game] < tree.nodes.shape[1]
    return has_node and tree.num_edges[game] + settings.edge_reserve <= tree.move.shape[1]


@inlined_kernel
def _descend(tree: Tree, settings: PuctSettings, methods: Methods, game: int, is_simple: bool) -> int:
    """Follow PUCT from the root to a new or a terminal node, leaving a pending mark on each edge.

    Returns the node, the node at which the descent was stopped, or NO_NODE (marks removed) at a leaf that
    already waits for its evaluation.
    """
    index, depth = np.int64(ROOT), np.int64(0)
    max_depth, stop_visits = methods.numbers[0].max_depth, methods.numbers[0].stop_visits
    has_stops = max_depth > 0 or stop_visits > 0
    while True:
        node = tree.nodes[game, index]
        if is_simple:
            factor = np.float32(settings.c_puct * np.sqrt(node.visit_count))
            urgency = np.float32(node.value_sum / max(node.visit_count, 1) - settings.fpu_reduction)
            edge = best_edge(tree, game, index, factor, urgency)
        else:
            edge = chosen_edge(tree, settings, methods, game, index, depth)
        depth += 1
        is_new = edge == node.first_edge + node.num_opened
        if is_new:
            tree.child[game, edge] = add_node(tree, game, index, edge)
            tree.pending[game, edge] = 0
            node.num_opened += 1
            bring_best_unopened_forward(tree, game, index)
        child = tree.child[game, edge]
        tree.pending[game, edge] += 1
        if settings.virtual_loss > 0:
            refresh_edge(tree, settings, game, edge)
        if is_new or tree.nodes[game, child].is_terminal:
            return child
        if tree.nodes[game, child].num_children == UNEXPANDED:
            _undo_descent(tree, settings, game, child)
            return NO_NODE
        if has_stops:
            is_deep = 0 < max_depth <= depth
            if is_deep or 0 < stop_visits < tree.nodes[game, child].visit_count:
                return child
        index = child


@kernel
def _undo_descent(tree: Tree, settings: PuctSettings, game: int, leaf: int) -> None:
    node = tree.nodes[game, leaf]
    while node.parent_edge != NO_EDGE:
        tree.pending[game, node.parent_edge] -= 1
        refresh_edge(tree, settings, game, node.parent_edge)
        node = tree.nodes[game, node.parent]


@inlined_kernel
def _append_leaf(tree: Tree, game: int, leaf: int, move: int, wave: Wave, count: int) -> None:
    first_row = game * tree.nodes.shape[1]
    wave.game[count] = game
    wave.node[count] = leaf
    wave.row[count] = first_row + leaf
    wave.parent_row[count] = first_row + tree.nodes[game, leaf].parent
    wave.move[count] = move


@kernel
def finish_leaf(tree: Tree, settings: PuctSettings, game: int, leaf: int, result: float) -> None:
    """The leaf's game is over with `result` for its side to move: note it and back it up."""
    node = tree.nodes[game, leaf]
    node.is_terminal = 1
    node.terminal_value = result
    node.num_children = 0
    backup(tree, settings, game, leaf, result)


@kernel
def expand_and_back_up(
    tree: Tree,
    settings: PuctSettings,
    wave: Wave,
    count: int,
    legal: NDArray[np.uint8],
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
) -> bool:
    """Give each leaf its edges, with softmax(logits) over legal moves as priors, and back its value up.

    legal uint8[B, A], logits float32[B, A], values float32[B] in [-1, 1] for the side to move. Logits of
    illegal moves have no influence, however large. Returns whether all numbers were finite.
    """
    is_finite = True
    for b in range(count):
        game, leaf = wave.game[b], wave.node[b]
        checksum = _expand(tree, game, leaf, legal[b], logits[b])
        is_finite &= np.isfinite(checksum) and np.isfinite(values[b])
        backup(tree, settings, game, leaf, float(values[b]))
    return is_finite


@inlined_kernel
def exponentiate(values: NDArray[np.float32], highest: float) -> None:
    """values = exp(values - highest) in place, none of them above `highest`.

    2**n * 2**f with f in [0, 1), n put straight into the exponent's bits, and 2**f by the minimax polynomial
    of degree 5; its relative error stays below 1e-6, beside that of the float32 power. A loop of this the
    compiler turns into vector code, five times as fast as calls of the C library's exp.
    """
    bits = values.view(np.int32)
    for i in range(values.shape[0]):
        power = max(values[i] - highest, LOWEST_EXPONENT) * LOG2_E
        whole = np.floor(power)
        f = power - whole
        polynomial = C0 + f * (C1 + f * (C2 + f * (C3 + f * (C4 + f * C5))))
        bits[i] = (np.int32(whole) + np.int32(127)) << np.int32(23)
        values[i] *= polynomial


@inlined_kernel
def _expand(tree: Tree, game: int, leaf: int, legal: NDArray[np.uint8], logits: NDArray[np.float32]) -> float:
    """Returns the sum of the logits of legal moves: not finite where one of them isn't."""
    first = tree.num_edges[game]
    end = first
    highest = np.float32(-np.inf)
    checksum = 0.0
    for move in range(legal.shape[0]):
        if legal[move]:
            tree.move[game, end] = move
            tree.prior[game, end] = logits[move]
            highest = max(highest, logits[move])
            checksum += logits[move]
            end += 1
    total = np.float32(0.0)
    priors = tree.prior[game, first:end]
    exponentiate(priors, highest)
    for prior in priors:
        total += prior
    scale = np.float32(1.0) / total
    for edge in range(first, end):
        tree.prior[game, edge] *= scale
    node = tree.nodes[game, leaf]
    node.first_edge = first
    node.num_children = end - first
    tree.num_edges[game] = end
    bring_best_unopened_forward(tree, game, leaf)
    return checksum


@inlined_kernel
def backup(tree: Tree, settings: PuctSettings, game: int, leaf: int, value: float) -> None:
    """Add one visit and the leaf's value to every node on the path to the root; the descent is over.

    The value's sign follows the side to move, not the depth: after a forced pass the same side may be
    to move twice in a row.
    """
    node = tree.nodes[game, leaf]
    leaf_turn = node.turn
    while True:
        node.visit_count += 1
        node.value_sum += value if node.turn == leaf_turn else -value
        edge = node.parent_edge
        if edge == NO_EDGE:
            return
        tree.pending[game, edge] -= 1
        refresh_edge(tree, settings, game, edge)
        node = tree.nodes[game, node.parent]
