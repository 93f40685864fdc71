"""The transposition table: what is known of positions met before.

uint64[R, 4], R a power of two: own, opponent, bounds, and one word unused, so that two entries are a cache
line. A position may lie in either entry of one pair. The first keeps the position with more empty squares,
whose search cost more; the second what came last.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import inlined_kernel, kernel

Table = NDArray[np.uint64]

NO_SQUARE = 64
UNKNOWN = -1
"""In place of the bounds of a position that is not in the table."""

OWN, OPPONENT, BOUNDS, NUM_WORDS = 0, 1, 2, 4
MIX_OWN = np.uint64(0x9E37_79B9_7F4A_7C15)
MIX_OPPONENT = np.uint64(0xC2B2_AE3D_27D4_EB4F)
MIX_BOTH = np.uint64(0xD6E8_FEB8_6659_FD93)
HALF = np.uint64(32)


def new_table(num_rows: int) -> Table:
    """An empty table; `num_rows` is a power of two, at least 2."""
    return np.zeros((num_rows, NUM_WORDS), np.uint64)


@inlined_kernel
def pack_bounds(num_empties: int, lower: int, upper: int, best_square: int) -> int:
    """One number (of 32 bits) of what is known of a position: `lower` <= score <= `upper`."""
    return num_empties << 24 | (lower + 128) << 16 | (upper + 128) << 8 | best_square


@inlined_kernel
def lower_bound(bounds: int) -> int:
    """A score that the position has at least."""
    return (bounds >> 16 & 255) - 128


@inlined_kernel
def upper_bound(bounds: int) -> int:
    """A score that the position has at most."""
    return (bounds >> 8 & 255) - 128


@inlined_kernel
def best_square(bounds: int) -> int:
    """The move that was best, or refuted the position."""
    return bounds & 255


@inlined_kernel
def first_row(table: Table, own: np.uint64, opponent: np.uint64) -> np.int64:
    """The first row of the pair where the position may lie."""
    mixed = own * MIX_OWN ^ opponent * MIX_OPPONENT
    mixed = (mixed ^ mixed >> HALF) * MIX_BOTH
    return np.int64((mixed ^ mixed >> HALF) & np.uint64(len(table) - 2))


@kernel
def find(table: Table, own: np.uint64, opponent: np.uint64) -> np.int64:
    """The packed bounds of a position, or UNKNOWN."""
    first = first_row(table, own, opponent)
    for row in range(first, first + 2):
        if table[row, OWN] == own and table[row, OPPONENT] == opponent:
            return np.int64(table[row, BOUNDS])
    return np.int64(UNKNOWN)


@kernel
def store(table: Table, own: np.uint64, opponent: np.uint64, bounds: int) -> None:
    """Note the bounds of a position in place of older ones, or of another position."""
    first = first_row(table, own, opponent)
    row = first + 1
    if table[first, OWN] == own and table[first, OPPONENT] == opponent:
        row = first
    elif np.int64(table[first, BOUNDS]) >> 24 <= bounds >> 24:
        for word in range(BOUNDS + 1):
            table[first + 1, word] = table[first, word]
        row = first
    table[row, OWN] = own
    table[row, OPPONENT] = opponent
    table[row, BOUNDS] = np.uint64(bounds)
