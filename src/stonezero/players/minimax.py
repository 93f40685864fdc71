"""`minimax:depth=N`, an anchor: alpha-beta to a fixed depth with a hand-written evaluation. It never changes.

Evaluations, move order and departures are documented in `minimax_othello` and `minimax_gomoku`. Among equally
good moves one is drawn at random.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, Moves, Rows
from stonezero.games.gomoku import Gomoku
from stonezero.games.position import Positions
from stonezero.players import minimax_gomoku, minimax_othello
from stonezero.players.greedy import rules_of
from stonezero.players.keys import keys_of_plies
from stonezero.players.player import Player

MAX_DEPTH = {"othello": 8, "gomoku": 6}
DEFAULT_DEPTH = 4


class MinimaxPlayer(Player):
    """Searches each position to `depth` plies, 1 up to MAX_DEPTH of the game."""

    def __init__(self, name: str, game: Game, depth: int) -> None:
        self.name = name
        self._depth = depth
        self._work: minimax_gomoku.GomokuWork | minimax_othello.OthelloWork
        if isinstance(game, Gomoku):
            self._work = minimax_gomoku.make_work(rules_of(game), depth)
            self._choose_batch = minimax_gomoku.choose_gomoku_batch
        else:
            self._work = minimax_othello.make_work(game.size, depth)
            self._choose_batch = minimax_othello.choose_othello_batch

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        moves = np.zeros(len(rows), np.int16)
        keys = keys_of_plies(keys, positions.ply[rows])
        self._choose_batch(self._work, positions, rows, self._depth, keys, moves)
        return moves
