"""Figures that show whether self-play is healthy: how long, how varied, how decided its games are."""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.position import BLACK_WON, DRAW, WHITE_WON
from stonezero.games.symmetry import symmetry_tables
from stonezero.records.schema import RecordTable

OPENING_PLIES = 4
"""Games count as opening alike when these first moves agree, up to symmetry."""


def health_figures(table: RecordTable) -> dict[str, float]:
    """Figures of one generation's games; entropies in bits except `root_entropy`, in nats.

    `opening_entropy` is that of the first plies over games without a random opening: 0 when all of them
    open alike, log2(games) when all differ. `root_entropy` is the mean entropy of the visits.
    """
    first = np.flatnonzero(np.diff(table.game_id, prepend=-1))
    num_games = len(first)
    status = table.status[first]
    lengths = np.diff(first, append=len(table.game_id))
    has_random_opening = table.is_opening[first]
    searched = ~(table.is_opening | table.is_solved)
    own_openings = [
        canonical_opening(table, start, length)
        for start, length in zip(first[~has_random_opening], lengths[~has_random_opening], strict=True)
    ]
    moves = [
        table.move[start : start + length].tobytes() for start, length in zip(first, lengths, strict=True)
    ]
    return {
        "games": num_games,
        "positions": int((~table.is_opening).sum()),
        "mean_plies": float(lengths.mean()),
        "black_win_rate": float((status == BLACK_WON).mean()),
        "white_win_rate": float((status == WHITE_WON).mean()),
        "draw_rate": float((status == DRAW).mean()),
        "distinct_games": len(set(moves)),
        "random_opening_games": int(has_random_opening.sum()),
        "opening_entropy": _entropy_bits(own_openings),
        "root_entropy": float(visit_entropies(table)[searched].mean()),
        "prior_entropy": float(table.prior_entropy[searched].mean()),
        "mean_abs_root_value": float(np.abs(table.root_value[searched]).mean()),
    }


def canonical_opening(table: RecordTable, start: int, length: int) -> bytes:
    """The first moves of a game under the symmetry that sorts them first."""
    moves = table.move[start : start + min(length, OPENING_PLIES)]
    tables = symmetry_tables(int(table.game["size"]))
    num_points = tables.shape[1]
    images = np.where(moves == num_points, moves, tables[:, np.minimum(moves, num_points - 1)])
    return min(image.astype(">i2").tobytes() for image in images)


def _entropy_bits(items: list[bytes]) -> float:
    _, counts = np.unique(items, return_counts=True)
    shares = counts / max(counts.sum(), 1)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def visit_entropies(table: RecordTable) -> NDArray[np.float64]:
    """Entropy in nats of the visits of each position: float64[P], 0 where there was no search."""
    row = np.repeat(np.arange(len(table.move)), np.diff(table.visit_offsets))
    totals = np.bincount(row, table.visit_counts, minlength=len(table.move))
    shares = table.visit_counts / totals[row]
    entropies = np.zeros(len(table.move))
    np.subtract.at(entropies, row, shares * np.log(shares))
    return entropies
