"""A search player behind a solver of wins by threats: proven wins are played, losing moves are not."""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Moves, Rows
from stonezero.games.position import NO_MOVE, Positions
from stonezero.players.player import Player
from stonezero.players.search_player import SearchPlayer
from stonezero.solvers.threats import ThreatSolver

THREAT_DEPTH = 4


class ThreatPlayer(Player):
    """Plays a win by threats where one is proven; else searches, and plays no move that is proven to lose.

    Two questions go to the solver for each move, each with its node limit: that bounds its share of the time.
    Where every move is proven to lose, the search alone decides.
    """

    def __init__(self, search: SearchPlayer, solver: ThreatSolver) -> None:
        self.name = search.name
        self._search = search
        self._solver = solver

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        moves = self._solver.prove(positions, rows)
        open_rows = np.flatnonzero(moves == NO_MOVE)
        if len(open_rows):
            allowed = np.array([self._allowed(positions, int(row)) for row in rows[open_rows]])
            moves[open_rows] = self._search.choose_among(positions, rows[open_rows], keys[open_rows], allowed)
        return moves

    def _allowed(self, positions: Positions, row: int) -> NDArray[np.bool_]:
        """bool[A]: the moves that meet what the other side threatens; all where it threatens nothing."""
        blocks = self._solver.must_blocks(positions, row)
        allowed = np.full(positions.stones.shape[1], not blocks)
        allowed[blocks or []] = True
        return allowed
