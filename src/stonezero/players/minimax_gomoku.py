"""Alpha-beta search for Gomoku with any k: the kernels of `minimax`. Version 1: they never change.

A *window* is k points in a row. One that holds stones of one side only can still become a row; what it is
worth depends on how many stones it lacks and on whose turn it is:

    lacks                    1      2    3   4 or more
    of the side to move   10000    120   12   2 (4), else 0
    of the other side       400     60    8   1 (4), else 0

A position is worth the sum over the windows of the side to move minus that over the other's. A win is worth
WIN less the plies until then; who has won is asked of the rules. Tried are the WIDTH most promising of the
empty points at most two steps from a stone (the centre of an empty board): those through whose windows most
is to be gained, an own row before a blocked one before everything else.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Keys, Moves, Rows
from stonezero.games.gomoku import GomokuRules, status_after
from stonezero.games.position import BLACK, DRAW, EMPTY, ONGOING, WHITE, Positions
from stonezero.games.random import next_state, random_below
from stonezero.jit import kernel

WIN = 1_000_000
INFINITY = 2_000_000
WIDTH = 16  #: moves tried in each position
REACH = 2  #: steps from the nearest stone
MOVER_WORTH = np.array([0, 10_000, 120, 12, 2], np.int64)  #: by stones that a window lacks
WAITER_WORTH = np.array([0, 400, 60, 8, 1], np.int64)
DIRECTIONS = ((0, 1), (1, -1), (1, 0), (1, 1))
ALPHA, BETA, BEST, NEXT, COUNT = 0, 1, 2, 3, 4  #: columns of a frame
MAKES_ROW, BLOCKS_ROW = 10_000_000, 1_000_000


class GomokuWork(NamedTuple):
    """Tables and work space of the search, for one position at a time."""

    rules: GomokuRules
    windows_of: NDArray[np.int32]  #: int32[S, 4k]: windows through each point, -1 where there are fewer
    near: NDArray[np.int16]  #: int16[S]: stones at most REACH steps away
    stones: NDArray[np.int8]  #: int8[1, S]
    held: NDArray[np.int16]  #: int16[W, 3]: stones of each colour in each window
    tally: NDArray[np.int64]  #: int64[3, k + 1]: windows with n stones of that colour and none of the other
    moves: NDArray[np.int64]  #: int64[D + 1, WIDTH]: moves to try at each level
    gains: NDArray[np.int64]  #: int64[D + 1, WIDTH]: what they promise
    frames: NDArray[np.int64]  #: int64[D + 1, 5]: window, best value, next move and number of moves per level


def make_work(rules: GomokuRules, depth: int) -> GomokuWork:
    """Work space for searches of `depth` plies."""
    size, k = rules.size, rules.k
    starts = [(y, x, dy, dx) for y in range(size) for x in range(size) for dy, dx in DIRECTIONS]
    windows = [
        [(y + i * dy) * size + x + i * dx for i in range(k)]
        for y, x, dy, dx in starts
        if 0 <= y + (k - 1) * dy < size and 0 <= x + (k - 1) * dx < size
    ]
    windows_of = np.full((size * size, 4 * k), -1, np.int32)
    for number, points in enumerate(windows):
        for point in points:
            windows_of[point, np.argmin(windows_of[point])] = number
    return GomokuWork(
        rules=rules,
        windows_of=windows_of,
        near=np.zeros(size * size, np.int16),
        stones=np.zeros((1, size * size), np.int8),
        held=np.zeros((len(windows), 3), np.int16),
        tally=np.zeros((3, k + 1), np.int64),
        moves=np.zeros((depth + 1, WIDTH), np.int64),
        gains=np.zeros((depth + 1, WIDTH), np.int64),
        frames=np.zeros((depth + 1, 5), np.int64),
    )


@kernel
def count_window(work: GomokuWork, window: int, change: int) -> None:
    """Add `change` to the tally that the window belongs to."""
    black, white = work.held[window, BLACK], work.held[window, WHITE]
    if black > 0 and white == 0:
        work.tally[BLACK, black] += change
    elif white > 0 and black == 0:
        work.tally[WHITE, white] += change


@kernel
def put(work: GomokuWork, point: int, colour: int, change: int) -> None:
    """Put a stone (change 1) or take it away (change -1)."""
    size = work.rules.size
    work.stones[0, point] = colour if change > 0 else EMPTY
    for entry in range(work.windows_of.shape[1]):
        window = work.windows_of[point, entry]
        if window < 0:
            break
        count_window(work, window, -1)
        work.held[window, colour] += change
        count_window(work, window, 1)
    row, column = point // size, point % size
    for y in range(max(row - REACH, 0), min(row + REACH + 1, size)):
        for x in range(max(column - REACH, 0), min(column + REACH + 1, size)):
            work.near[y * size + x] += change


@kernel
def evaluate_windows(work: GomokuWork, side: int) -> int:
    """What the position is worth for `side`, to move."""
    value = 0
    for lacking in range(1, min(len(MOVER_WORTH), work.rules.k)):
        held = work.rules.k - lacking
        value += MOVER_WORTH[lacking] * work.tally[side, held]
        value -= WAITER_WORTH[lacking] * work.tally[3 - side, held]
    return value


@kernel
def gain_at(work: GomokuWork, point: int, side: int) -> int:
    """What `side` is promised by a stone on the empty `point`."""
    gain = 0
    for entry in range(work.windows_of.shape[1]):
        window = work.windows_of[point, entry]
        if window < 0:
            break
        own, other = work.held[window, side], work.held[window, 3 - side]
        lacking = work.rules.k - own - other
        if lacking >= len(MOVER_WORTH) or (own > 0 and other > 0):
            continue
        if other == 0:
            gain += MAKES_ROW if lacking == 1 else MOVER_WORTH[lacking]
        else:
            gain += BLOCKS_ROW if lacking == 1 else WAITER_WORTH[lacking]
    return gain


@kernel
def list_moves(work: GomokuWork, level: int, side: int) -> int:
    """Write the moves to try into moves[level], best first, of equals the lowest point; count them."""
    num_points = len(work.near)
    count, has_near = 0, False
    for point in range(num_points):
        has_near = has_near or (work.near[point] > 0 and work.stones[0, point] == EMPTY)
    centre = (work.rules.size // 2) * (work.rules.size + 1)
    for point in range(num_points):
        if work.stones[0, point] != EMPTY or (has_near and work.near[point] == 0):
            continue
        gain = gain_at(work, point, side)
        if not has_near and point == centre:
            gain += MAKES_ROW
        place = count
        while place > 0 and work.gains[level, place - 1] < gain:
            place -= 1
        if place == WIDTH:
            continue
        count = min(count + 1, WIDTH)
        for later in range(count - 1, place, -1):
            work.moves[level, later] = work.moves[level, later - 1]
            work.gains[level, later] = work.gains[level, later - 1]
        work.moves[level, place] = point
        work.gains[level, place] = gain
    return count


@kernel
def finished_value(status: int, side: int, level: int) -> int:
    """Value for `side`, whose move at `level` has ended the game."""
    if status == DRAW:
        return 0
    return WIN - level if status == side else level - WIN


@kernel
def enter(work: GomokuWork, level: int, side: int, depth: int, alpha: int, beta: int) -> None:
    """Begin with the position at `level`; where nothing is to be tried, BEST of its frame is its value."""
    frame = work.frames[level]
    frame[ALPHA], frame[BETA], frame[NEXT] = alpha, beta, 0
    if depth == 0:
        frame[COUNT], frame[BEST] = 0, evaluate_windows(work, side)
    else:
        frame[COUNT] = list_moves(work, level, side)
        frame[BEST] = 0 if frame[COUNT] == 0 else -INFINITY


@kernel
def search_gomoku(work: GomokuWork, start: int, side: int, depth: int, alpha: int, beta: int) -> int:
    """Value of the position for `side` after `depth` plies, exact within (alpha, beta) (fail-soft).

    A loop over levels, for numba's cache breaks kernels that call themselves.
    """
    level = start
    enter(work, level, side, depth, alpha, beta)
    while True:
        frame = work.frames[level]
        mover = side if (level - start) % 2 == 0 else 3 - side
        if frame[NEXT] < frame[COUNT] and frame[BEST] < frame[BETA]:
            point = work.moves[level, frame[NEXT]]
            frame[NEXT] += 1
            put(work, point, mover, 1)
            status = status_after(work.stones, 0, point, work.rules)
            if status == ONGOING:
                low, high = -frame[BETA], -max(frame[ALPHA], frame[BEST])
                level += 1
                enter(work, level, 3 - mover, depth - (level - start), low, high)
            else:
                frame[BEST] = max(frame[BEST], finished_value(status, mover, level))
                put(work, point, mover, -1)
            continue
        value = frame[BEST]
        if level == start:
            return value
        level -= 1
        frame = work.frames[level]
        put(work, work.moves[level, frame[NEXT] - 1], 3 - mover, -1)
        frame[BEST] = max(frame[BEST], -value)


@kernel
def set_up(work: GomokuWork, positions: Positions, row: int) -> None:
    """Make the work space hold the position."""
    for point in range(len(work.near)):
        if work.stones[0, point] != EMPTY:
            put(work, point, np.int64(work.stones[0, point]), -1)
    for point in range(len(work.near)):
        if positions.stones[row, point] != EMPTY:
            put(work, point, np.int64(positions.stones[row, point]), 1)


@kernel
def choose_gomoku(work: GomokuWork, positions: Positions, row: int, depth: int, key: np.uint64) -> int:
    """The best move of one position, or one of the best, drawn by `key`."""
    set_up(work, positions, row)
    side = np.int64(positions.turn[row])
    num_moves = list_moves(work, 0, side)
    best, chosen, num_equal, state = -INFINITY, -1, 0, key
    for tried in range(num_moves):
        point = work.moves[0, tried]
        put(work, point, side, 1)
        status = status_after(work.stones, 0, point, work.rules)
        if status == ONGOING:
            value = -search_gomoku(work, 1, 3 - side, depth - 1, -INFINITY, 1 - best)
        else:
            value = finished_value(status, side, 0)
        put(work, point, side, -1)
        if value > best:
            best, chosen, num_equal = value, point, 1
        elif value == best:
            num_equal += 1
            state = next_state(state)
            if random_below(state, num_equal) == 0:
                chosen = point
    return chosen


@kernel
def choose_gomoku_batch(
    work: GomokuWork, positions: Positions, rows: Rows, depth: int, keys: Keys, moves: Moves
) -> None:
    """Write moves int16[B] for rows int64[B], none of them finished; keys uint64[B] break ties."""
    for b in range(len(rows)):
        moves[b] = choose_gomoku(work, positions, rows[b], depth, keys[b])
