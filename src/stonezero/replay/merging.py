"""Identical positions, up to symmetry: found, counted, and merged into one with averaged targets.

After Prasad et al. 2018 (Lessons from AlphaZero: Connect Four), who average priors and values of the
positions that games have in common; we look through all 8 symmetries. Positions are identical when stones,
side to move and consecutive passes are: what earlier moves led there is that of the newest.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game
from stonezero.games.position import BLACK, WHITE
from stonezero.games.symmetry import INVERSE, NUM_SYMMETRIES, symmetry_tables
from stonezero.records import RecordTable
from stonezero.replay.loading import Window
from stonezero.replay.quality import shares

SCALE = 1_000_000
"""Averaged policy targets are kept as whole visits out of so many."""


def position_groups(table: RecordTable, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which position each row has, and the symmetry that takes it there.

    Returns int64[P], a number from 0 that is equal for positions identical up to symmetry, and int64[P], the
    symmetry that turns the row's board into the one that stands for all of them.
    """
    tables, (num_rows, num_points) = symmetry_tables(size), table.stones.shape
    codes = np.random.default_rng(0).integers(2**63, size=(3, num_points)).astype(np.uint64)
    hashes = np.zeros((NUM_SYMMETRIES, num_rows), np.uint64)
    for symmetry in range(NUM_SYMMETRIES):
        moved = codes[:, tables[symmetry]]
        for point in range(num_points):
            for colour in (BLACK, WHITE):
                hashes[symmetry] += np.where(table.stones[:, point] == colour, moved[colour, point], 0)
    symmetries = hashes.argmin(axis=0)
    boards = np.take_along_axis(table.stones, tables[INVERSE[symmetries]], axis=1)
    whole = np.column_stack([boards, table.turn, table.passes]).astype(np.int8)
    keys = np.ascontiguousarray(whole).view(np.dtype((np.void, whole.shape[1]))).ravel()
    return np.unique(keys, return_inverse=True)[1].astype(np.int64), symmetries.astype(np.int64)


def merged(window: Window, game: Game) -> Window:
    """The window with identical positions that are trained on made one, of weight 1; held-out ones stay.

    Targets are means by weight, in the orientation of the newest of them, whose auxiliary targets stay, too.
    """
    number, symmetries = _groups(window, game)
    num_rows = len(window)
    newest = np.zeros(number.max() + 1, np.int64)
    np.maximum.at(newest, number, np.arange(num_rows))
    staleness = window.staleness[newest]
    np.minimum.at(staleness, number, window.staleness)
    total = np.bincount(number, window.weight)
    value = shares(window.table.outcome) if window.value_target is None else window.value_target
    means = [np.bincount(number, window.weight * column) / total for column in value.T]
    is_target = np.bincount(number, window.is_policy_target) > 0
    result = replace(
        window.select(newest),
        weight=np.where(window.is_held_out[newest], window.weight[newest], 1).astype(np.float32),
        staleness=staleness,
        is_policy_target=is_target,
        value_target=np.stack(means, axis=1).astype(np.float32),
    )
    # rows without a policy target have no say where another has one
    say = window.weight * (window.is_policy_target | ~is_target[number])
    visits = _mean_visits(window.table, say, (number, symmetries, newest), game)
    result = replace(result, table=replace(result.table, **visits))
    return result.select(np.argsort(newest))


def _groups(window: Window, game: Game) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`position_groups`, but each held-out row is a group of its own."""
    number, symmetries = position_groups(window.table, game.size)
    held_out = np.flatnonzero(window.is_held_out)
    number[held_out] = number.max() + 1 + np.arange(len(held_out))
    return np.unique(number, return_inverse=True)[1], symmetries


def _mean_visits(
    table: RecordTable,
    say: NDArray[np.floating],
    groups: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    game: Game,
) -> dict[str, Any]:
    """The visit columns of one row per group: means of the rows' policy targets, weighted by `say`."""
    number, symmetries, newest = groups
    tables = symmetry_tables(game.size)
    row = np.repeat(np.arange(len(table)), np.diff(table.visit_offsets))
    share = say[row] * table.visit_counts / np.bincount(row, table.visit_counts)[row]
    move = table.visit_moves.astype(np.int64)
    on_board = move < game.num_points
    seen = tables[symmetries[row[on_board]], move[on_board]]
    move[on_board] = tables[INVERSE[symmetries[newest[number[row[on_board]]]]], seen]
    code, entry = np.unique(number[row] * game.num_actions + move, return_inverse=True)
    group, summed = code // game.num_actions, np.bincount(entry, share)
    count = np.round(SCALE * summed / np.bincount(group, summed)[group]).astype(np.int32)
    kept = count > 0
    offsets = np.concatenate([[0], np.cumsum(np.bincount(group[kept], minlength=len(newest)))])
    return {
        "visit_moves": (code[kept] % game.num_actions).astype(np.int16),
        "visit_counts": count[kept],
        "visit_offsets": offsets.astype(np.int64),
    }
