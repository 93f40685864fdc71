"""What a search found, read off its tree in the search thread, before the slot is used again."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.players.batch_search import BatchSearch, RootStatistics
from stonezero.search.root import move_probabilities
from stonezero.search.tree import child_by_move


class Line(NamedTuple):
    """A principal variation: after its first move always the most visited one."""

    moves: list[int]
    visits: int  #: of its first move


class Findings(NamedTuple):
    """The root's figures by move, and the best lines."""

    root: RootStatistics
    num_simulations: int
    lines: list[Line]


def move_findings(search: BatchSearch, slot: int) -> Findings:
    """A harvest: the root's figures alone."""
    statistics = search.statistics(slot)
    return Findings(statistics, int(statistics.visits.sum()), [])


def line_findings(search: BatchSearch, slot: int, num_lines: int, length: int) -> Findings:
    """A harvest: the root's figures and the `num_lines` most visited lines of up to `length` moves."""
    found = move_findings(search, slot)
    visits = found.root.visits
    first_moves = [int(move) for move in np.argsort(-visits, kind="stable")[:num_lines] if visits[move]]
    lines = [Line(_line(search, slot, move, length), int(visits[move])) for move in first_moves]
    return found._replace(lines=lines)


def _line(search: BatchSearch, slot: int, move: int, length: int) -> list[int]:
    moves = [move]
    node = int(child_by_move(search.tree, slot, move))
    while len(moves) < length:
        edge = _most_visited_edge(search, slot, node)
        if edge is None:
            break
        moves.append(int(search.tree.move[slot, edge]))
        node = int(search.tree.child[slot, edge])
    return moves


def _most_visited_edge(search: BatchSearch, slot: int, index: int) -> int | None:
    tree, node = search.tree, search.tree.nodes[slot, index]
    first = int(node["first_edge"])
    edges = range(first, first + int(node["num_opened"]))
    visits = tree.nodes["visit_count"][slot]
    return max(edges, key=lambda edge: visits[tree.child[slot, edge]], default=None)


def choice_weights(root: RootStatistics, choose_by: str, temperature: float) -> NDArray[np.float64]:
    """float64[A]: the chance of each move to be played.

    `choose_by` is "visits", or "prior" for moves that the net finds natural, without search: like a person.
    A search that was stopped before its first visit falls back on the prior. Moves that can't be played have
    neither visits nor prior.
    """
    if choose_by == "visits" and root.visits.any():
        return move_probabilities(root.visits, temperature)
    return move_probabilities(root.priors.astype(np.float64), temperature)
