"""Search trees of many games as arrays: allocation, the fresh root, keeping a subtree.

What a node's position looks like, which moves are legal and what the network says live elsewhere.

Axis letters: G games, N nodes per game, E edges per game, A actions.

Edges of a node lie side by side. The first `num_opened` of them have been visited (or are being
visited); the rest are unopened, and the one with the highest prior among them comes first. An
unopened edge can only be chosen after all unopened edges with a higher prior, so selection looks at
the opened edges and at one more, not at all of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import kernel

ROOT = 0
NO_NODE = -1
NO_EDGE = -1
NO_MOVE = -1
UNEXPANDED = -1


class Tree(NamedTuple):
    """G search trees. Values of a node are for the side to move there; values of an edge for its mover."""

    num_nodes: NDArray[np.int32]  #: int32[G]
    num_edges: NDArray[np.int32]  #: int32[G]
    parent: NDArray[np.int32]  #: int32[G, N]: NO_NODE at the root
    parent_edge: NDArray[np.int32]  #: int32[G, N]: NO_EDGE at the root
    turn: NDArray[np.int8]  #: int8[G, N]: side to move
    is_terminal: NDArray[np.uint8]  #: uint8[G, N]
    terminal_value: NDArray[np.float64]  #: float64[G, N]: game result, where terminal
    visit_count: NDArray[np.int32]  #: int32[G, N]: own evaluation included
    value_sum: NDArray[np.float64]  #: float64[G, N]
    first_edge: NDArray[np.int32]  #: int32[G, N]
    num_children: NDArray[np.int32]  #: int32[G, N]: UNEXPANDED before the evaluation
    num_opened: NDArray[np.int32]  #: int32[G, N]
    move: NDArray[np.int16]  #: int16[G, E]
    prior: NDArray[np.float32]  #: float32[G, E]
    child: NDArray[np.int32]  #: int32[G, E]: NO_NODE while unopened
    edge_visits: NDArray[np.int32]  #: int32[G, E]
    edge_value_sum: NDArray[np.float64]  #: float64[G, E]
    pending: NDArray[np.int32]  #: int32[G, E]: descents under way through the edge (virtual losses)


def allocate_tree(num_games: int, num_nodes: int, num_edges: int) -> Tree:
    """Trees without nodes: call `plant_root` for each game before use."""
    games, nodes, edges = (num_games,), (num_games, num_nodes), (num_games, num_edges)
    return Tree(
        num_nodes=np.zeros(games, np.int32),
        num_edges=np.zeros(games, np.int32),
        parent=np.zeros(nodes, np.int32),
        parent_edge=np.zeros(nodes, np.int32),
        turn=np.zeros(nodes, np.int8),
        is_terminal=np.zeros(nodes, np.uint8),
        terminal_value=np.zeros(nodes, np.float64),
        visit_count=np.zeros(nodes, np.int32),
        value_sum=np.zeros(nodes, np.float64),
        first_edge=np.zeros(nodes, np.int32),
        num_children=np.zeros(nodes, np.int32),
        num_opened=np.zeros(nodes, np.int32),
        move=np.zeros(edges, np.int16),
        prior=np.zeros(edges, np.float32),
        child=np.zeros(edges, np.int32),
        edge_visits=np.zeros(edges, np.int32),
        edge_value_sum=np.zeros(edges, np.float64),
        pending=np.zeros(edges, np.int32),
    )


@kernel
def add_node(tree: Tree, game: int, parent: int, parent_edge: int) -> int:
    """Append an unexpanded node; its `turn` is filled in once its position is known."""
    node = tree.num_nodes[game]
    tree.num_nodes[game] = node + 1
    tree.parent[game, node] = parent
    tree.parent_edge[game, node] = parent_edge
    tree.is_terminal[game, node] = 0
    tree.visit_count[game, node] = 0
    tree.value_sum[game, node] = 0.0
    tree.num_children[game, node] = UNEXPANDED
    tree.num_opened[game, node] = 0
    return node


@kernel
def plant_root(tree: Tree, game: int, turn: int) -> None:
    """Forget the game's tree and start a new one with an unexpanded root."""
    tree.num_nodes[game] = 0
    tree.num_edges[game] = 0
    add_node(tree, game, NO_NODE, NO_EDGE)
    tree.turn[game, ROOT] = turn


