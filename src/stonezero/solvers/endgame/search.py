"""Principal variation search with a transposition table, down to the positions of `last_squares`.

Moves are tried in the order of what the table remembers, then fastest first: those that leave the opponent
few replies, corners and odd quadrants preferred. A null-window search asks of every move but the first
whether it is better at all (T. A. Marsland, "A review of game-tree pruning", 1986). Before that, a position
is cut off where stable discs, or a reply's bounds in the table ("enhanced transposition cutoff", J. Schaeffer
and A. Plaat, 1996), settle it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.othello_bits import legal_points, turned_discs
from stonezero.jit import inlined_kernel, kernel
from stonezero.lanes import pop_count, trailing_zeros
from stonezero.solvers.endgame import table as entries
from stonezero.solvers.endgame.last_squares import NO_SCORE, final_score, solve_few
from stonezero.solvers.endgame.squares import NUM_SQUARES, ONE, odd_quadrants
from stonezero.solvers.endgame.stability import stable_discs
from stonezero.solvers.endgame.table import NO_SQUARE, UNKNOWN, pack_bounds

FEW_EMPTIES = 6
"""From here on the table costs more than it saves."""

TRANSPOSED_EMPTIES = 9
"""From here upwards replies are looked up in the table before any is searched."""

REPLY_COST, ODD_BONUS, CORNER_BONUS, REMEMBERED_BONUS = 4, 2, 4, 10_000
"""Weights of the order of moves: a reply to a corner costs twice."""


class Memory(NamedTuple):
    """Work space of one search."""

    table: NDArray[np.uint64]  #: uint64[R, 4], see `table.py`
    moves: NDArray[np.int64]  #: int64[65, 64]: moves with their weights, a row for each number of empties
    nodes: NDArray[np.int64]  #: int64[1]: moves tried so far
    playable: np.uint64  #: the squares of the board
    corners: np.uint64  #: its corners


class Window(NamedTuple):
    """What is asked of the root."""

    alpha: int  #: scores up to this one are all alike
    beta: int  #: scores from this one on are all alike
    wants_all: bool  #: score every move, not only the best


@inlined_kernel
def stable_cutoff(opponent: np.uint64, empties: np.uint64, alpha: int, memory: Memory) -> int:
    """An upper bound of the score that is no greater than `alpha`, from stable discs; or -NO_SCORE."""
    total = pop_count(memory.playable)
    if total - 2 * pop_count(opponent) <= alpha:
        most = total - 2 * pop_count(stable_discs(opponent, empties, memory.playable))
        if most <= alpha:
            return most
    return -NO_SCORE


@kernel
def transposed_cutoff(
    own: np.uint64, opponent: np.uint64, legal: np.uint64, beta: int, table: NDArray[np.uint64]
) -> int:
    """A lower bound of the score that is at least `beta`, from replies in the table; or NO_SCORE."""
    while legal:
        square = trailing_zeros(legal)
        legal &= legal - ONE
        turned = turned_discs(own, opponent, square)
        bounds = entries.find(table, opponent ^ turned, own | turned | ONE << np.uint64(square))
        if bounds != UNKNOWN and -entries.upper_bound(bounds) >= beta:
            return -entries.upper_bound(bounds)
    return NO_SCORE


@kernel
def weigh_moves(
    own: np.uint64, opponent: np.uint64, legal: np.uint64, remembered: int, memory: Memory
) -> int:
    """Write the moves `legal`, each as 64 * weight + square, into the row of this number of empties.

    Returns how many there are.
    """
    empties = memory.playable & ~(own | opponent)
    odd = odd_quadrants(empties)
    row = memory.moves[pop_count(empties)]
    num_moves = 0
    while legal:
        square = trailing_zeros(legal)
        there = ONE << np.uint64(square)
        legal ^= there
        turned = turned_discs(own, opponent, square)
        replies = legal_points(opponent ^ turned, own | turned | there, memory.playable)
        weight = -REPLY_COST * (pop_count(replies) + pop_count(replies & memory.corners))
        if there & odd:
            weight += ODD_BONUS
        if there & memory.corners:
            weight += CORNER_BONUS
        if square == remembered:
            weight += REMEMBERED_BONUS
        row[num_moves] = NUM_SQUARES * weight + square
        num_moves += 1
    return num_moves


@inlined_kernel
def take_heaviest(row: NDArray[np.int64], start: int, end: int) -> int:
    """Bring the greatest of row[start:end] to `start` and return its square."""
    heaviest = start
    for i in range(start + 1, end):
        if row[i] > row[heaviest]:
            heaviest = i
    row[start], row[heaviest] = row[heaviest], row[start]
    return row[start] & (NUM_SQUARES - 1)


@kernel
def solve_window(
    own: np.uint64, opponent: np.uint64, empties: np.uint64, window: tuple[int, int], nodes: NDArray[np.int64]
) -> int:
    """As `search`, by null windows: for few empties."""
    alpha, beta = window
    odd = odd_quadrants(empties)
    while True:
        score = solve_few(own, opponent, empties, odd, alpha, nodes)
        if score <= alpha or score >= beta:
            return score
        alpha = score


@kernel
def search(own: np.uint64, opponent: np.uint64, alpha: int, beta: int, memory: Memory) -> int:
    """The score for `own`, to move, where between `alpha` and `beta`; else a bound on that side of them."""
    empties = memory.playable & ~(own | opponent)
    num_empties = pop_count(empties)
    if num_empties <= FEW_EMPTIES:
        return solve_window(own, opponent, empties, (alpha, beta), memory.nodes)
    most = stable_cutoff(opponent, empties, alpha, memory)
    if most <= alpha:
        return most
    legal = legal_points(own, opponent, memory.playable)
    if not legal:
        if not legal_points(opponent, own, memory.playable):
            return final_score(own, opponent, num_empties)
        return -search(opponent, own, -beta, -alpha, memory)

    lower, upper, remembered = -NUM_SQUARES, NUM_SQUARES, NO_SQUARE
    bounds = entries.find(memory.table, own, opponent)
    if bounds != UNKNOWN:
        lower, upper = entries.lower_bound(bounds), entries.upper_bound(bounds)
        remembered = entries.best_square(bounds)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
    if num_empties >= TRANSPOSED_EMPTIES:
        least = transposed_cutoff(own, opponent, legal, beta, memory.table)
        if least >= beta:
            return least

    num_moves = weigh_moves(own, opponent, legal, remembered, memory)
    best, best_square, floor = NO_SCORE, NO_SQUARE, alpha
    for i in range(num_moves):
        square = take_heaviest(memory.moves[num_empties], i, num_moves)
        turned = turned_discs(own, opponent, square)
        left, placed = opponent ^ turned, own | turned | ONE << np.uint64(square)
        memory.nodes[0] += 1
        score = beta
        if i > 0:
            score = -search(left, placed, -floor - 1, -floor, memory)
        if i == 0 or floor < score < beta:
            score = -search(left, placed, -beta, -floor, memory)
        if score > best:
            best, best_square, floor = score, square, max(floor, score)
            if best >= beta:
                break
    if best > alpha:
        lower = best
    if best < beta:
        upper = best
    entries.store(memory.table, own, opponent, pack_bounds(num_empties, lower, upper, best_square))
    return best


@kernel
def search_root(
    own: np.uint64, opponent: np.uint64, window: Window, memory: Memory, scores: NDArray[np.int64]
) -> int:
    """Write scores[square] (int64[64]) of moves and return the best square, NO_SQUARE where `own` must pass.

    The best move's score is that of the position; others have a bound no greater, or are NO_SCORE, unless all
    are wanted.
    """
    scores[:] = NO_SCORE
    legal = legal_points(own, opponent, memory.playable)
    row = memory.moves[pop_count(memory.playable & ~(own | opponent))]
    num_moves = weigh_moves(own, opponent, legal, np.int64(NO_SQUARE), memory)
    best, best_square = NO_SCORE, NO_SQUARE
    for i in range(num_moves):
        square = take_heaviest(row, i, num_moves)
        turned = turned_discs(own, opponent, square)
        left, placed = opponent ^ turned, own | turned | ONE << np.uint64(square)
        memory.nodes[0] += 1
        floor = window.alpha if window.wants_all else max(window.alpha, best)
        score = window.beta
        if i > 0 and not window.wants_all:
            score = -search(left, placed, -floor - 1, -floor, memory)
        if i == 0 or window.wants_all or floor < score < window.beta:
            score = -search(left, placed, -window.beta, -floor, memory)
        scores[square] = score
        if score > best:
            best, best_square = score, square
            if best >= window.beta and not window.wants_all:
                break
    return best_square
