"""The data audit: records that break the rules, or would teach the wrong thing, stop the run."""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stonezero.errors import UserError
from stonezero.games.game import Game
from stonezero.games.position import BLACK, ONGOING, WHITE, Positions, copy_rows
from stonezero.games.symmetry import symmetry_tables
from stonezero.records import RecordTable
from stonezero.records.kernels import write_policy_targets
from stonezero.records.schema import outcome_for_mover

CHUNK_ROWS = 4096
SUM_TOLERANCE = 1e-4
"""A target is a sum of up to A float32 shares: rounding stays below A * 2**-24."""


class AuditError(UserError):
    """Records are well-formed but wrong."""


def audit(table: RecordTable, game: Game, path: Path) -> None:
    """Check every row of a shard read from `path`; AuditError names the first bad row and its fault."""

    def require(is_good: ArrayLike, fault: str) -> None:
        _require(table, path, np.arange(len(table)), np.asarray(is_good), fault)

    require((table.turn == BLACK) | (table.turn == WHITE), "no side is to move")
    require(((table.stones >= 0) & (table.stones <= 2)).all(axis=1), "a point has no known content")
    require(_in_range(table.move, game), "the move does not exist")
    require(_all_entries(table, _in_range(table.visit_moves, game)), "a visited move does not exist")
    require(_all_entries(table, table.visit_counts > 0), "a visit count is not positive")
    expected = outcome_for_mover(table.status, table.turn)
    require(table.outcome == expected, "the outcome contradicts the winner and the side to move")
    require(table.is_opening | (np.abs(table.root_value) <= 1), "the root value is not in -1..1")
    for begin in range(0, len(table), CHUNK_ROWS):
        _audit_rules(table, game, path, np.arange(begin, min(begin + CHUNK_ROWS, len(table))))


def _audit_rules(table: RecordTable, game: Game, path: Path, rows: NDArray[np.int64]) -> None:
    """Checks that need the rules, for some adjacent rows."""
    places = np.arange(len(rows))
    positions = copy_rows(table.positions(), slice(rows[0], rows[-1] + 1))
    legal = np.empty((len(rows), game.num_actions), np.uint8)
    game.legal_moves(positions, places, legal)
    targets = _targets(table, game, rows)
    has_sum = np.abs(targets.sum(axis=1) - 1) <= SUM_TOLERANCE
    _require(table, path, rows, legal[places, table.move[rows]] == 1, "the move is illegal")
    _require(table, path, rows, ((targets == 0) | (legal == 1)).all(axis=1), "an illegal move was visited")
    _require(table, path, rows, table.is_opening[rows] | has_sum, "the visits do not add up to one target")
    is_followed = _is_followed(table, game, rows, positions)
    _require(table, path, rows, is_followed, "the move does not lead to the next position or the stated end")


def _targets(table: RecordTable, game: Game, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    targets = np.empty((len(rows), game.num_actions), np.float32)
    visits = (table.visit_moves, table.visit_counts, table.visit_offsets)
    write_policy_targets(*visits, rows, np.zeros(len(rows), np.int64), symmetry_tables(game.size), targets)
    return targets


def _is_followed(
    table: RecordTable, game: Game, rows: NDArray[np.int64], positions: Positions
) -> NDArray[np.bool_]:
    """bool[rows]: the position after the move is the next row's, or the end that the game is said to have."""
    places = np.arange(len(rows))
    legal = np.empty((len(rows), game.num_actions), np.uint8)
    game.play(positions, places, table.move[rows], places, legal)
    following = np.minimum(rows + 1, len(table) - 1)
    is_last = (following == rows) | (table.game_id[following] != table.game_id[rows])
    same = (positions.stones == table.stones[following]).all(axis=1) & (
        positions.turn == table.turn[following]
    )
    goes_on = (positions.status == ONGOING) & same
    ends = (positions.status == ONGOING) | (positions.status == table.status[rows])
    return np.where(is_last, ends, goes_on)


def _in_range(moves: NDArray[np.int16], game: Game) -> NDArray[np.bool_]:
    return (moves >= 0) & (moves < game.num_actions)


def _all_entries(table: RecordTable, is_good: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[P]: whether all visits of a row are good, from bool[V]."""
    num_bad = np.concatenate([[0], np.cumsum(~is_good)])[table.visit_offsets]
    return np.diff(num_bad) == 0


def _require(
    table: RecordTable, path: Path, rows: NDArray[np.int64], is_good: NDArray[np.bool_], fault: str
) -> None:
    if not is_good.all():
        row = rows[np.argmin(is_good)]
        raise AuditError(f"{path}: game {table.game_id[row]}, ply {table.ply[row]}: {fault}")
