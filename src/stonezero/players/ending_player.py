"""A player that solves the Othello endings it reaches, and asks another player until then."""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, Moves, Rows
from stonezero.games.position import EMPTY, Positions
from stonezero.players.player import Player
from stonezero.solvers.endgame import EndgameSolver

MOST_EMPTIES = 20
"""What a player may be told to solve: some seconds a move at most, where a few more would be minutes."""


class EndingPlayer(Player):
    """Plays a move of the highest exact score from `num_empties` empty points on."""

    def __init__(self, player: Player, game: Game, num_empties: int) -> None:
        """Raises EndgameError for a game that has no endgame solver."""
        self.name = player.name
        self._player = player
        self._solver = EndgameSolver(game)
        self._num_empties = num_empties

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        is_ending = np.count_nonzero(positions.stones[rows] == EMPTY, axis=1) <= self._num_empties
        moves = np.empty(len(rows), np.int16)
        for i in np.flatnonzero(is_ending):
            row = rows[i]
            moves[i] = self._solver.solve(positions.stones[row], int(positions.turn[row])).move
        others = np.flatnonzero(~is_ending)
        if len(others):
            known = None if lines is None else lines[others]
            moves[others] = self._player.choose(positions, rows[others], keys[others], known)
        return moves
