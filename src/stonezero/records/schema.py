"""What a record holds: one game as it is played (`GameRecord`), many positions as arrays (`RecordTable`).

Files are in `shard.py`, compiled helpers in `kernels.py`. Axis letters: T plies of one game,
P positions of a table, S points, V visited moves of all plies together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.position import DRAW, HISTORY, ONGOING, Positions

SCHEMA_VERSION = 1

PER_PLY: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "turn": (np.int8, ()),
    "ply": (np.int16, ()),
    "passes": (np.int8, ()),
    "recent_moves": (np.int16, (HISTORY,)),
    "move": (np.int16, ()),
    "root_value": (np.float32, ()),
    "prior_entropy": (np.float32, ()),
    "is_opening": (np.bool_, ()),
    "is_full_search": (np.bool_, ()),
    "is_resigned": (np.bool_, ()),
    "is_solved": (np.bool_, ()),
}
"""Name, dtype and shape beyond the first axis of the columns a game and a table have in common."""


class RecordError(UserError):
    """A records file is missing, truncated, corrupt, of another kind, or of another game."""


@dataclass(frozen=True)
class GameRecord:
    """One finished game: row t of each array is the position before move t and what was done there."""

    game_id: int  #: unique within a generation
    status: int  #: how the game ended: BLACK_WON, WHITE_WON or DRAW
    stones: NDArray[np.int8]  #: int8[T, S]
    turn: NDArray[np.int8]  #: int8[T]: side to move
    ply: NDArray[np.int16]  #: int16[T]
    passes: NDArray[np.int8]  #: int8[T]: consecutive passes before the position
    recent_moves: NDArray[np.int16]  #: int16[T, HISTORY]: newest first
    move: NDArray[np.int16]  #: int16[T]: the move played
    visit_moves: NDArray[np.int16]  #: int16[V]: moves the search visited, ply after ply
    visit_counts: NDArray[np.int32]  #: int32[V]: their visits, > 0: the policy target before normalising
    visit_offsets: NDArray[np.int32]  #: int32[T + 1]: ply t owns entries offsets[t] to offsets[t + 1]
    root_value: NDArray[np.float32]  #: float32[T]: of the search, for the side to move; NaN without search
    prior_entropy: NDArray[np.float32]  #: float32[T]: nats, of the net's prior; NaN without search
    is_opening: NDArray[np.bool_]  #: bool[T]: a move of a random opening: no search, no policy target
    is_full_search: NDArray[np.bool_]  #: bool[T]: searched with all simulations, not a cheap search
    is_resigned: NDArray[np.bool_]  #: bool[T]: the side to move resigned here, or would have
    is_solved: NDArray[np.bool_]  #: bool[T]: value and policy come from a solver

    def __post_init__(self) -> None:
        num_plies = len(self.move)
        for name, (dtype, tail) in PER_PLY.items():
            column = getattr(self, name)
            if column.dtype != dtype or column.shape != (num_plies, *tail):
                raise ValueError(f"{name} is {column.dtype}{column.shape}, not {dtype} for {num_plies} plies")
        if self.visit_offsets.shape != (num_plies + 1,) or self.visit_offsets[-1] != len(self.visit_moves):
            raise ValueError("visit_offsets do not cover the visited moves")
        if self.status == ONGOING:
            raise ValueError(f"game {self.game_id} is not finished")


@dataclass(frozen=True)
class RecordTable:
    """Positions of many games, one a row; the rows of a game are adjacent and in ply order."""

    game: dict[str, Any]  #: spec of the game, as `Game.spec()`
    game_id: NDArray[np.int32]  #: int32[P]
    status: NDArray[np.int8]  #: int8[P]: how the game ended
    outcome: NDArray[np.int8]  #: int8[P]: 1 won, 0 drawn, -1 lost by the side to move
    stones: NDArray[np.int8]  #: int8[P, S]
    turn: NDArray[np.int8]
    ply: NDArray[np.int16]
    passes: NDArray[np.int8]
    recent_moves: NDArray[np.int16]  #: int16[P, HISTORY]
    move: NDArray[np.int16]
    visit_moves: NDArray[np.int16]  #: int16[V]
    visit_counts: NDArray[np.int32]  #: int32[V]
    visit_offsets: NDArray[np.int64]  #: int64[P + 1]
    root_value: NDArray[np.float32]
    prior_entropy: NDArray[np.float32]
    is_opening: NDArray[np.bool_]
    is_full_search: NDArray[np.bool_]
    is_resigned: NDArray[np.bool_]
    is_solved: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.move)

    def positions(self) -> Positions:
        """The rows as positions of a game that goes on (views where possible)."""
        status = np.full(len(self), ONGOING, np.int8)
        return Positions(self.stones, self.turn, status, self.ply, self.passes, self.recent_moves)

    def select(self, rows: NDArray[np.int64]) -> "RecordTable":
        """The table of the given rows, in their order."""
        lengths = np.diff(self.visit_offsets)[rows]
        offsets = _offsets(lengths)
        entries = np.repeat(self.visit_offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        columns = {name: getattr(self, name)[rows] for name in _row_columns()}
        for name in ("visit_moves", "visit_counts"):
            columns[name] = getattr(self, name)[entries]
        return RecordTable(self.game, **columns, visit_offsets=offsets)


def _row_columns() -> list[str]:
    """Columns with one entry per row, so neither the game nor the visits."""
    return [f.name for f in fields(RecordTable) if f.name != "game" and not f.name.startswith("visit_")]


def _offsets(lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def concatenate(tables: Sequence[RecordTable]) -> RecordTable:
    """One table of all rows of at least one table, all of the same game."""
    names = [*_row_columns(), "visit_moves", "visit_counts"]
    columns = {name: np.concatenate([getattr(table, name) for table in tables]) for name in names}
    offsets = _offsets(np.concatenate([np.diff(table.visit_offsets) for table in tables]))
    return RecordTable(tables[0].game, **columns, visit_offsets=offsets)


def table_of_games(records: Sequence[GameRecord], game: dict[str, Any]) -> RecordTable:
    """The positions of whole games, game after game. `records` may be empty."""
    num_points = int(game["size"]) ** 2
    lengths = [len(record.move) for record in records]
    columns = {
        name: np.concatenate([np.empty((0, *tail), dtype), *(getattr(r, name) for r in records)])
        for name, (dtype, tail) in PER_PLY.items()
    }
    status = np.repeat(np.array([r.status for r in records], np.int8), lengths)
    visit_lengths = [np.diff(r.visit_offsets) for r in records]
    return RecordTable(
        game,
        game_id=np.repeat(np.array([r.game_id for r in records], np.int32), lengths),
        status=status,
        outcome=outcome_for_mover(status, columns["turn"]),
        stones=np.concatenate([np.empty((0, num_points), np.int8), *(r.stones for r in records)]),
        visit_moves=np.concatenate([np.empty(0, np.int16), *(r.visit_moves for r in records)]),
        visit_counts=np.concatenate([np.empty(0, np.int32), *(r.visit_counts for r in records)]),
        visit_offsets=_offsets(np.concatenate([np.empty(0, np.int64), *visit_lengths])),
        **columns,
    )


def outcome_for_mover(status: NDArray[np.int8], turn: NDArray[np.int8]) -> NDArray[np.int8]:
    """int8[P]: 1 where the side to move won the game, -1 where it lost, 0 for a draw."""
    return np.where(status == DRAW, 0, np.where(status == turn, 1, -1)).astype(np.int8)
