"""Constant masks of squares on the 8 x 8 words of `games.othello_bits`.

Smaller boards lie in the middle of the 8 x 8 squares here, so that the quadrants are theirs, too.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.othello_bits import WIDTH
from stonezero.jit import kernel
from stonezero.lanes import pop_count

NOTHING = np.uint64(0)
ONE = np.uint64(1)
NUM_SQUARES = WIDTH * WIDTH
QUARTERS = np.array([0x0F0F_0F0F << shift for shift in (0, 4, 32, 36)], np.uint64)
"""uint64[4]: the quadrants."""


def squares_where(is_in: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """uint64[64]: for each square the set of squares that row of bool[64, 64] names."""
    bits = np.uint64(1) << np.arange(NUM_SQUARES, dtype=np.uint64)
    return (is_in * bits).sum(axis=1, dtype=np.uint64)


ROWS, COLUMNS = np.divmod(np.arange(NUM_SQUARES), WIDTH)
DOWN, RIGHT = ROWS[None] - ROWS[:, None], COLUMNS[None] - COLUMNS[:, None]

NEIGHBOURS = squares_where((np.abs(DOWN) <= 1) & (np.abs(RIGHT) <= 1) & ((DOWN != 0) | (RIGHT != 0)))
"""uint64[64]: the squares next to each square."""

FALLING = squares_where(DOWN == RIGHT)
RISING = squares_where(DOWN == -RIGHT)
"""uint64[64]: the diagonals through each square."""

QUADRANTS = squares_where(
    (ROWS[None] // 4 == ROWS[:, None] // 4) & (COLUMNS[None] // 4 == COLUMNS[:, None] // 4)
)
"""uint64[64]: the quadrant in which each square lies."""


@kernel
def odd_quadrants(empties: np.uint64) -> np.uint64:
    """All squares of the quadrants that hold an odd number of `empties`."""
    odd = NOTHING
    for i in range(4):
        if pop_count(empties & QUARTERS[i]) & 1:
            odd |= QUARTERS[i]
    return odd
