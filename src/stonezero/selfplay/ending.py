"""Games that end before the rules end them: resignations, and boards on which nobody can win any more.

A side resigns when the search finds no move worth more than the threshold, for so many searches of both
sides in a row as asked for. Some games (control games) are played on all the same: they tell how often a
side that would have resigned did not lose, and keep hopeless positions among the training data.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stonezero.games.position import BLACK
from stonezero.records.schema import RecordTable

NOBODY = 0


@dataclass
class ResignWatch:
    """Follows one game, search by search."""

    threshold: float  #: -1..0; -1 never resigns
    plies: int  #: searches in a row that must agree, >= 1
    _loser: int = NOBODY
    _agreeing: int = 0

    def sees_resignation(self, turn: int, best_value: float) -> bool:
        """Whether the side to move, whose best move is worth `best_value` to it, should resign now."""
        loser = NOBODY
        if best_value < self.threshold:
            loser = turn
        elif best_value > -self.threshold:
            loser = 3 - turn
        self._agreeing = self._agreeing + 1 if loser == self._loser else 1
        self._loser = loser
        return loser == turn and self._agreeing >= self.plies


def best_value(visits: NDArray[np.int32], values: NDArray[np.float32]) -> float:
    """The highest mean value, float32[A], among moves with visits, int32[A]."""
    return float(values[visits > 0].max())


def resign_figures(table: RecordTable, num_control_games: int) -> dict[str, float]:
    """Resignations of a generation whose first games, `num_control_games` of them, were played on.

    A false resignation is a control game that was not lost by the side that would have resigned; their rate
    is given where any side would have.
    """
    rows = np.flatnonzero(table.is_resigned)
    is_control = table.game_id[rows] < num_control_games
    measured = rows[is_control]
    num_false = int((table.outcome[measured] >= 0).sum())
    figures = {
        "resigned_games": float((~is_control).sum()),
        "resign_control_games": float(num_control_games),
        "resign_measured_games": float(len(measured)),
        "false_resignations": float(num_false),
    }
    if len(measured):
        figures["false_resignation_rate"] = num_false / len(measured)
    return figures


def winning_windows(size: int, k: int) -> NDArray[np.int64]:
    """int64[W, k]: the points of every k in a row on a size x size board."""
    points = np.arange(size * size).reshape(size, size)
    windows = []
    for board in (points, points.T):
        windows += [board[y, x : x + k] for y in range(size) for x in range(size - k + 1)]
    for board in (points, points[:, ::-1]):
        windows += [
            board[range(y, y + k), range(x, x + k)] for y in range(size - k + 1) for x in range(size - k + 1)
        ]
    return np.array(windows, np.int64)


def is_dead_draw(stones: NDArray[np.int8], windows: NDArray[np.int64]) -> bool:
    """Whether every k in a row holds stones of both sides already; stones int8[S]."""
    contents = stones[windows]
    return bool(((contents == BLACK).any(axis=1) & (contents == 3 - BLACK).any(axis=1)).all())
