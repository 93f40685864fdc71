"""Endings of self-play games that a solver plays out, so that their results and targets are exact."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game
from stonezero.games.position import EMPTY
from stonezero.solvers.endgame import EndgameSolver


class SolvedPosition(NamedTuple):
    """What is true of a position when both sides play their best."""

    best_moves: NDArray[np.int16]  #: int16[V]: the moves of the highest exact score
    visits: NDArray[np.int32]  #: int32[V]: one each, the policy target before normalising
    value: float  #: of the game for the side to move: 1, 0 or -1


class SolvedEndings:
    """Knows all about positions of Othello with few empty points."""

    def __init__(self, game: Game, num_empties: int) -> None:
        """From `num_empties` empty points on, at least 1. EndgameError for games without a solver."""
        self._solver = EndgameSolver(game)
        self._num_empties = num_empties

    def look_up(self, stones: NDArray[np.int8], side: int) -> SolvedPosition | None:
        """Solve stones int8[S] with `side` to move, the game not over; None with more empty points."""
        if np.count_nonzero(stones == EMPTY) > self._num_empties:
            return None
        scores = self._solver.score_moves(stones, side)
        best = np.flatnonzero(scores == scores.max()).astype(np.int16)
        return SolvedPosition(best, np.ones(len(best), np.int32), float(np.sign(scores.max())))
