"""Search trees of many games as arrays: allocation, the fresh root, keeping a subtree.

What a node's position looks like, which moves are legal and what the network says live elsewhere.

Axis letters: G games, N nodes per game, E edges per game, A actions.

A node is one record, since a descent reads most of its fields. Edges of a node lie side by side in
arrays, since selection scans one field of many edges. The first `num_opened` edges have been visited
(or are being visited); the rest are unopened, and the one with the highest prior among them comes
first. An unopened edge can only be chosen after all unopened edges with a higher prior, so selection
looks at the opened edges and at one more, not at all of them. Visits and values are those of the child
that an edge leads to; what selection needs of them is kept in the edge, ready to be added up.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import inlined_kernel, kernel

ROOT = 0
NO_NODE = -1
NO_EDGE = -1
NO_MOVE = -1
UNEXPANDED = -1

NODE = np.dtype(
    [
        ("value_sum", np.float64),  # for the side to move here
        ("terminal_value", np.float64),  # game result for the side to move, where terminal
        ("visit_count", np.int32),  # own evaluation included
        ("parent", np.int32),  # NO_NODE at the root
        ("parent_edge", np.int32),  # NO_EDGE at the root
        ("first_edge", np.int32),
        ("num_children", np.int32),  # UNEXPANDED before the evaluation
        ("num_opened", np.int32),
        ("turn", np.int8),  # side to move
        ("is_terminal", np.uint8),
    ],
    align=True,
)


class Tree(NamedTuple):
    """G search trees. Values: of a node for the side to move there, of an edge for the side that plays it."""

    num_nodes: NDArray[np.int32]  #: int32[G]
    num_edges: NDArray[np.int32]  #: int32[G]
    nodes: NDArray[Any]  #: NODE[G, N]
    move: NDArray[np.int16]  #: int16[G, E]
    prior: NDArray[np.float32]  #: float32[G, E]
    # of opened edges only:
    child: NDArray[np.int32]  #: int32[G, E]
    pending: NDArray[np.int32]  #: int32[G, E]: descents under way through the edge
    mean_value: NDArray[np.float32]  #: float32[G, E]: Q, virtual losses included
    exploration: NDArray[np.float32]  #: float32[G, E]: P / (1 + N), likewise


def allocate_tree(num_games: int, num_nodes: int, num_edges: int) -> Tree:
    """Trees without nodes: call `plant_root` for each game before use."""
    edges = (num_games, num_edges)
    return Tree(
        num_nodes=np.zeros(num_games, np.int32),
        num_edges=np.zeros(num_games, np.int32),
        nodes=np.zeros((num_games, num_nodes), NODE),
        move=np.zeros(edges, np.int16),
        prior=np.zeros(edges, np.float32),
        child=np.zeros(edges, np.int32),
        pending=np.zeros(edges, np.int32),
        mean_value=np.zeros(edges, np.float32),
        exploration=np.zeros(edges, np.float32),
    )


@inlined_kernel
def add_node(tree: Tree, game: int, parent: int, parent_edge: int) -> int:
    """Append an unexpanded node; its `turn` is filled in once its position is known."""
    index = tree.num_nodes[game]
    tree.num_nodes[game] = index + 1
    node = tree.nodes[game, index]
    node.value_sum = 0.0
    node.visit_count = 0
    node.parent = parent
    node.parent_edge = parent_edge
    node.num_children = UNEXPANDED
    node.num_opened = 0
    node.is_terminal = 0
    return index


@kernel
def plant_root(tree: Tree, game: int, turn: int) -> None:
    """Forget the game's tree and start a new one with an unexpanded root."""
    tree.num_nodes[game] = 0
    tree.num_edges[game] = 0
    add_node(tree, game, NO_NODE, NO_EDGE)
    tree.nodes[game, ROOT].turn = turn


@inlined_kernel
def bring_best_unopened_forward(tree: Tree, game: int, index: int) -> None:
    """Swap the unopened edge with the highest prior to the front of the node's unopened edges."""
    node = tree.nodes[game, index]
    front = node.first_edge + node.num_opened
    best = front
    for edge in range(front + 1, node.first_edge + node.num_children):
        if tree.prior[game, edge] > tree.prior[game, best]:
            best = edge
    if best != front:
        swap_unopened(tree, game, front, best)


@inlined_kernel
def swap_unopened(tree: Tree, game: int, one: int, other: int) -> None:
    """Let two unopened edges change places."""
    move, prior = tree.move[game, one], tree.prior[game, one]
    tree.move[game, one], tree.prior[game, one] = tree.move[game, other], tree.prior[game, other]
    tree.move[game, other], tree.prior[game, other] = move, prior


@kernel
def child_by_move(tree: Tree, game: int, move: int) -> int:
    """The root's child after `move`, or NO_NODE where that move was never visited."""
    root = tree.nodes[game, ROOT]
    for edge in range(root.first_edge, root.first_edge + root.num_opened):
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
    for index in range(new_root + 1, old_num_nodes):
        kept[index] = NO_NODE
    kept[new_root] = new_root
    tree.nodes[game, new_root].parent = NO_NODE
    tree.nodes[game, new_root].parent_edge = NO_EDGE
    for index in range(new_root, old_num_nodes):
        if kept[index] == index:
            _move_node(tree, game, index, kept)
    return tree.num_nodes[game]


@kernel
def _move_node(tree: Tree, game: int, old: int, kept: NDArray[np.int32]) -> None:
    """Append node `old` and its edges to the compacted tree; mark its children as kept."""
    new = tree.num_nodes[game]
    tree.num_nodes[game] = new + 1
    kept[new] = old
    tree.nodes[game, new] = tree.nodes[game, old]
    node = tree.nodes[game, new]
    if new != ROOT:
        tree.child[game, node.parent_edge] = new
    old_first, new_first = node.first_edge, tree.num_edges[game]
    node.first_edge = new_first
    for i in range(max(node.num_children, 0)):
        tree.move[game, new_first + i] = tree.move[game, old_first + i]
        tree.prior[game, new_first + i] = tree.prior[game, old_first + i]
    for i in range(node.num_opened):
        tree.pending[game, new_first + i] = 0
        tree.mean_value[game, new_first + i] = tree.mean_value[game, old_first + i]
        tree.exploration[game, new_first + i] = tree.exploration[game, old_first + i]
        child = tree.child[game, old_first + i]
        tree.child[game, new_first + i] = child
        kept[child] = child
        tree.nodes[game, child].parent = new
        tree.nodes[game, child].parent_edge = new_first + i
    tree.num_edges[game] = new_first + max(node.num_children, 0)
