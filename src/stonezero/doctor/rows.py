"""Which rows of a table of records are what: where games begin, how far they are, what search chose."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.symmetry import symmetry_tables
from stonezero.records.schema import RecordTable

PHASES = ("opening", "middle", "ending")
"""Thirds of a game, by plies."""

SETTLED_GENERATIONS = 3
"""Before so many, what a net has not learnt yet is no fault."""


class Games(NamedTuple):
    """The games of a table: game i has rows first[i] to first[i] + plies[i]."""

    first: NDArray[np.int64]  #: int64[G]
    plies: NDArray[np.int64]  #: int64[G]


def games_of(table: RecordTable) -> Games:
    """Where the games of a table lie."""
    first = np.flatnonzero(np.diff(table.game_id, prepend=table.game_id[:1] - 1))
    return Games(first, np.diff(first, append=len(table)))


def own_openings(table: RecordTable) -> NDArray[np.int64]:
    """int64[N]: the first rows of games that do not begin with random moves."""
    first = games_of(table).first
    return first[~table.is_opening[first]]


def searched(table: RecordTable) -> NDArray[np.bool_]:
    """bool[P]: rows whose value and visits come from a search."""
    return ~(table.is_opening | table.is_solved) & np.isfinite(table.root_value)


def phase(table: RecordTable) -> NDArray[np.int64]:
    """int64[P]: which third of its game a row lies in: 0, 1 or 2, as in PHASES."""
    first, plies = games_of(table)
    since = np.arange(len(table)) - np.repeat(first, plies)
    return 3 * since // np.repeat(plies, plies)


def top_visits(table: RecordTable) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[P] and float64[P]: the most visited move and its share of the visits; -1 and 0 without visits."""
    lengths = np.diff(table.visit_offsets)
    row = np.repeat(np.arange(len(table)), lengths)
    order = np.lexsort((table.visit_moves, -table.visit_counts, row))
    has_visits = lengths > 0
    best = order[table.visit_offsets[:-1][has_visits]]
    move, share = np.full(len(table), -1, np.int64), np.zeros(len(table))
    totals = np.bincount(row, table.visit_counts, minlength=len(table))[has_visits]
    move[has_visits] = table.visit_moves[best]
    share[has_visits] = table.visit_counts[best] / totals
    return move, share


def visit_entropies(table: RecordTable) -> NDArray[np.float64]:
    """float64[P], nats: the entropy of each row's visits, 0 without visits."""
    row = np.repeat(np.arange(len(table)), np.diff(table.visit_offsets))
    totals = np.bincount(row, table.visit_counts, minlength=len(table))
    shares = table.visit_counts / totals[row]
    entropies = np.zeros(len(table))
    np.subtract.at(entropies, row, shares * np.log(shares))
    return entropies


def canonical_moves(table: RecordTable, start: int, plies: int) -> bytes:
    """The `plies` moves from row `start` on, under the symmetry that sorts them first."""
    moves = table.move[start : start + plies]
    tables = symmetry_tables(int(table.game["size"]))
    num_points = tables.shape[1]
    images = np.where(moves == num_points, moves, tables[:, np.minimum(moves, num_points - 1)])
    return min(image.astype(">i2").tobytes() for image in images)
