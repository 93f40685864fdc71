"""A Gomoku position as counts of stones in windows, and what is read off them.

A *window* is k points in a row: each row that can win is one. A side with k - 1 stones in a window that the
other has left free *wins on* its empty point. Where only rows of exactly k win, the points just beyond the
window must not be the same side's.

All kernels here work on one position, in the arrays of a `Scratch` that is made once.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.gomoku import RENJU, STANDARD, GomokuRules
from stonezero.games.position import BLACK, EMPTY, WHITE
from stonezero.games.renju import ALLOWED, judge_black
from stonezero.jit import kernel

MAX_FOURS = 24  #: fours in a row that are looked at
ALL_FOURS = np.int64(MAX_FOURS)
MAX_DEPTH = 10  #: moves of the attacker before the last fours
MAX_LINE = 2 * (MAX_FOURS + MAX_DEPTH) + 8
TABLE_SIZE = 1 << 13  #: entries of the table of failures

ZERO, ONE, TWO = np.int64(0), np.int64(1), np.int64(2)
"""As arguments of kernels: a plain 0 has a type of its own there, and each type compiles the kernel again."""

NONE = np.int64(-1)  #: no such point or window
NODES, NODE_LIMIT, STAMP, LINE_LENGTH = 0, 1, 2, 3  #: fields of Scratch.counters
THREE, FOUR, WIN, LOSS = np.int64(1), np.int64(2), np.int64(3), np.int64(4)
"""Roles of a window: the attacker's stone in it makes a three, a four or a row; one of the others' a row."""

FOUR_WEIGHT = np.int64(8)  #: of a window that a move makes a four in, when moves are put in order
BLACK_UNIT, WHITE_UNIT = 1, 32  #: what a stone adds to the code of a window; k is at most 20


class Scratch(NamedTuple):
    """One position and the work arrays of its search. Axes: W windows, K stones in a row, L levels."""

    points: NDArray[np.int16]  #: int16[W, K]: the windows
    bounds: NDArray[np.int16]  #: int16[W, 2]: the points beyond each end, NONE off the board
    through: NDArray[np.int16]  #: int16[S, 4 K]: the windows that hold a point, then NONE
    zobrist: NDArray[np.uint64]  #: uint64[3, S]: by colour
    stones: NDArray[np.int8]  #: int8[1, S]
    codes: NDArray[np.int16]  #: int16[W]: BLACK_UNIT and WHITE_UNIT for each stone
    key: NDArray[np.uint64]  #: uint64[1]: of the stones
    counters: NDArray[np.int64]  #: int64[4]
    roles: NDArray[np.int8]  #: int8[3, 33 * k]: by attacker and code of a window, 0 where it has none
    marks: NDArray[np.int64]  #: int64[S]: the stamp of the list a point was last put on
    scores: NDArray[np.int64]  #: int64[S]: of points on that list
    fours: NDArray[np.int64]  #: int64[MAX_FOURS + 1, S]: moves of each level of `win_by_fours`
    line: NDArray[np.int64]  #: int64[MAX_LINE]: the moves of the last win by fours
    replies: NDArray[np.int64]  #: int64[MAX_LINE]: replies to be taken back by `holds_after`
    threes: NDArray[np.int64]  #: int64[L, S]: moves of each level of `win_by_threats`
    defences: NDArray[np.int64]  #: int64[L, S]
    threats: NDArray[np.int64]  #: int64[L, MAX_LINE]: the fours threatened
    best: NDArray[np.int64]  #: int64[L, MAX_LINE]: the line found
    lengths: NDArray[np.int64]  #: int64[L, 2]: of threats and best
    failed_keys: NDArray[np.uint64]  #: uint64[TABLE_SIZE]: positions without a win
    failed_depths: NDArray[np.int8]  #: int8[TABLE_SIZE]: looked at to this depth


@cache
def window_tables(size: int, k: int) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int16]]:
    """points int16[W, K], bounds int16[W, 2] and through int16[S, 4 K] of `Scratch`; treat as read-only."""
    windows, beyond = [], []
    for row_step, column_step in ((0, 1), (1, -1), (1, 0), (1, 1)):
        for y in range(size):
            for x in range(size):
                line = [(y + i * row_step, x + i * column_step) for i in range(-1, k + 1)]
                inside = [0 <= row < size and 0 <= column < size for row, column in line]
                if all(inside[1:-1]):
                    numbers = [row * size + column for row, column in line]
                    windows.append(numbers[1:-1])
                    beyond.append([numbers[i] if inside[i] else NONE for i in (0, -1)])
    through = np.full((size * size, 4 * k), NONE, np.int16)
    filled = [0] * (size * size)
    for window, points in enumerate(windows):
        for point in points:
            through[point, filled[point]] = window
            filled[point] += 1
    return np.array(windows, np.int16), np.array(beyond, np.int16), through


def window_roles(k: int) -> NDArray[np.int8]:
    """`Scratch.roles`."""
    roles = np.zeros((3, (BLACK_UNIT + WHITE_UNIT) * k + 1), np.int8)
    for attacker, own, other in ((BLACK, BLACK_UNIT, WHITE_UNIT), (WHITE, WHITE_UNIT, BLACK_UNIT)):
        for stones, role in ((k - 3, THREE), (k - 2, FOUR), (k - 1, WIN)):
            roles[attacker, stones * own] = role
        roles[attacker, (k - 1) * other] = LOSS
    return roles


def allocate_scratch(rules: GomokuRules) -> Scratch:
    """Arrays for one board under one rule set."""
    points, bounds, through = window_tables(rules.size, rules.k)
    num_points = rules.size * rules.size
    levels = MAX_DEPTH + 2
    zobrist = np.random.default_rng(0).integers(0, 2**64, (3, num_points), np.uint64)
    return Scratch(
        points=points,
        bounds=bounds,
        through=through,
        zobrist=zobrist,
        stones=np.zeros((1, num_points), np.int8),
        codes=np.zeros(len(points), np.int16),
        key=np.zeros(1, np.uint64),
        counters=np.zeros(4, np.int64),
        roles=window_roles(rules.k),
        marks=np.zeros(num_points, np.int64),
        scores=np.zeros(num_points, np.int64),
        fours=np.zeros((MAX_FOURS + 1, num_points), np.int64),
        line=np.zeros(MAX_LINE, np.int64),
        replies=np.zeros(MAX_LINE, np.int64),
        threes=np.zeros((levels, num_points), np.int64),
        defences=np.zeros((levels, num_points), np.int64),
        threats=np.zeros((levels, MAX_LINE), np.int64),
        best=np.zeros((levels, MAX_LINE), np.int64),
        lengths=np.zeros((levels, 2), np.int64),
        failed_keys=np.zeros(TABLE_SIZE, np.uint64),
        failed_depths=np.zeros(TABLE_SIZE, np.int8),
    )


@kernel
def put(scratch: Scratch, point: int, colour: int) -> None:
    """Put a stone on an empty point."""
    unit = BLACK_UNIT if colour == BLACK else WHITE_UNIT
    scratch.stones[0, point] = colour
    scratch.key[0] ^= scratch.zobrist[colour, point]
    for i in range(scratch.through.shape[1]):
        window = np.int64(scratch.through[point, i])
        if window == NONE:
            break
        scratch.codes[window] += unit


@kernel
def take(scratch: Scratch, point: int) -> None:
    """Take a stone back."""
    colour = scratch.stones[0, point]
    unit = BLACK_UNIT if colour == BLACK else WHITE_UNIT
    scratch.stones[0, point] = EMPTY
    scratch.key[0] ^= scratch.zobrist[colour, point]
    for i in range(scratch.through.shape[1]):
        window = np.int64(scratch.through[point, i])
        if window == NONE:
            break
        scratch.codes[window] -= unit


@kernel
def load(scratch: Scratch, stones: NDArray[np.int8], row: int, node_limit: int) -> None:
    """Begin with the position stones[row] (int8[P, S]): an empty table, no nodes spent."""
    scratch.codes[:] = 0
    scratch.key[0] = 0
    scratch.failed_keys[:] = 0
    scratch.failed_depths[:] = 0
    scratch.counters[NODES] = 0
    scratch.counters[NODE_LIMIT] = node_limit
    for point in range(stones.shape[1]):
        scratch.stones[0, point] = EMPTY
        if stones[row, point] != EMPTY:
            put(scratch, point, np.int64(stones[row, point]))


@kernel
def can_fill(scratch: Scratch, rules: GomokuRules, window: int, colour: int) -> bool:
    """Whether a window full of `colour` would win: beyond its ends there is none of it where that matters."""
    if rules.code == STANDARD or (rules.code == RENJU and colour == BLACK):
        for end in range(2):
            bound = scratch.bounds[window, end]
            if bound != NONE and scratch.stones[0, bound] == colour:
                return False
    return True


@kernel
def empty_point(scratch: Scratch, window: int, start: int) -> int:
    """The first empty point of a window from index `start` on, as an index into the window."""
    index = start
    while scratch.stones[0, scratch.points[window, index]] != EMPTY:
        index += 1
    return index


@kernel
def find_wins(scratch: Scratch, rules: GomokuRules, point: int, colour: int) -> tuple[np.int64, np.int64]:
    """Up to two points on which `colour` wins by a row through its stone on `point`; else NONE."""
    target = (rules.k - 1) * (BLACK_UNIT if colour == BLACK else WHITE_UNIT)
    first = NONE
    for i in range(scratch.through.shape[1]):
        window = np.int64(scratch.through[point, i])
        if window == NONE:
            break
        if scratch.codes[window] == target and can_fill(scratch, rules, window, colour):
            winning = np.int64(scratch.points[window, empty_point(scratch, window, ZERO)])
            if first == NONE:
                first = winning
            elif winning != first:
                return first, winning
    return first, NONE


@kernel
def wins_on(scratch: Scratch, rules: GomokuRules, point: int, colour: int) -> bool:
    """Whether `colour` wins by putting a stone on the empty `point`."""
    target = (rules.k - 1) * (BLACK_UNIT if colour == BLACK else WHITE_UNIT)
    for i in range(scratch.through.shape[1]):
        window = np.int64(scratch.through[point, i])
        if window == NONE:
            break
        if scratch.codes[window] == target and can_fill(scratch, rules, window, colour):
            return True
    return False


@kernel
def loses_by_rule(scratch: Scratch, rules: GomokuRules, point: int, colour: int) -> bool:
    """Whether the stone of `colour` on `point`, which makes no row that wins, was forbidden."""
    if rules.code != RENJU or colour != BLACK:
        return False
    return bool(judge_black(scratch.stones, 0, point, rules.size) != ALLOWED)


@kernel
def list_point(scratch: Scratch, point: int, weight: int, moves: NDArray[np.int64], count: int) -> int:
    """Add `weight` to a point of the list `moves`, or put it there; returns the new length."""
    if scratch.marks[point] == scratch.counters[STAMP]:
        scratch.scores[point] += weight
        return count
    scratch.marks[point] = scratch.counters[STAMP]
    scratch.scores[point] = weight
    moves[count] = point
    return count + 1


@kernel
def sort_moves(scratch: Scratch, moves: NDArray[np.int64], count: int) -> None:
    """Sort moves[:count] by falling score; equals stay in order."""
    for i in range(1, count):
        move = moves[i]
        j = i
        while j > 0 and scratch.scores[moves[j - 1]] < scratch.scores[move]:
            moves[j] = moves[j - 1]
            j -= 1
        moves[j] = move


@kernel
def list_moves(
    scratch: Scratch, rules: GomokuRules, attacker: int, least: int, moves: NDArray[np.int64]
) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """The attacker's moves that make fours (`least` FOUR) or also threes (`least` THREE), the busiest first.

    Returns a point the attacker wins on, a point the other side wins on (NONE where there is none), how many
    such points of the other side there are (at most 2), and the length of `moves`, int64[S].
    """
    win, block, num_blocks, count = NONE, NONE, ZERO, ZERO
    scratch.counters[STAMP] += 1
    for window in range(len(scratch.codes)):
        role = scratch.roles[attacker, scratch.codes[window]]
        if role < least or not can_fill(scratch, rules, window, attacker if role < LOSS else 3 - attacker):
            continue
        index = empty_point(scratch, window, ZERO)
        point = np.int64(scratch.points[window, index])
        if role == WIN:
            win = point
        elif role == LOSS:
            if num_blocks == 0:
                block, num_blocks = point, ONE
            elif point != block:
                num_blocks = TWO
        else:
            weight = FOUR_WEIGHT if role == FOUR else ONE
            count = list_point(scratch, point, weight, moves, count)
            for _ in range(2 if role == THREE else 1):
                index = empty_point(scratch, window, index + 1)
                count = list_point(scratch, np.int64(scratch.points[window, index]), weight, moves, count)
    sort_moves(scratch, moves, count)
    return win, block, num_blocks, count


@kernel
def has_failed(scratch: Scratch, key: np.uint64, depth: int) -> bool:
    """Whether a search of this depth is known to find nothing."""
    index = key & np.uint64(TABLE_SIZE - 1)
    return bool(scratch.failed_keys[index] == key and scratch.failed_depths[index] >= depth)


@kernel
def note_failure(scratch: Scratch, key: np.uint64, depth: int) -> None:
    """Remember that a search of this depth found nothing, unless it was cut off."""
    if scratch.counters[NODES] < scratch.counters[NODE_LIMIT]:
        index = key & np.uint64(TABLE_SIZE - 1)
        scratch.failed_keys[index] = key
        scratch.failed_depths[index] = depth
