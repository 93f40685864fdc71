"""One wave of PUCT search: select leaves, expand them with the network's answer, back values up.

PUCT as in AlphaZero (Silver et al., Science 362, 2018, supplementary "Search"):

    argmax over moves of Q(s, a) + c_puct * P(s, a) * sqrt(N(s)) / (1 + N(s, a))

with one departure: N(s) counts the node's own evaluation, so that the first choice in a new node
follows the prior. An unvisited move is worth the parent's mean value minus `fpu_reduction`
("first play urgency", relative to the parent). Ties go to the higher prior, then to the lower move.
A pending descent counts as `virtual_loss` lost visits of each edge on its path, so that several
leaves of one game spread out.

Nothing here allocates, knows rules or calls a network.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import kernel
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


class PuctSettings(NamedTuple):
    """What selection needs; numbers as in conf/search."""

    c_puct: float
    fpu_reduction: float
    virtual_loss: int
    edge_reserve: int  #: edges kept free in each tree: leaves per wave times actions


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


@kernel
def best_edge(tree: Tree, settings: PuctSettings, game: int, node: int) -> int:
    """The edge of an expanded, non-terminal node that PUCT descends into."""
    first = tree.first_edge[game, node]
    first_unopened = first + tree.num_opened[game, node]
    visits = tree.visit_count[game, node]
    exploration = settings.c_puct * np.sqrt(visits)
    best = NO_EDGE
    best_score = -np.inf
    for edge in range(first, first_unopened):
        losses = settings.virtual_loss * tree.pending[game, edge]
        count = tree.edge_visits[game, edge] + losses
        value = (tree.edge_value_sum[game, edge] - losses) / count
        score = value + exploration * tree.prior[game, edge] / (1 + count)
        if score > best_score or (score == best_score and _precedes(tree, game, edge, best)):
            best, best_score = edge, score
    if tree.num_opened[game, node] < tree.num_children[game, node]:
        value = tree.value_sum[game, node] / max(visits, 1) - settings.fpu_reduction
        score = value + exploration * tree.prior[game, first_unopened]
        if score > best_score or (score == best_score and _precedes(tree, game, first_unopened, best)):
            best = first_unopened
    return best


@kernel
def _precedes(tree: Tree, game: int, edge: int, other: int) -> bool:
    if tree.prior[game, edge] != tree.prior[game, other]:
        return tree.prior[game, edge] > tree.prior[game, other]
    return tree.move[game, edge] < tree.move[game, other]


@kernel
def collect_roots(tree: Tree, games: NDArray[np.int64], wave: Wave) -> int:
    """Put the unexpanded roots of `games` into the wave. Returns its number of leaves."""
    count = 0
    for game in games:
        if tree.num_children[game, ROOT] == UNEXPANDED and not tree.is_terminal[game, ROOT]:
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
) -> int:
    """Descend in each of `games` and append new leaves to the wave after its first `count`.

    leaves_wanted int32[G] and budget int32[G] are lowered in place: a game takes part while it wants
    leaves and has simulations left in its budget. A descent into a known terminal node is a simulation
    but no leaf. A descent that meets a leaf still waiting for its evaluation is undone and ends the
    game's part in this wave; a full tree ends its search (budget 0). Returns the new number of leaves.
    """
    for game in games:
        while leaves_wanted[game] > 0 and budget[game] > 0:
            if not has_room(tree, settings, game):
                budget[game] = 0
                break
            leaf = _descend(tree, settings, game)
            if leaf == NO_NODE:
                leaves_wanted[game] = 0
                break
            budget[game] -= 1
            if tree.is_terminal[game, leaf]:
                backup(tree, game, leaf, tree.terminal_value[game, leaf])
            else:
                _append_leaf(tree, game, leaf, tree.move[game, tree.parent_edge[game, leaf]], wave, count)
                leaves_wanted[game] -= 1
                count += 1
    return count


@kernel
def has_room(tree: Tree, settings: PuctSettings, game: int) -> bool:
    """Whether one more node fits, and the edges of all leaves that a wave may expand."""
    has_node = tree.num_nodes[game] < tree.parent.shape[1]
    return has_node and tree.num_edges[game] + settings.edge_reserve <= tree.move.shape[1]


@kernel
def _descend(tree: Tree, settings: PuctSettings, game: int) -> int:
    """Follow PUCT from the root to a new or a terminal node, leaving a pending mark on each edge.

    Returns the node, or NO_NODE (marks removed) at a leaf that already waits for its evaluation.
    """
    node = ROOT
    while True:
        edge = best_edge(tree, settings, game, node)
        tree.pending[game, edge] += 1
        child = tree.child[game, edge]
        if child == NO_NODE:
            child = add_node(tree, game, node, edge)
            tree.child[game, edge] = child
            tree.num_opened[game, node] += 1
            bring_best_unopened_forward(tree, game, node)
            return child
        if tree.is_terminal[game, child]:
            return child
        if tree.num_children[game, child] == UNEXPANDED:
            _remove_pending(tree, game, child)
            return NO_NODE
        node = child


@kernel
def _remove_pending(tree: Tree, game: int, leaf: int) -> None:
    node = leaf
    while tree.parent_edge[game, node] != NO_EDGE:
        tree.pending[game, tree.parent_edge[game, node]] -= 1
        node = tree.parent[game, node]


@kernel
def _append_leaf(tree: Tree, game: int, node: int, move: int, wave: Wave, index: int) -> None:
    first_row = game * tree.parent.shape[1]
    wave.game[index] = game
    wave.node[index] = node
    wave.row[index] = first_row + node
    wave.parent_row[index] = first_row + max(tree.parent[game, node], ROOT)
    wave.move[index] = move


@kernel
def settle(
    tree: Tree,
    wave: Wave,
    start: int,
    count: int,
    turns: NDArray[np.int8],
    is_over: NDArray[np.uint8],
    results: NDArray[np.float64],
    legal: NDArray[np.uint8],
    leaves_wanted: NDArray[np.int32],
) -> int:
    """Note the turn of leaves start..count-1, and back up those whose game is over.

    turns int8[B], is_over uint8[B] and results float64[B] (for the side to move) are indexed from
    `start`; legal uint8[B, A] from 0, and moves along when finished leaves are taken out of the wave.
    Their games want one leaf more. Returns the new number of leaves.
    """
    end = start
    for b in range(start, count):
        game, node = wave.game[b], wave.node[b]
        tree.turn[game, node] = turns[b - start]
        if is_over[b - start]:
            tree.is_terminal[game, node] = 1
            tree.terminal_value[game, node] = results[b - start]
            tree.num_children[game, node] = 0
            backup(tree, game, node, results[b - start])
            leaves_wanted[game] += 1
            continue
        if end != b:
            wave.game[end], wave.node[end], wave.row[end] = game, node, wave.row[b]
            legal[end] = legal[b]
        end += 1
    return end


@kernel
def expand_and_back_up(
    tree: Tree,
    wave: Wave,
    count: int,
    legal: NDArray[np.uint8],
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
) -> None:
    """Give each leaf its edges, with softmax(logits) over legal moves as priors, and back its value up.

    legal uint8[B, A], logits float32[B, A], values float32[B] in [-1, 1] for the side to move.
    """
    for b in range(count):
        game, node = wave.game[b], wave.node[b]
        _expand(tree, game, node, legal[b], logits[b])
        backup(tree, game, node, float(values[b]))


@kernel
def _expand(tree: Tree, game: int, node: int, legal: NDArray[np.uint8], logits: NDArray[np.float32]) -> None:
    first = tree.num_edges[game]
    edge = first
    highest = -np.inf
    for move in range(legal.shape[0]):
        if legal[move]:
            tree.move[game, edge] = move
            tree.prior[game, edge] = logits[move]
            tree.child[game, edge] = NO_NODE
            tree.edge_visits[game, edge] = 0
            tree.edge_value_sum[game, edge] = 0.0
            tree.pending[game, edge] = 0
            highest = max(highest, logits[move])
            edge += 1
    total = 0.0
    for e in range(first, edge):
        tree.prior[game, e] = np.exp(tree.prior[game, e] - highest)
        total += tree.prior[game, e]
    for e in range(first, edge):
        tree.prior[game, e] /= total
    tree.first_edge[game, node] = first
    tree.num_children[game, node] = edge - first
    tree.num_opened[game, node] = 0
    tree.num_edges[game] = edge
    bring_best_unopened_forward(tree, game, node)


@kernel
def backup(tree: Tree, game: int, leaf: int, value: float) -> None:
    """Add one visit and the leaf's value to every node and edge on the path to the root.

    The value's sign follows the side to move, not the depth: after a forced pass the same side may be
    to move twice in a row.
    """
    leaf_turn = tree.turn[game, leaf]
    node = leaf
    while True:
        tree.visit_count[game, node] += 1
        tree.value_sum[game, node] += value if tree.turn[game, node] == leaf_turn else -value
        edge = tree.parent_edge[game, node]
        if edge == NO_EDGE:
            return
        node = tree.parent[game, node]
        tree.edge_visits[game, edge] += 1
        tree.edge_value_sum[game, edge] += value if tree.turn[game, node] == leaf_turn else -value
        tree.pending[game, edge] -= 1
