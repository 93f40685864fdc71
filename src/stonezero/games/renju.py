"""Renju's forbidden points: what a black stone makes, after the Renju International Federation's rule 9.

- *Five*: exactly five in a row. It wins, whatever else the same stone makes.
- *Overline*: six or more in a row.
- *Four*: four stones that one more stone makes a five. A *straight* four becomes one at either end. One line
  can hold two fours (X_XXX_X); the two ways of a straight four count as one.
- *Three*: three stones that one more stone makes a straight four, where that stone makes no five and is not
  forbidden itself: whether it is gets judged by these same rules, with the stone in question on the board.
- An overline, two fours or two threes at once are forbidden.

A line through a stone is read as two sets of eleven bits, bit 5 being the stone: whatever takes part in a
five or a straight four with it, and what bounds that, lies within five points.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.position import BLACK, EMPTY
from stonezero.jit import kernel

ALLOWED, FIVE, OVERLINE, DOUBLE_FOUR, DOUBLE_THREE = 0, 1, 2, 3, 4
"""What `judge_black` says; from OVERLINE on the stone is forbidden."""

NUM_LINES = 4
REACH = 5
CENTRE = 1 << REACH
WIDTH = 2 * REACH + 1
LINE_BITS = (1 << WIDTH) - 1
FOUR_BITS, FIVE_BITS = 0b1111, 0b11111


@kernel
def read_line(
    stones: NDArray[np.int8], row: int, point: int, row_step: int, column_step: int, size: int
) -> int:
    """Black stones (bits 0..10) and empty points (bits 11..21) of a line; off the board neither."""
    y = point // size - REACH * row_step
    x = point % size - REACH * column_step
    bits = 0
    for offset in range(WIDTH):
        if 0 <= y < size and 0 <= x < size:
            stone = stones[row, y * size + x]
            if stone == BLACK:
                bits |= 1 << offset
            elif stone == EMPTY:
                bits |= 1 << (offset + WIDTH)
        y += row_step
        x += column_step
    return bits


@kernel
def run_length(black: int) -> int:
    """Stones in a row through bit 5."""
    length = 1
    bit = CENTRE << 1
    while black & bit:
        length += 1
        bit <<= 1
    bit = CENTRE >> 1
    while black & bit:
        length += 1
        bit >>= 1
    return length


@kernel
def five_points(black: int, empty: int) -> int:
    """The empty points that make an exact five with bit 5, as bits."""
    points = 0
    for low in range(1, REACH + 1):
        five = FIVE_BITS << low
        bounds = (1 << (low - 1)) | (1 << (low + 5))
        missing = five & ~black
        if missing & (missing - 1) == 0 and missing & empty == missing and black & bounds == 0:
            points |= missing
    return points


@kernel
def straight_four_points(black: int, empty: int) -> int:
    """The empty points that make a straight four with bit 5, as bits."""
    points = 0
    for low in range(2, REACH + 1):
        ends = (1 << (low - 1)) | (1 << (low + 4))
        bounds = (1 << (low - 2)) | (1 << (low + 5))
        missing = (FOUR_BITS << low) & ~black
        if missing == 0 or missing & (missing - 1) != 0 or missing & empty == 0:
            continue
        if empty & ends == ends and black & bounds == 0:
            points |= missing
    return points


@kernel
def judge_lines(stones: NDArray[np.int8], row: int, point: int, size: int) -> tuple[int, int]:
    """What the black stone on `point` makes, double threes left out, and where it may have threes.

    The second number has 11 bits a line, one for each point where a stone would make a straight four.
    """
    has_overline = False
    num_fours = 0
    threes = 0
    for line in range(NUM_LINES):
        row_step = 0 if line == 0 else 1
        bits = read_line(stones, row, point, row_step, 1 if line == 0 else line - 2, size)
        black, empty = bits & LINE_BITS, bits >> WIDTH
        length = run_length(black)
        if length == 5:
            return FIVE, 0
        if length > 5:
            has_overline = True
        ways = five_points(black, empty)
        if ways:
            is_one_four = length == 4 or ways & (ways - 1) == 0
            num_fours += 1 if is_one_four else 2
        else:
            threes |= straight_four_points(black, empty) << (WIDTH * line)
    if has_overline:
        return OVERLINE, 0
    return DOUBLE_FOUR if num_fours >= 2 else ALLOWED, threes


@kernel
def judge_black(stones: NDArray[np.int8], row: int, point: int, size: int) -> int:
    """What the black stone on `point`, put last, makes: ALLOWED, FIVE, OVERLINE, DOUBLE_FOUR or DOUBLE_THREE.

    `stones` is changed on the way and left as it was.
    """
    verdict, threes = judge_lines(stones, row, point, size)
    if verdict != ALLOWED:
        return verdict
    num_threes = 0
    for line in range(NUM_LINES):
        if num_threes == 0 and threes >> (WIDTH * (line + 1)) == 0:
            return ALLOWED  # no second line is left
        step = 1 if line == 0 else size + line - 2
        for offset in range(WIDTH):
            if threes & (1 << (WIDTH * line + offset)):
                last = point + (offset - REACH) * step
                stones[row, last] = BLACK
                becomes_straight_four = judge_black(stones, row, last, size) == ALLOWED
                stones[row, last] = EMPTY
                if becomes_straight_four:
                    num_threes += 1
                    break
        if num_threes == 2:
            return DOUBLE_THREE
    return ALLOWED


@kernel
def mark_forbidden(stones: NDArray[np.int8], row: int, size: int, kinds: NDArray[np.int8]) -> None:
    """Write kinds (int8[S]): OVERLINE, DOUBLE_FOUR, DOUBLE_THREE on points forbidden for Black, else ALLOWED.

    `stones` is changed on the way and left as it was.
    """
    for point in range(stones.shape[1]):
        kinds[point] = ALLOWED
        if stones[row, point] == EMPTY:
            stones[row, point] = BLACK
            kind = judge_black(stones, row, point, size)
            stones[row, point] = EMPTY
            if kind >= OVERLINE:
                kinds[point] = kind
