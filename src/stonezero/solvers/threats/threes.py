"""Wins by fours and threes: each move of the attacker threatens a win by fours, or is a four.

After a three every legal reply is looked at: it loses by rule, or the threatened fours win all the same (they
are played through), or the attacker must win again from there. So a win found is a win.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.gomoku import RENJU, GomokuRules
from stonezero.games.position import BLACK, EMPTY
from stonezero.jit import kernel
from stonezero.solvers.threats.fours import holds_after, win_by_fours
from stonezero.solvers.threats.windows import (
    ALL_FOURS,
    BLACK_UNIT,
    FOUR,
    LINE_LENGTH,
    NODE_LIMIT,
    NODES,
    NONE,
    ONE,
    STAMP,
    THREE,
    WHITE_UNIT,
    ZERO,
    Scratch,
    find_wins,
    has_failed,
    list_moves,
    loses_by_rule,
    note_failure,
    put,
    take,
)

THREAT, BEST = 0, 1  #: columns of Scratch.lengths
NO_THREAT = -1
THREES_SALT = np.uint64(0xD1B54A32D192ED03)  #: keeps failures by threes apart from those by fours


@kernel
def keep_line(scratch: Scratch, level: int, move: int, defence: int) -> None:
    """Keep move, defence and scratch.line as the best line of a level if longer than the one there."""
    length = scratch.counters[LINE_LENGTH] + 2
    if length > scratch.lengths[level, BEST]:
        scratch.lengths[level, BEST] = length
        scratch.best[level, 0] = move
        scratch.best[level, 1] = defence
        for i in range(2, length):
            scratch.best[level, i] = scratch.line[i - 2]


@kernel
def line_from_best(scratch: Scratch, level: int) -> None:
    """Make the best line of a level scratch.line."""
    scratch.counters[LINE_LENGTH] = scratch.lengths[level, BEST]
    for i in range(scratch.lengths[level, BEST]):
        scratch.line[i] = scratch.best[level, i]


@kernel
def best_from_line(scratch: Scratch, level: int) -> None:
    """Make scratch.line the best line of a level."""
    scratch.lengths[level, BEST] = scratch.counters[LINE_LENGTH]
    for i in range(scratch.counters[LINE_LENGTH]):
        scratch.best[level, i] = scratch.line[i]


@kernel
def mark_reach(scratch: Scratch, level: int, length: int) -> None:
    """Mark the points of the fours threats[level, :length] and those that share a window with a reply."""
    scratch.counters[STAMP] += 1
    stamp = scratch.counters[STAMP]
    for i in range(length):
        scratch.marks[scratch.threats[level, i]] = stamp
    for i in range(1, length, 2):
        for j in range(scratch.through.shape[1]):
            window = np.int64(scratch.through[scratch.threats[level, i], j])
            if window == NONE:
                break
            for k in range(scratch.points.shape[1]):
                scratch.marks[scratch.points[window, k]] = stamp


@kernel
def is_beside(scratch: Scratch, rules: GomokuRules, point: int, defender: int) -> bool:
    """Whether a stone of the defender on `point` changes nothing about the fours last marked, without renju.

    It neither makes a four itself, nor lies on the line, nor in a window with a reply, where the two might
    make a four in its course.
    """
    if scratch.marks[point] == scratch.counters[STAMP]:
        return False
    code = (rules.k - 2) * (BLACK_UNIT if defender == BLACK else WHITE_UNIT)
    for i in range(scratch.through.shape[1]):
        window = np.int64(scratch.through[point, i])
        if window == NONE:
            break
        if scratch.codes[window] == code:
            return False
    return True


@kernel
def list_defences(scratch: Scratch, rules: GomokuRules, attacker: int, move: int, level: int) -> int:
    """Write the replies to the attacker's stone on `move` that need an answer of their own.

    Returns how many, or NO_THREAT. They go into scratch.defences[level]; the longest line after
    one of the others becomes the level's best.
    """
    defences = scratch.defences[level]
    scratch.lengths[level, BEST] = 0
    reply, _ = find_wins(scratch, rules, move, attacker)
    if reply != NONE:
        defences[0] = reply
        return 1
    if not win_by_fours(scratch, rules, attacker, ALL_FOURS, ZERO):
        return NO_THREAT
    length = scratch.counters[LINE_LENGTH]
    for i in range(length):
        scratch.threats[level, i] = scratch.line[i]
    mark_reach(scratch, level, length)
    count = 0
    for point in range(scratch.stones.shape[1]):
        if scratch.stones[0, point] != EMPTY:
            continue
        if rules.code != RENJU and is_beside(scratch, rules, point, 3 - attacker):
            if scratch.lengths[level, BEST] == 0:
                keep_line(scratch, level, move, point)
            continue
        put(scratch, point, 3 - attacker)
        if loses_by_rule(scratch, rules, point, 3 - attacker):
            scratch.counters[LINE_LENGTH] = 0
            keep_line(scratch, level, move, point)
        elif holds_after(scratch, rules, attacker, point, level, length):
            keep_line(scratch, level, move, point)
        else:
            defences[count] = point
            count += 1
        take(scratch, point)
    return count


@kernel
def win_by_threats(scratch: Scratch, rules: GomokuRules, attacker: int, depth: int, level: int) -> bool:
    """Whether the attacker, to move, wins by fours after at most `depth` moves that are threes or fours.

    Then scratch.best[level] holds the moves of both sides, lengths[level, BEST] of them. At levels beyond
    `level` arrays are overwritten.
    """
    if win_by_fours(scratch, rules, attacker, ALL_FOURS, ZERO):
        best_from_line(scratch, level)
        return True
    key = scratch.key[0] ^ THREES_SALT
    if depth == 0 or has_failed(scratch, key, depth):
        return False
    moves = scratch.threes[level]
    _, block, num_blocks, count = list_moves(scratch, rules, attacker, THREE, moves)
    if num_blocks == 1:
        moves[0] = block
        count = 1
    elif num_blocks == 2:
        return False
    for i in range(count):
        if scratch.counters[NODES] >= scratch.counters[NODE_LIMIT]:
            return False
        move = moves[i]
        put(scratch, move, attacker)
        num_defences = NO_THREAT
        if not loses_by_rule(scratch, rules, move, attacker):
            num_defences = list_defences(scratch, rules, attacker, move, level)
        is_won = num_defences != NO_THREAT
        for j in range(num_defences):
            defence = scratch.defences[level, j]
            put(scratch, defence, 3 - attacker)
            is_won = win_by_threats(scratch, rules, attacker, depth - 1, level + 1)
            take(scratch, defence)
            if not is_won:
                break
            line_from_best(scratch, level + 1)
            keep_line(scratch, level, move, defence)
        take(scratch, move)
        if is_won:
            return True
    note_failure(scratch, key, depth)
    return False


@kernel
def deepen(scratch: Scratch, rules: GomokuRules, attacker: int, depth: int, level: int) -> bool:
    """`win_by_threats` at depths 0, 1, ..., `depth`, so that short wins are found first."""
    for shallow in range(depth + 1):  # noqa: SIM110 (kernels have no generators)
        if win_by_threats(scratch, rules, attacker, shallow, level):
            return True
    return False


@kernel
def list_must_blocks(
    scratch: Scratch, rules: GomokuRules, defender: int, depth: int, blocks: NDArray[np.int64]
) -> int:
    """Write the defender's moves after which the attacker has no win that is found; how many, or NO_THREAT.

    NO_THREAT where none is found even if the defender, to move, does nothing. A defender who can win at once
    has that move alone. `blocks` is int64[S].
    """
    attacker = 3 - defender
    win, _, _, _ = list_moves(scratch, rules, defender, FOUR, scratch.threes[0])
    if win != NONE:
        blocks[0] = win
        return 1
    length, count = ZERO, 0
    for point in range(NONE, scratch.stones.shape[1]):  # first of all the defender does nothing
        if point != NONE:
            if scratch.stones[0, point] != EMPTY:
                continue
            put(scratch, point, defender)
            is_lost = loses_by_rule(scratch, rules, point, defender)
            if is_lost or holds_after(scratch, rules, attacker, point, ZERO, length):
                take(scratch, point)
                continue
        is_lost = deepen(scratch, rules, attacker, depth, ONE)
        if point == NONE:
            if not is_lost:
                return NO_THREAT
            length = scratch.lengths[1, BEST]
            for i in range(length):
                scratch.threats[0, i] = scratch.best[1, i]
        else:
            take(scratch, point)
            if not is_lost:
                blocks[count] = point
                count += 1
    return count
