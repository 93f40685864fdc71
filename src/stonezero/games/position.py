"""Batches of positions as arrays, shared by all games, and the named constants of a position.

Axis letters: P positions, S points of the board (row by row from the top left), A actions
(the points, then the pass where the game has one).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

EMPTY, BLACK, WHITE = 0, 1, 2
"""Contents of a point. BLACK and WHITE also name the sides."""

ONGOING, BLACK_WON, WHITE_WON, DRAW = 0, 1, 2, 3
"""Status of a position. BLACK_WON == BLACK and WHITE_WON == WHITE: a winner is stored as a colour."""

NO_MOVE = -1
HISTORY = 8
"""How many recent moves a position remembers (for history planes)."""


class Positions(NamedTuple):
    """Positions as C-contiguous arrays; row p of each array belongs to one position."""

    stones: NDArray[np.int8]  #: int8[P, S]: EMPTY, BLACK or WHITE
    turn: NDArray[np.int8]  #: int8[P]: side to move, BLACK or WHITE (kept alternating when the game is over)
    status: NDArray[np.int8]  #: int8[P]: ONGOING, BLACK_WON, WHITE_WON or DRAW
    ply: NDArray[np.int16]  #: int16[P]: moves played so far, passes included
    passes: NDArray[np.int8]  #: int8[P]: consecutive passes that end the move list
    recent_moves: NDArray[np.int16]  #: int16[P, HISTORY]: newest first, NO_MOVE where there is none


def allocate_positions(num_positions: int, num_points: int) -> Positions:
    """Empty boards with Black to move; games set up their start position on top."""
    return Positions(
        stones=np.zeros((num_positions, num_points), np.int8),
        turn=np.full(num_positions, BLACK, np.int8),
        status=np.zeros(num_positions, np.int8),
        ply=np.zeros(num_positions, np.int16),
        passes=np.zeros(num_positions, np.int8),
        recent_moves=np.full((num_positions, HISTORY), NO_MOVE, np.int16),
    )


def copy_rows(positions: Positions, rows: NDArray[np.int64] | slice) -> Positions:
    """New arrays with these rows, in this order."""
    return Positions._make(field[rows].copy() for field in positions)
