"""Alpha-beta search for Othello on any board: the kernels of `minimax`. Version 1: they never change.

A finished game is worth WIN plus the difference in discs. Any other position is worth, for the side to move
(own minus the opponent's, in each term):

    mobility    8 for each legal move
    corners    40 for each corner held, -20 for each disc diagonally beside an empty corner
    stability  15 for each disc of the corner's colour in a row from a corner along one of its edges
    parity      5 where the number of empty squares is odd (the side to move has the last move), else -5

A pass takes one ply of the depth. Moves are tried in a fixed order: corners, edges, the middle, then the
squares that give a corner away.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Keys, Moves, Rows
from stonezero.games.othello import OUTSIDE, Layout, capture, load_board, make_layout, mark_captures
from stonezero.games.position import EMPTY, Positions
from stonezero.games.random import next_state, random_below
from stonezero.jit import kernel

WIN = 10_000
INFINITY = 1_000_000
ALPHA, BETA, BEST, NEXT = 0, 1, 2, 3  #: columns of a frame
PASS = -1
MOBILITY, CORNER, BESIDE_CORNER, STABLE, PARITY = 8, 40, -20, 15, 5


class OthelloWork(NamedTuple):
    """Tables and work space of the search."""

    layout: Layout
    order: NDArray[np.int64]  #: int64[S]: points, those tried first come first
    corners: NDArray[np.int64]  #: int64[4, 3]: square of a corner, steps along its two edges
    boards: NDArray[np.int8]  #: int8[D + 2, (n + 2) ** 2]: the bordered board at each level
    legal: NDArray[np.uint8]  #: uint8[D + 2, A]
    frames: NDArray[np.int64]  #: int64[D + 2, 4]: window, best value and next move to try at each level


def make_work(size: int, depth: int) -> OthelloWork:
    """Work space for searches of `depth` plies on a `size` x `size` board."""
    stride, last = size + 2, size - 1
    corners = [
        (y * stride + x, stride if y == 1 else -stride, 1 if x == 1 else -1)
        for y in (1, size)
        for x in (1, size)
    ]

    def rank(point: int) -> tuple[int, int]:
        y, x = divmod(point, size)
        to_edge = sorted((min(y, last - y), min(x, last - x)))
        rank_of = {(0, 0): 0, (0, 1): 4, (1, 1): 5}
        inner = 1 if to_edge[0] == 0 else 3 if to_edge[0] == 1 else 2
        return rank_of.get((to_edge[0], to_edge[1]), inner), point

    order = sorted(range(size * size), key=rank)
    return OthelloWork(
        layout=make_layout(size),
        order=np.array(order, np.int64),
        corners=np.array(corners, np.int64),
        boards=np.full((depth + 2, stride * stride), OUTSIDE, np.int8),
        legal=np.zeros((depth + 2, size * size + 1), np.uint8),
        frames=np.zeros((depth + 2, 4), np.int64),
    )


@kernel
def final_value(board: NDArray[np.int8], side: int) -> int:
    """Value for `side` of a finished game."""
    difference = 0
    for square in range(len(board)):
        if board[square] == side:
            difference += 1
        elif board[square] == 3 - side:
            difference -= 1
    if difference == 0:
        return 0
    return difference + WIN if difference > 0 else difference - WIN


@kernel
def sign_of(stone: int, side: int) -> int:
    """1 for a disc of `side`, -1 for one of the opponent, 0 for none."""
    if stone == side:
        return 1
    return -1 if stone == 3 - side else 0


@kernel
def corner_value(board: NDArray[np.int8], side: int, corners: NDArray[np.int64]) -> int:
    """The terms for corners and stability."""
    value = 0
    for c in range(4):
        corner, down, along = corners[c, 0], corners[c, 1], corners[c, 2]
        holder = board[corner]
        if holder == EMPTY:
            value += BESIDE_CORNER * sign_of(board[corner + down + along], side)
            continue
        sign = sign_of(holder, side)
        value += CORNER * sign
        for edge in range(1, 3):
            square = corner + corners[c, edge]
            while board[square] == holder:
                value += STABLE * sign
                square += corners[c, edge]
    return value


@kernel
def parity_value(board: NDArray[np.int8]) -> int:
    """The term for parity."""
    num_empty = 0
    for square in range(len(board)):
        if board[square] == EMPTY:
            num_empty += 1
    return PARITY if num_empty % 2 == 1 else -PARITY


@kernel
def enter(work: OthelloWork, level: int, side: int, depth: int, alpha: int, beta: int) -> bool:
    """Begin with boards[level]: False where its value is known at once, and then in BEST of its frame."""
    board, layout, frame = work.boards[level], work.layout, work.frames[level]
    frame[ALPHA], frame[BETA], frame[BEST], frame[NEXT] = alpha, beta, -INFINITY, 0
    num_own = mark_captures(board, side, layout, work.legal, level)
    if num_own > 0 and depth > 0:
        return True
    num_opponent = mark_captures(board, 3 - side, layout, work.legal, level)
    if num_own == 0 and num_opponent == 0:
        frame[BEST] = final_value(board, side)
        return False
    if depth == 0:
        mobility = MOBILITY * (num_own - num_opponent)
        frame[BEST] = mobility + corner_value(board, side, work.corners) + parity_value(board)
        return False
    frame[NEXT] = PASS
    return True


@kernel
def next_child(work: OthelloWork, level: int, side: int) -> bool:
    """Put the board after the next move to try into boards[level + 1]; False where nothing is left to try."""
    frame, num_points = work.frames[level], len(work.order)
    if frame[NEXT] == PASS:
        work.boards[level + 1] = work.boards[level]
        frame[NEXT] = num_points
        return True
    if frame[BEST] >= frame[BETA]:
        return False
    while frame[NEXT] < num_points:
        point = work.order[frame[NEXT]]
        frame[NEXT] += 1
        if work.legal[level, point]:
            work.boards[level + 1] = work.boards[level]
            capture(work.boards[level + 1], work.layout.square_of[point], side, work.layout)
            return True
    return False


@kernel
def search_othello(work: OthelloWork, start: int, side: int, depth: int, alpha: int, beta: int) -> int:
    """Value of boards[start] for `side` after `depth` plies, exact within (alpha, beta) (fail-soft).

    A loop over levels, for numba's cache breaks kernels that call themselves.
    """
    level = start
    is_open = enter(work, level, side, depth, alpha, beta)
    while True:
        mover = side if (level - start) % 2 == 0 else 3 - side
        if is_open and next_child(work, level, mover):
            frame = work.frames[level]
            low, high = -frame[BETA], -max(frame[ALPHA], frame[BEST])
            level += 1
            is_open = enter(work, level, 3 - mover, depth - (level - start), low, high)
            continue
        value = work.frames[level, BEST]
        if level == start:
            return value
        level -= 1
        is_open = True
        work.frames[level, BEST] = max(work.frames[level, BEST], -value)


@kernel
def choose_othello(work: OthelloWork, positions: Positions, row: int, depth: int, key: np.uint64) -> int:
    """The best move of one position, or one of the best, drawn by `key`."""
    side = np.int64(positions.turn[row])
    load_board(positions.stones, row, work.layout, work.boards[0])
    if mark_captures(work.boards[0], side, work.layout, work.legal, 0) == 0:
        return len(work.order)
    best, chosen, num_equal, state = -INFINITY, -1, 0, key
    for tried in range(len(work.order)):
        point = work.order[tried]
        if not work.legal[0, point]:
            continue
        work.boards[1] = work.boards[0]
        capture(work.boards[1], work.layout.square_of[point], side, work.layout)
        value = -search_othello(work, 1, 3 - side, depth - 1, -INFINITY, 1 - best)
        if value > best:
            best, chosen, num_equal = value, point, 1
        elif value == best:
            num_equal += 1
            state = next_state(state)
            if random_below(state, num_equal) == 0:
                chosen = point
    return chosen


@kernel
def choose_othello_batch(
    work: OthelloWork, positions: Positions, rows: Rows, depth: int, keys: Keys, moves: Moves
) -> None:
    """Write moves int16[B] for rows int64[B], none of them finished; keys uint64[B] break ties."""
    for b in range(len(rows)):
        moves[b] = choose_othello(work, positions, rows[b], depth, keys[b])
