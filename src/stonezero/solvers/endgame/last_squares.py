"""Positions with few empty squares, by null-window search without a table.

`solve_2`, `solve_3` and `solve_few` say whether the side to move gets more than `alpha`: what they return is
a lower bound of the score if greater than `alpha`, else an upper bound ("fail-soft"). Scores are disc
differences for the side to move, empty squares counted for the winner. The opponent's view of the window
above `alpha` is the one above ~alpha, which is -alpha - 1. Each function looks at most twice: where `own`
cannot move, it passes. All of them count in nodes[0] the moves they try.

Squares of quadrants with an odd number of empty squares come first: the side that fills a region gains.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.othello_bits import WIDTH, turned_discs
from stonezero.jit import inlined_kernel, kernel
from stonezero.lanes import pop_count, trailing_zeros
from stonezero.solvers.endgame.squares import FALLING, NEIGHBOURS, ONE, QUADRANTS, RISING

NO_SCORE = -100
"""Lower than any score."""

FIRST_ROW = np.uint64(0xFF)
FIRST_COLUMN = np.uint64(0x0101_0101_0101_0101)
COLUMN_TO_ROW = np.uint64(0x0102_0408_1020_4080)
"""A word within `FIRST_COLUMN` times this has the column, top first, in its last row."""
LAST_ROW = np.uint64(56)  #: where the last row begins


def turned_on_full_lines() -> NDArray[np.int8]:
    """int8[8, 256]: twice what a disc turns at each place of a line whose other places are full.

    The second index is the set of own discs on the line; all other discs are the opponent's. Places outside
    the board may be given as the opponent's: with no own disc behind them nothing turns.
    """
    table = np.zeros((WIDTH, 256), np.int8)
    for place in range(WIDTH):
        for own in range(256):
            for step in (-1, 1):
                end = place + step
                while 0 <= end < WIDTH and not own >> end & 1:
                    end += step
                if 0 <= end < WIDTH:
                    table[place, own] += 2 * (abs(end - place) - 1)
    return table


TURNED_TWICE = turned_on_full_lines()


@inlined_kernel
def final_score(own: np.uint64, opponent: np.uint64, num_empties: int) -> int:
    """The score where neither side can move."""
    lead = pop_count(own) - pop_count(opponent)
    if lead > 0:
        return lead + num_empties
    if lead < 0:
        return lead - num_empties
    return lead


@inlined_kernel
def last_turned_twice(own: np.uint64, square: int) -> int:
    """Twice the discs that `own` turns with the last empty square of the board."""
    row, column = square >> 3, square & 7
    rank = own >> np.uint64(square & 56) & FIRST_ROW
    file = (own >> np.uint64(column) & FIRST_COLUMN) * COLUMN_TO_ROW >> LAST_ROW
    falling = (own & FALLING[square]) * FIRST_COLUMN >> LAST_ROW
    rising = (own & RISING[square]) * FIRST_COLUMN >> LAST_ROW
    sideways = TURNED_TWICE[column, rank] + TURNED_TWICE[row, file]
    return sideways + TURNED_TWICE[column, falling] + TURNED_TWICE[column, rising]


@inlined_kernel
def solve_1(own: np.uint64, opponent: np.uint64, square: int) -> int:
    """The score with one empty square."""
    lead = pop_count(own) - pop_count(opponent)
    turned = last_turned_twice(own, square)
    if turned:
        return lead + turned + 1
    turned = last_turned_twice(opponent, square)
    if turned:
        return lead - turned - 1
    return lead + 1 if lead > 0 else lead - 1  # it is odd


@kernel
def solve_2(
    own: np.uint64, opponent: np.uint64, first: int, second: int, alpha: int, nodes: NDArray[np.int64]
) -> int:
    """Two empty squares; see the top of this file."""
    for sign in (1, -1):
        best = NO_SCORE
        for square, other in ((first, second), (second, first)):
            if NEIGHBOURS[square] & opponent:
                turned = turned_discs(own, opponent, square)
                if turned:
                    nodes[0] += 1
                    placed = own | turned | ONE << np.uint64(square)
                    best = max(best, -solve_1(opponent ^ turned, placed, other))
                    if best > alpha:
                        return sign * best
        if best != NO_SCORE:
            return sign * best
        own, opponent, alpha = opponent, own, ~alpha
    return final_score(own, opponent, 2)


@kernel
def solve_3(
    own: np.uint64,
    opponent: np.uint64,
    empties: np.uint64,
    odd: np.uint64,
    alpha: int,
    nodes: NDArray[np.int64],
) -> int:
    """Three empty squares; see the top of this file."""
    first = trailing_zeros(empties & odd)
    pair = empties ^ ONE << np.uint64(first)
    second, third = trailing_zeros(pair), trailing_zeros(pair & (pair - ONE))
    for sign in (1, -1):
        best = NO_SCORE
        for square, x, y in ((first, second, third), (second, first, third), (third, first, second)):
            if NEIGHBOURS[square] & opponent:
                turned = turned_discs(own, opponent, square)
                if turned:
                    nodes[0] += 1
                    placed = own | turned | ONE << np.uint64(square)
                    best = max(best, -solve_2(opponent ^ turned, placed, x, y, ~alpha, nodes))
                    if best > alpha:
                        return sign * best
        if best != NO_SCORE:
            return sign * best
        own, opponent, alpha = opponent, own, ~alpha
    return final_score(own, opponent, 3)


@kernel
def solve_few(
    own: np.uint64,
    opponent: np.uint64,
    empties: np.uint64,
    odd: np.uint64,
    alpha: int,
    nodes: NDArray[np.int64],
) -> int:
    """Any number of empty squares, in no order but that of parity; `odd` as `odd_quadrants` says."""
    num_empties = pop_count(empties)
    for sign in (1, -1):
        best = NO_SCORE
        for part in (empties & odd, empties & ~odd):
            while part:
                square = trailing_zeros(part)
                part &= part - ONE
                if NEIGHBOURS[square] & opponent:
                    turned = turned_discs(own, opponent, square)
                    if turned:
                        nodes[0] += 1
                        there = ONE << np.uint64(square)
                        left, placed = opponent ^ turned, own | turned | there
                        empty, parity = empties ^ there, odd ^ QUADRANTS[square]
                        if num_empties == 4:
                            score = -solve_3(left, placed, empty, parity, ~alpha, nodes)
                        else:
                            score = -solve_few(left, placed, empty, parity, ~alpha, nodes)
                        best = max(best, score)
                        if best > alpha:
                            return sign * best
        if best != NO_SCORE:
            return sign * best
        own, opponent, alpha = opponent, own, ~alpha
    return final_score(own, opponent, num_empties)
