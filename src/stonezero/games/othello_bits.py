"""Othello's rules on two 64-bit words: the discs of the side to move, `own`, and those of its `opponent`.

Point (row, column) is bit 8 * row + column, on smaller boards, too: they lie in the upper left corner, and
points outside are neither side's. Nothing here allocates; kernels of any part of the package may call it.

The four lanes are the directions along a row, along a column and along both diagonals. Discs that lie above
a square in bit order are found by a carry, those below by smearing, all directions of a kind at once; legal
moves by parallel prefix ("Kogge-Stone") fills. (Both are old tricks of chess programmers:
chessprogramming.org, "Fill Algorithms" and "Hyperbola Quintessence".)
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import inlined_kernel, kernel
from stonezero.lanes import NUM_LANES, Lanes, LaneTable, lane_kernel

WIDTH = 8  #: bits of a row
STEPS = np.array([1, WIDTH, WIDTH + 1, WIDTH - 1], np.uint64)
"""uint64[4]: how many bits apart neighbours are, per lane."""

BOARD = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
INNER_COLUMNS = np.uint64(0x7E7E_7E7E_7E7E_7E7E)
CROSSABLE = np.array([INNER_COLUMNS, BOARD, INNER_COLUMNS, INNER_COLUMNS], np.uint64)
"""uint64[4]: where a run of discs to turn may pass without wrapping round the edge, per lane."""


def playable_points(size: int) -> np.uint64:
    """The points of a board of up to 8 x 8."""
    return np.uint64(sum(1 << WIDTH * row + column for row in range(size) for column in range(size)))


def rays(sign: int) -> NDArray[np.uint64]:
    """uint64[64, 4]: the points seen from each square along each lane, towards higher bits for sign 1."""
    result = np.zeros((WIDTH * WIDTH, NUM_LANES), np.uint64)
    for square in range(WIDTH * WIDTH):
        for lane, (down, right) in enumerate([(0, 1), (1, 0), (1, 1), (1, -1)]):
            row, column = square // WIDTH + sign * down, square % WIDTH + sign * right
            while 0 <= row < WIDTH and 0 <= column < WIDTH:
                result[square, lane] |= np.uint64(1 << WIDTH * row + column)
                row, column = row + sign * down, column + sign * right
    return result


RAYS_UP = LaneTable("rays_up", rays(1))
RAYS_DOWN = LaneTable("rays_down", rays(-1))


@lane_kernel
def turned_discs(own: Lanes, opponent: Lanes, square: Lanes) -> Lanes:
    """The opponent's discs that a disc of `own` on the empty `square` (0 to 63) turns: 0 is illegal."""
    up, down = RAYS_UP[square], RAYS_DOWN[square]
    stops = ~opponent & up
    bracket = stops & -stops & own  # the nearest point that is not the opponent's, if it is own
    turned_up = (bracket + bracket.ones_where_set()) & up

    hidden = (~opponent & down) >> STEPS  # what lies behind a point that is not the opponent's
    hidden = hidden | hidden >> STEPS
    hidden = hidden | hidden >> 2 * STEPS
    hidden = hidden | hidden >> 4 * STEPS
    bracket = own & down & ~hidden
    return turned_up | -(bracket + bracket) & down


@lane_kernel
def reachable(own: Lanes, opponent: Lanes) -> Lanes:
    """The points behind runs of the opponent's discs, seen from own ones; the empty ones are legal."""
    crossable = opponent & CROSSABLE
    up = crossable & own << STEPS
    up = up | crossable & up << STEPS
    pairs = crossable & crossable << STEPS
    up = up | pairs & up << 2 * STEPS
    up = up | pairs & up << 2 * STEPS

    down = crossable & own >> STEPS
    down = down | crossable & down >> STEPS
    pairs = pairs >> STEPS
    down = down | pairs & down >> 2 * STEPS
    down = down | pairs & down >> 2 * STEPS
    return up << STEPS | down >> STEPS


@inlined_kernel
def legal_points(own: np.uint64, opponent: np.uint64, playable: np.uint64) -> np.uint64:
    """The points of `playable` where `own` may put a disc ; 0: it must pass."""
    return reachable(own, opponent) & playable & ~(own | opponent)


@kernel
def pack_discs(stones: NDArray[np.int8], row: int, size: int, side: int) -> np.uint64:
    """uint64: the discs of `side` in stones[row] (int8[P, S]), a board of up to 8 x 8."""
    discs = np.uint64(0)
    for point in range(size * size):
        if stones[row, point] == side:
            discs |= np.uint64(1) << np.uint64(WIDTH * (point // size) + point % size)
    return discs
