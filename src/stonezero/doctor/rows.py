"""Which rows of a table of records are what: where games begin, how far they are, what search chose."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
