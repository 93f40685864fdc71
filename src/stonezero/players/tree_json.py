"""A search tree as plain data, ready for `json.dumps`: what `stonezero tree` prints and the service sends.

After a search, here of one position:

    search.set_root(0, board.positions, 0, key)
    search.set_budget(0, simulations)
    search.run(np.arange(1))
    tree = tree_data(search, slot=0, limits=TreeLimits(depth=4, min_visits=2))

The nodes are a flat list, the root first and parents before children; `parent` and `children` are ids.
"""

from collections import deque
from typing import Any, NamedTuple

from stonezero.games.board import SIDE_NAMES, SYMBOLS
from stonezero.games.notation import move_to_text
from stonezero.games.symmetry import position_hash
from stonezero.players.batch_search import BatchSearch
from stonezero.search.tree import ROOT


class TreeLimits(NamedTuple):
    """Which part of a tree is wanted."""

    depth: int = 3  #: plies below the root
    min_visits: int = 1  #: nodes with fewer visits are left out, with all below them
    max_nodes: int = 10_000  #: more are left out, the deepest first, and `is_truncated` says so


class _Step(NamedTuple):
    """A node on its way to the list, and how it was reached."""

    node: int
    parent: int | None
    move: int | None
    prior: float
    depth: int


DEFAULT_LIMITS = TreeLimits()


def tree_data(search: BatchSearch, slot: int, limits: TreeLimits = DEFAULT_LIMITS) -> dict[str, Any]:
    """The slot's tree after a search, down to `limits`.

    Returns
    -------
    dict
        `game` (its spec), `num_nodes` (of the whole tree), `is_truncated`, and `nodes`, a list of dicts:

        - `id`, `parent` (None at the root), `children` (ids, the most visited first)
        - `depth`, and `move`: the move that led here, as text (None at the root)
        - `state_hash`: 64 bits as 16 hex digits (JavaScript's numbers have 53), see `position_hash`
        - `visit_count`: N, the node's own evaluation included
        - `q_value`: mean value in [-1, 1] for the side to move at this node; None without a visit
        - `edge_q_value`: the same for the side that played `move`; None at the root
        - `prior`: P of the move that led here; 1 at the root
        - `prior_policy`: P of each legal move by its text, highest first, with noise where noise was mixed in
        - `player`: the side to move, black or white; `is_terminal`
        - `board`: the points row by row from the top, each one of . X O
    """
    nodes: dict[int, dict[str, Any]] = {}
    waiting = deque([_Step(ROOT, None, None, 1.0, 0)])
    while waiting and len(nodes) < limits.max_nodes:
        step = waiting.popleft()
        nodes[step.node] = _node_data(search, slot, step)
        if step.parent is not None:
            _hang_below_parent(nodes, search, slot, step)
        if step.depth < limits.depth:
            waiting.extend(_children(search, slot, step, limits.min_visits))
    return {
        "game": search.game.spec(),
        "num_nodes": int(search.tree.num_nodes[slot]),
        "is_truncated": bool(waiting),
        "nodes": list(nodes.values()),
    }


def _node_data(search: BatchSearch, slot: int, step: _Step) -> dict[str, Any]:
    """What is said of one node; its children and its value for its parent's side follow later."""
    node = search.tree.nodes[slot, step.node]
    row = search.root_row(slot) + step.node
    stones, visits = search.positions.stones[row], int(node["visit_count"])
    return {
        "id": step.node,
        "parent": step.parent,
        "children": [],
        "depth": step.depth,
        "move": None if step.move is None else move_to_text(search.game, step.move),
        "state_hash": f"{position_hash(stones, int(node['turn'])):016x}",
        "visit_count": visits,
        "q_value": float(node["value_sum"]) / visits if visits else None,
        "edge_q_value": None,
        "prior": step.prior,
        "prior_policy": _prior_policy(search, slot, step.node),
        "player": SIDE_NAMES[int(node["turn"])],
        "is_terminal": bool(node["is_terminal"]),
        "board": "".join(SYMBOLS[stone] for stone in stones),
    }


def _hang_below_parent(nodes: dict[int, dict[str, Any]], search: BatchSearch, slot: int, step: _Step) -> None:
    assert step.parent is not None
    data, parent = nodes[step.node], nodes[step.parent]
    parent["children"].append(step.node)
    if data["q_value"] is not None:
        turns = search.tree.nodes["turn"][slot]
        data["edge_q_value"] = data["q_value"] * (1 if turns[step.node] == turns[step.parent] else -1)


def _children(search: BatchSearch, slot: int, step: _Step, min_visits: int) -> list[_Step]:
    """The children with at least `min_visits`, the most visited first."""
    tree, node = search.tree, search.tree.nodes[slot, step.node]
    first = int(node["first_edge"])
    steps = [
        _Step(
            node=int(tree.child[slot, edge]),
            parent=step.node,
            move=int(tree.move[slot, edge]),
            prior=float(tree.prior[slot, edge]),
            depth=step.depth + 1,
        )
        for edge in range(first, first + int(node["num_opened"]))
    ]
    visits = tree.nodes["visit_count"][slot]
    return sorted(
        (child for child in steps if visits[child.node] >= min_visits),
        key=lambda child: (-visits[child.node], child.move),
    )


def _prior_policy(search: BatchSearch, slot: int, index: int) -> dict[str, float]:
    tree, node = search.tree, search.tree.nodes[slot, index]
    edges = slice(int(node["first_edge"]), int(node["first_edge"]) + max(int(node["num_children"]), 0))
    pairs = zip(tree.move[slot, edges], tree.prior[slot, edges], strict=True)
    ordered = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    return {move_to_text(search.game, int(move)): float(prior) for move, prior in ordered}
