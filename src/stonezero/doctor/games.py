"""Measures of self-play's games: how varied, how decided, how sound. None where too little can be seen."""

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stonezero.doctor.facts import RunFacts
from stonezero.doctor.rows import games_of, phase, searched, top_visits
from stonezero.games.position import BLACK_WON, WHITE_WON
from stonezero.records.schema import RecordTable
from stonezero.selfplay.health import OPENING_PLIES, canonical_opening

Region = Callable[[NDArray[np.int16], NDArray[np.int16], int], NDArray[np.bool_]]

FEWEST_GAMES = 20
FEWEST_RESIGNED = 20
FEW_POINTS = 16  #: boards up to this size have so few games that repeats say nothing


def opening_share(facts: RunFacts) -> float | None:
    """Share of the games without random moves that open alike: the same first plies, up to symmetry."""
    table = facts.table
    if table is None or _is_tiny(table):
        return None
    first, plies = games_of(table)
    is_own = ~table.is_opening[first]
    if is_own.sum() < FEWEST_GAMES:
        return None
    openings = Counter(
        canonical_opening(table, start, length)
        for start, length in zip(first[is_own].tolist(), plies[is_own].tolist(), strict=True)
    )
    return max(openings.values()) / int(is_own.sum())


def duplicate_share(facts: RunFacts) -> float | None:
    """Share of the games that repeat another one move by move."""
    table = facts.table
    if table is None or len((games := games_of(table)).first) < FEWEST_GAMES or _is_tiny(table):
        return None
    ends = (games.first + games.plies).tolist()
    lines = {table.move[start:end].tobytes() for start, end in zip(games.first.tolist(), ends, strict=True)}
    return 1 - len(lines) / len(games.first)


def favoured_colour_share(facts: RunFacts) -> float | None:
    """Share of the games that the colour which wins more often wins."""
    table = facts.table
    if table is None or len(first := games_of(table).first) < FEWEST_GAMES:
        return None
    status = table.status[first]
    return float(max((status == BLACK_WON).mean(), (status == WHITE_WON).mean()))


def opening_prior_entropy(facts: RunFacts) -> float | None:
    """Mean entropy of the net's prior in the first third of the games, nats."""
    rows = _opening_rows(facts.table)
    return None if facts.table is None or rows is None else float(facts.table.prior_entropy[rows].mean())


def opening_top_visit_share(facts: RunFacts) -> float | None:
    """Mean share of the visits that the most visited move has in the first third of the games."""
    rows = _opening_rows(facts.table)
    return None if facts.table is None or rows is None else float(top_visits(facts.table)[1][rows].mean())


def centre_share(facts: RunFacts) -> float | None:
    """Gomoku: share of the games without random moves whose first stone is on the central point or points."""
    return _share_of_first_moves(facts.table, 1, _is_central)


def corner_share(facts: RunFacts) -> float | None:
    """Gomoku: share of the first plies, without random moves, that were played into a corner."""
    return _share_of_first_moves(facts.table, OPENING_PLIES, _is_corner)


def resign_errors(facts: RunFacts) -> float | None:
    """Share of the sides that would have resigned in games that were played on, but did not lose."""
    table = facts.table
    if table is None:
        return None
    is_last = np.diff(table.game_id, append=table.game_id[-1:] + 1) != 0
    rows = np.flatnonzero(table.is_resigned & ~is_last)
    sides = np.stack([table.game_id[rows], table.turn[rows]])
    _, one_of_each = np.unique(sides, axis=1, return_index=True)
    if len(one_of_each) < FEWEST_RESIGNED:
        return None
    return float((table.outcome[rows[one_of_each]] >= 0).mean())


def _opening_rows(table: RecordTable | None) -> NDArray[np.int64] | None:
    if table is None or len(games_of(table).first) < FEWEST_GAMES:
        return None
    rows = np.flatnonzero(searched(table) & (phase(table) == 0))
    return rows if len(rows) else None


def _share_of_first_moves(table: RecordTable | None, plies: int, is_there: Region) -> float | None:
    if table is None or table.game["name"] != "gomoku" or _is_tiny(table):
        return None
    first, lengths = games_of(table)
    kept = ~table.is_opening[first]
    if kept.sum() < FEWEST_GAMES:
        return None
    rows = [
        np.arange(start, start + min(plies, length))
        for start, length in zip(first[kept].tolist(), lengths[kept].tolist(), strict=True)
    ]
    size = int(table.game["size"])
    moves = table.move[np.concatenate(rows)]
    return float(is_there(moves // size, moves % size, size).mean())


def _is_central(row: NDArray[np.int16], column: NDArray[np.int16], size: int) -> NDArray[np.bool_]:
    middle = ((size - 1) // 2, size // 2)
    return np.isin(row, middle) & np.isin(column, middle)


def _is_corner(row: NDArray[np.int16], column: NDArray[np.int16], size: int) -> NDArray[np.bool_]:
    return np.isin(row, (0, size - 1)) & np.isin(column, (0, size - 1))


def _is_tiny(table: RecordTable) -> bool:
    return table.stones.shape[1] <= FEW_POINTS
