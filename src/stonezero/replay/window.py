"""Which positions are in the window: the newest whole games, copies weighted once, some games held out."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import BufferConfig
from stonezero.errors import UserError
from stonezero.records import RecordTable
from stonezero.replay.index import RecordsFile, WindowIndex, empty_index

ODD_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""Carries every bit of a digest into the highest ones, which decide."""


class WindowError(UserError):
    """The window would be empty, or too small to train on."""


def next_window(
    previous: WindowIndex,
    shards: Sequence[tuple[RecordsFile, RecordTable]],
    config: BufferConfig,
    seed: int,
) -> WindowIndex:
    """The window after a generation whose games are in `shards`; `previous` is the one before it."""
    aged = replace(previous, staleness=previous.staleness + np.int16(1))
    index = _concatenate([aged, *(_index_of_shard(file, table) for file, table in shards)])
    num_seen = 0
    most = config.max_positions
    if config.power_law_positions:
        num_seen = (previous.num_seen or len(previous)) + len(index) - len(previous)
        most = min(most, power_law_size(num_seen, config))
    index = _select(index, index.staleness < config.window_generations)
    index = _newest_games(index, most, config.max_games)
    return replace(
        index,
        num_seen=num_seen,
        weight=(1 / game_copies(index)).astype(np.float32),
        is_held_out=is_held_out(index.moves_digest, config.held_out_fraction, seed),
    )


def power_law_size(num_seen: int, config: BufferConfig) -> int:
    """Positions in KataGo's window after `num_seen` so far: c * (1 + beta * ((N / c)^alpha - 1) / alpha).

    All of them up to N = c; from there on it grows with slope beta, later like N^alpha (Wu 2019,
    arXiv:1902.10565, appendix C).
    """
    c, alpha = config.power_law_positions, config.power_law_alpha
    if num_seen <= c:
        return c
    return int(c * (1 + config.power_law_beta * ((num_seen / c) ** alpha - 1) / alpha))


def game_starts(index: WindowIndex) -> NDArray[np.int64]:
    """int64[games]: the first row of each game."""
    new_game = np.ones(len(index), bool)
    new_game[1:] = (np.diff(index.file) != 0) | (np.diff(index.game_id) != 0)
    return np.flatnonzero(new_game)


def game_copies(index: WindowIndex) -> NDArray[np.int64]:
    """int64[P]: how many games of the window have the move list of this row's game."""
    starts = game_starts(index)
    _, which, copies = np.unique(index.moves_digest[starts], return_inverse=True, return_counts=True)
    return np.repeat(copies[which], np.diff(starts, append=len(index)))


def is_held_out(moves_digest: NDArray[np.uint64], fraction: float, seed: int) -> NDArray[np.bool_]:
    """bool[P]: a share `fraction` of the games, drawn by their moves.

    Drawn so, the copies of a game lie on one side, and no game ever changes sides.
    """
    drawn = (moves_digest ^ _digest64(f"held out {seed}".encode())) * ODD_FACTOR
    return drawn < np.float64(fraction * 2**64)


def _index_of_shard(file: RecordsFile, table: RecordTable) -> WindowIndex:
    """Rows of one file that teach something: all but the moves of random openings."""
    rows = np.flatnonzero(~table.is_opening).astype(np.int32)
    return WindowIndex(
        [file],
        file=np.zeros(len(rows), np.int32),
        row=rows,
        game_id=table.game_id[rows],
        moves_digest=moves_digests(table)[rows],
        weight=np.ones(len(rows), np.float32),
        staleness=np.zeros(len(rows), np.int16),
        is_held_out=np.zeros(len(rows), bool),
        is_policy_target=table.is_full_search[rows],
    )


def moves_digests(table: RecordTable) -> NDArray[np.uint64]:
    """uint64[P]: a digest of the whole move list, openings included, of each row's game."""
    starts = np.flatnonzero(np.diff(table.game_id, prepend=table.game_id[:1] - 1))
    games = np.split(table.move, starts[1:]) if len(starts) else []
    digests = np.array([_digest64(moves.tobytes()) for moves in games], np.uint64)
    return np.repeat(digests, np.diff(starts, append=len(table)))


def _digest64(data: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little"))


def _newest_games(index: WindowIndex, max_positions: int, max_games: int) -> WindowIndex:
    """Whole games; `max_games` 0 is no limit."""
    starts = game_starts(index)
    fitting = starts[len(index) - starts <= max_positions]
    if len(starts) and not len(fitting):
        raise WindowError(f"buffer.max_positions is {max_positions}: not even the newest game fits")
    if max_games:
        fitting = fitting[-max_games:]
    return _select(index, slice(fitting[0], None)) if len(fitting) else index


def _select(index: WindowIndex, rows: NDArray[np.bool_] | slice) -> WindowIndex:
    """The chosen rows, and only the files they lie in."""
    columns: dict[str, Any] = {name: column[rows] for name, column in index.columns().items()}
    used, columns["file"] = np.unique(columns["file"], return_inverse=True)
    columns["file"] = columns["file"].astype(np.int32)
    return WindowIndex([index.files[code] for code in used], **columns)


def _concatenate(indexes: Sequence[WindowIndex]) -> WindowIndex:
    files: list[RecordsFile] = []
    file_columns = []
    for index in indexes:
        file_columns.append(index.file + np.int32(len(files)))
        files += index.files
    columns: dict[str, Any] = {
        name: np.concatenate([i.columns()[name] for i in indexes]) for name in empty_index().columns()
    }
    columns["file"] = np.concatenate(file_columns)
    return WindowIndex(files, **columns)
