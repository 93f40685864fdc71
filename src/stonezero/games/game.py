"""The rules interface: what every game offers to search, self-play and players."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from stonezero.games.position import Positions

Rows = NDArray[np.int64]
Moves = NDArray[np.int16]
Keys = NDArray[np.uint64]
LegalMask = NDArray[np.uint8]


class Game(ABC):
    """One game on one board under one rule set. All methods are batched over rows of `Positions`.

    Methods trust their callers (moves are legal, rows are in range): `stonezero.Board` is the face
    that checks. Every array is C-contiguous with exactly the stated dtype.
    """

    name: str  #: "gomoku" or "othello"
    size: int  #: the board is size x size
    num_points: int  #: S = size * size
    num_actions: int  #: A: the points, then the pass where the game has one
    has_pass: bool
    max_plies: int  #: no game is longer

    @property
    def pass_move(self) -> int:
        """Index of the pass, `num_points`; only meaningful where `has_pass`."""
        return self.num_points

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.spec() == other.spec()

    def __hash__(self) -> int:
        return hash(tuple(self.spec().values()))

    @abstractmethod
    def spec(self) -> dict[str, str | int]:
        """What fixes the rules, JSON-ready: `make_game(**spec)` gives an equal game."""

    @abstractmethod
    def new_positions(self, num_positions: int) -> Positions:
        """Start positions."""

    @abstractmethod
    def status_of(self, positions: Positions, row: int) -> int:
        """The status that stones, turn and last move give to a position that was set up, not played.

        The last move, recent_moves[row, 0], may be NO_MOVE; it matters only under renju (whether Black's last
        stone was forbidden). Raises UserError where both sides have won.
        """

    def last_mover(self, positions: Positions, row: int) -> int:
        """The side whose move has ended a game that is won: the winner, unless a move can lose."""
        return int(positions.status[row])

    def forbidden_moves(self, positions: Positions, row: int) -> list[int]:
        """The moves by which the side to move loses at once, in rising order; they are legal all the same."""
        return []

    @abstractmethod
    def play(
        self, positions: Positions, parents: Rows, moves: Moves, children: Rows, legal: LegalMask
    ) -> None:
        """Write into row children[b] the position after moves[b] in row parents[b].

        Writes legal[b] for the new position, as `legal_moves` does.
        A child row may be its own parent's row (play in place).
        """

    @abstractmethod
    def legal_moves(self, positions: Positions, rows: Rows, legal: LegalMask) -> None:
        """Write legal[b, a] = 1 for each legal move of row rows[b], else 0; all 0 once the game is over.

        A pass is legal only where it is forced, and is then the only legal move.
        """

    @abstractmethod
    def rollout(self, positions: Positions, rows: Rows, keys: Keys, values: NDArray[np.float32]) -> None:
        """Play uniformly random moves from each row to the end of the game.

        Writes values[b] = 1, 0 or -1 for the side to move at rows[b]. The game played depends on keys[b]
        and the position alone. `positions` stays as it is.
        """