@kernel
def bring_best_unopened_forward(tree: Tree, game: int, node: int) -> None:
    """Swap the unopened edge with the highest prior (then the lowest move) to the front of the unopened."""
    front = tree.first_edge[game, node] + tree.num_opened[game, node]
    end = tree.first_edge[game, node] + tree.num_children[game, node]
    if front >= end:
        return
    best = front
    for edge in range(front + 1, end):
        higher = tree.prior[game, edge] > tree.prior[game, best]
        if higher or (
            tree.prior[game, edge] == tree.prior[game, best] and tree.move[game, edge] < tree.move[game, best]
        ):
            best = edge
    move, prior = tree.move[game, front], tree.prior[game, front]
    tree.move[game, front], tree.prior[game, front] = tree.move[game, best], tree.prior[game, best]
    tree.move[game, best], tree.prior[game, best] = move, prior


@kernel
def child_by_move(tree: Tree, game: int, move: int) -> int:
    """The root's child after `move`, or NO_NODE where that move was never visited."""
    first = tree.first_edge[game, ROOT]
    for edge in range(first, first + tree.num_opened[game, ROOT]):
        if tree.move[game, edge] == move:
            return tree.child[game, edge]
    return NO_NODE


@kernel
def keep_subtree(tree: Tree, game: int, new_root: int, kept: NDArray[np.int32]) -> int:
    """Make `new_root` the root and drop all nodes not below it; no descent may be under way.

    Nodes and edges only ever move to lower indices, since children are younger than their parents, so
    one pass in place does it. kept int32[N] receives the old indices of the nodes kept, in their new
    order. Returns how many they are.
    """
    old_num_nodes = tree.num_nodes[game]
    tree.num_nodes[game] = 0
    tree.num_edges[game] = 0
    for node in range(new_root + 1, old_num_nodes):
        kept[node] = NO_NODE
    kept[new_root] = new_root
    tree.parent[game, new_root] = NO_NODE
    tree.parent_edge[game, new_root] = NO_EDGE
    for node in range(new_root, old_num_nodes):
        if kept[node] == node:
            _move_node(tree, game, node, kept)
    return tree.num_nodes[game]


@kernel
def _move_node(tree: Tree, game: int, old: int, kept: NDArray[np.int32]) -> None:
    """Append node `old` and its edges to the compacted tree; mark its children as kept."""
    new = tree.num_nodes[game]
    tree.num_nodes[game] = new + 1
    kept[new] = old
    tree.parent[game, new] = tree.parent[game, old]
    tree.parent_edge[game, new] = tree.parent_edge[game, old]
    if new != ROOT:
        tree.child[game, tree.parent_edge[game, new]] = new
    tree.turn[game, new] = tree.turn[game, old]
    tree.is_terminal[game, new] = tree.is_terminal[game, old]
    tree.terminal_value[game, new] = tree.terminal_value[game, old]
    tree.visit_count[game, new] = tree.visit_count[game, old]
    tree.value_sum[game, new] = tree.value_sum[game, old]
    old_first, new_first = tree.first_edge[game, old], tree.num_edges[game]
    num_children, num_opened = tree.num_children[game, old], tree.num_opened[game, old]
    tree.first_edge[game, new] = new_first
    tree.num_children[game, new] = num_children
    tree.num_opened[game, new] = num_opened
    for i in range(max(num_children, 0)):
        tree.move[game, new_first + i] = tree.move[game, old_first + i]
        tree.prior[game, new_first + i] = tree.prior[game, old_first + i]
        tree.edge_visits[game, new_first + i] = tree.edge_visits[game, old_first + i]
        tree.edge_value_sum[game, new_first + i] = tree.edge_value_sum[game, old_first + i]
        tree.pending[game, new_first + i] = 0
        child = tree.child[game, old_first + i]
        if child != NO_NODE:
            kept[child] = child
            tree.parent[game, child] = new
            tree.parent_edge[game, child] = new_first + i
        tree.child[game, new_first + i] = child
    tree.num_edges[game] = new_first + max(num_children, 0)
