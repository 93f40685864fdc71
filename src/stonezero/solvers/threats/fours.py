"""Wins by fours alone: each move of the attacker threatens to win at once, so each reply is the only one.

A line of such moves ends where two winning points are left, where the only reply is forbidden, or with the
row itself. Nothing the other side can do is left out, so a win found is a win.
"""

from stonezero.games.gomoku import GomokuRules
from stonezero.jit import kernel
from stonezero.solvers.threats.windows import (
    FOUR,
    LINE_LENGTH,
    NODE_LIMIT,
    NODES,
    NONE,
    Scratch,
    find_wins,
    has_failed,
    list_moves,
    loses_by_rule,
    note_failure,
    put,
    take,
    wins_on,
)


@kernel
def win_by_fours(scratch: Scratch, rules: GomokuRules, attacker: int, depth: int, level: int) -> bool:
    """Whether the attacker, to move, wins by at most `depth` fours.

    Then scratch.line holds the moves of both sides from 2 * level on, and counters[LINE_LENGTH] their end.
    """
    scratch.counters[NODES] += 1
    if scratch.counters[NODES] >= scratch.counters[NODE_LIMIT]:
        return False
    key = scratch.key[0]
    if has_failed(scratch, key, depth):
        return False
    moves = scratch.fours[level]
    win, block, num_blocks, count = list_moves(scratch, rules, attacker, FOUR, moves)
    if win != NONE:
        scratch.line[2 * level] = win
        scratch.counters[LINE_LENGTH] = 2 * level + 1
        return True
    if num_blocks == 2 or depth == 0:
        return False
    is_won = False
    for i in range(count):
        move = moves[i]
        if num_blocks == 1 and move != block:
            continue
        put(scratch, move, attacker)
        reply, other_reply = find_wins(scratch, rules, move, attacker)
        if reply != NONE and not loses_by_rule(scratch, rules, move, attacker):
            scratch.line[2 * level] = move
            scratch.line[2 * level + 1] = reply
            if other_reply != NONE:
                scratch.line[2 * level + 2] = other_reply
                scratch.counters[LINE_LENGTH] = 2 * level + 3
                is_won = True
            else:
                put(scratch, reply, 3 - attacker)
                if loses_by_rule(scratch, rules, reply, 3 - attacker):
                    scratch.counters[LINE_LENGTH] = 2 * level + 2
                    is_won = True
                else:
                    is_won = win_by_fours(scratch, rules, attacker, depth - 1, level + 1)
                take(scratch, reply)
        take(scratch, move)
        if is_won:
            return True
    note_failure(scratch, key, depth)
    return False


@kernel
def holds_after(
    scratch: Scratch, rules: GomokuRules, attacker: int, defence: int, level: int, length: int
) -> bool:
    """Whether the fours scratch.threats[level, :length] still win after the stone on `defence`.

    The attacker is to move and had no winning point to stop before. The line as it goes now is written to
    scratch.line; replies may differ from those written down, they are worked out again.
    """
    scratch.counters[NODES] += 1
    last, num_fours, is_won = defence, 0, False
    for i in range(0, length, 2):
        move = scratch.threats[level, i]
        if scratch.stones[0, move] != 0:
            break
        scratch.line[i] = move
        if wins_on(scratch, rules, move, attacker):
            scratch.counters[LINE_LENGTH] = i + 1
            is_won = True
            break
        block, other_block = find_wins(scratch, rules, last, 3 - attacker)
        if other_block != NONE or (block != NONE and block != move):
            break
        put(scratch, move, attacker)
        reply, other_reply = find_wins(scratch, rules, move, attacker)
        if reply == NONE or loses_by_rule(scratch, rules, move, attacker):
            take(scratch, move)
            break
        scratch.line[i + 1] = reply
        put(scratch, reply, 3 - attacker)
        scratch.replies[num_fours] = reply
        num_fours += 1
        if other_reply != NONE:
            scratch.line[i + 2] = other_reply
            scratch.counters[LINE_LENGTH] = i + 3
            is_won = True
            break
        if loses_by_rule(scratch, rules, reply, 3 - attacker):
            scratch.counters[LINE_LENGTH] = i + 2
            is_won = True
            break
        last = reply
    for i in range(num_fours - 1, -1, -1):
        take(scratch, scratch.replies[i])
        take(scratch, scratch.threats[level, 2 * i])
    return is_won
