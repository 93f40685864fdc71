"""Shapes that deceive where rows must be exact or points are forbidden: right in freestyle, wrong here.

A false row is one that would win in freestyle and is too long under the rules in force.
"""

import numpy as np

from stonezero.games import make_game
from stonezero.games.gomoku import RENJU, Gomoku
from stonezero.games.position import BLACK, EMPTY
from stonezero.games.renju import LINE_BITS, NUM_LINES, OVERLINE, WIDTH, judge_black, judge_lines
from stonezero.tactics.case import Case, Found
from stonezero.tactics.gomoku_kinds import FOUR_THREE_PLIES, MOST_ANSWERS, Prover, Wants, block_in_1

WIN_BESIDE, BLOCK_BESIDE, REAL_ONE = "win beside a false row", "block, not a false row", "block the real row"
NO_BLOCK, TRICK, ALLOWED_POINT = "no forbidden block", "win by a forbidden point", "false double three"


class ShapeProver(Prover):
    """A prover with its twin under freestyle."""

    def __init__(self, game: Gomoku) -> None:
        super().__init__(game)
        free = make_game(game.name, game.size, game.k)
        assert isinstance(free, Gomoku)
        self.free = Prover(free)

    def freely(self, case: Case) -> Case:
        """The same position under freestyle."""
        return Case(self.free.game, case.positions, case.moves)


def false_shape(case: Case, prover: ShapeProver, wants: Wants) -> Found | None:
    """A position in which a move that would be right in freestyle is wrong, or only looks forbidden."""
    found = _false_row(case, prover, wants)
    if found is None and prover.game.kernel_rules.code == RENJU and not case.wins and not case.threats:
        find = _by_black if case.turn == BLACK else _by_white
        found = find(case, prover, wants)
    return found


def _false_row(case: Case, prover: ShapeProver, wants: Wants) -> Found | None:
    free = prover.freely(case)
    own_false = set(free.wins) - set(case.wins)
    if case.wins:
        return Found(case.wins, WIN_BESIDE, 1) if own_false and len(case.wins) <= 2 else None
    group = BLOCK_BESIDE if own_false else REAL_ONE
    if wants(group) and (own_false or len(free.threats) > len(case.threats)):
        found = block_in_1(case, prover, lambda direction: True)
        return found and found._replace(group=group)
    return None


def _by_black(case: Case, prover: ShapeProver, wants: Wants) -> Found | None:
    """Black wins on a point that only looks forbidden, or must not meet a threat on a forbidden one."""
    forbidden, deceptive = _judged(case)
    if deceptive and wants(ALLOWED_POINT):
        return _allowed_point(case, prover, deceptive)
    if not forbidden or not wants(NO_BLOCK) or prover.wins_by_fours(case):
        return None
    result, free = prover.threes.solve(case.passed.positions, 0), prover.freely(case)
    if not result.is_win or not any(prover.free.holds(free, point) for point in forbidden):
        return None
    answers = prover.holding(case)
    return Found(answers, NO_BLOCK, len(result.line) + 1) if answers else None


def _allowed_point(case: Case, prover: ShapeProver, deceptive: list[int]) -> Found | None:
    result = prover.spotting.solve(case.positions, 0)
    if not result.is_win or not any(prover.is_won(case.after(point), prover.spotting) for point in deceptive):
        return None
    answers = prover.winning(case, prover.spotting)
    return Found(answers, ALLOWED_POINT, len(result.line)) if 0 < len(answers) <= MOST_ANSWERS else None


def _by_white(case: Case, prover: ShapeProver, wants: Wants) -> Found | None:
    """White wins because Black may not play where he would have to; in freestyle no win is found."""
    result = prover.fours.solve(case.positions, 0)
    if not wants(TRICK) or not 0 < len(result.line) <= FOUR_THREE_PLIES:
        return None
    free = prover.freely(case)
    if prover.free.deep.solve(free.positions, 0).is_win:
        return None
    answers = prover.winning(case)
    return Found(answers, TRICK, len(result.line)) if 0 < len(answers) <= MOST_ANSWERS else None


def _judged(case: Case) -> tuple[list[int], list[int]]:
    """Empty points that are forbidden, and those that are not though threes seem to be made on two lines."""
    stones, size = case.positions.stones.copy(), case.game.size
    forbidden: list[int] = []
    deceptive: list[int] = []
    for point in np.flatnonzero(stones[0] == EMPTY).tolist():
        stones[0, point] = BLACK
        verdict, threes = judge_lines(stones, 0, point, size)
        lines = sum(bool(threes >> (WIDTH * line) & LINE_BITS) for line in range(NUM_LINES))
        if verdict >= OVERLINE or lines > 1:
            kind = judge_black(stones, 0, point, size)
            (forbidden if kind >= OVERLINE else deceptive).append(point)
        stones[0, point] = EMPTY
    return forbidden, deceptive
