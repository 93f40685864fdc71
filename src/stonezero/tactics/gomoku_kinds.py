"""What makes a Gomoku position one of a kind, with all its right answers.

- Where something is to be won, a move is right if it is proven to win.
- Where something is to be met, a move is wrong if it is proven to lose, and right if the solver, at the depth
  below and without being cut off, finds no win against it.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from stonezero.games.gomoku import Gomoku
from stonezero.games.position import ONGOING
from stonezero.solvers.threats import ThreatSolver
from stonezero.tactics.case import Case, Found, direction_of, distance_to_edge
from stonezero.tactics.gomoku_games import ring_stones

DEPTH, NODES = 3, 20_000  #: of proofs
SPOTTING_NODES = 2_000  #: of looking for a threat
BLOCKING_NODES = 30_000
DEEP_NODES = 100_000  #: of the search that must not find a win against a right answer
MOST_ANSWERS = 8
LEAST_LEGAL_PER_RIGHT = 3
MOST_TRIED = 16
FOUR_THREE_PLIES = 5
DOUBLE_THREE_PLIES = 6
TRAP_PLIES = range(6, 13)
LEAST_RING_STONES = 8
Wants = Callable[[str], bool]
"""Whether positions of a group are still looked for: asked before what is expensive."""

DIRECTIONS = {(0, 1): "row", (1, 0): "column", (1, 1): "falling", (1, -1): "rising"}


class Prover:
    """The solvers of one board under one rule set, from the quickest to the most thorough."""

    def __init__(self, game: Gomoku) -> None:
        self.game = game
        self.fours = ThreatSolver(game, 0, NODES)
        self.threes = ThreatSolver(game, 1, NODES)
        self.spotting = ThreatSolver(game, DEPTH, SPOTTING_NODES)
        self.deep = ThreatSolver(game, DEPTH, NODES)
        self._blocking = [ThreatSolver(game, depth, BLOCKING_NODES) for depth in range(1, DEPTH + 1)]
        self._thorough = ThreatSolver(game, DEPTH, DEEP_NODES)

    def wins_by_fours(self, case: Case) -> bool:
        """Whether the side to move is proven to win by fours."""
        return self.fours.solve(case.positions, 0).is_win

    def winning(self, case: Case, solver: ThreatSolver | None = None) -> list[int]:
        """All moves proven to win, by `solver` (default: the deep one), in rising order."""
        children = case.children
        refuted = self.fours.prove(children, np.arange(len(case.legal))) >= 0
        open_rows = [row for row in range(len(case.legal)) if not refuted[row]]
        afters = {case.legal[row]: case.after(case.legal[row]) for row in open_rows}
        return [move for move, after in afters.items() if self.is_won(after, solver or self.deep)]

    def is_won(self, after: Case, solver: ThreatSolver) -> bool:
        """Whether the side that has just moved is proven to win."""
        if after.positions.status[0] != ONGOING:
            return bool(after.positions.status[0] == 3 - after.turn)
        return solver.must_blocks(after.positions, 0) == []

    def holding(self, case: Case, where: Callable[[int], bool] | None = None) -> list[int] | None:
        """All moves that hold against the other side's threat; None where there is none, or too many hold.

        Most moves are refuted by a shallow search, the others have to stand a thorough one. None, too, where
        one of the others is not `where` it is wanted.
        """
        depths = (solver.must_blocks(case.positions, 0) for solver in self._blocking)
        moves = next((moves for moves in depths if moves is not None), None)
        if not moves or len(moves) > MOST_TRIED or (where and not all(map(where, moves))):
            return None
        most = min(MOST_ANSWERS, len(case.legal) // LEAST_LEGAL_PER_RIGHT)
        right: list[int] = []
        for move in moves:
            result = self._thorough.solve(case.after(move).positions, 0)
            if result.is_win:
                continue
            if result.was_cut_off or len(right) == most:
                return None
            right.append(move)
        return right or None

    def holds(self, case: Case, move: int) -> bool:
        """Whether a thorough search finds no win against `move`, and is not cut off."""
        result = self._thorough.solve(case.after(move).positions, 0)
        return not result.is_win and not result.was_cut_off


def win_in_1(case: Case, prover: Prover, wants: Wants) -> Found | None:
    """A move that makes a row is there."""
    if not case.wins or len(case.wins) > 2:
        return None
    return Found(case.wins, _direction_of_row(case, case.wins[0]), 1)


def block_in_1(case: Case, prover: Prover, wants: Wants) -> Found | None:
    """The other side would make a row on one point; after a stone there it has no win that is found."""
    if case.wins or len(case.threats) != 1:
        return None
    (answer,) = case.threats
    group, after = _direction_of_row(case.passed, answer), case.after(answer).positions
    if not wants(group) or after.status[0] != ONGOING or prover.deep.solve(after, 0).is_win:
        return None
    return Found([answer], group, 2)


def four_three(case: Case, prover: Prover, wants: Wants) -> Found | None:
    """One stone makes a four and a three, and wins; the other side would win by fours itself."""
    if case.wins or case.threats:
        return None
    result = prover.fours.solve(case.positions, 0)
    if len(result.line) != FOUR_THREE_PLIES or not _is_four_three(case, result.line):
        return None
    if not prover.wins_by_fours(case.passed):
        return None
    answers = prover.winning(case)
    return Found(answers, "", FOUR_THREE_PLIES) if 0 < len(answers) <= MOST_ANSWERS else None


def double_three(case: Case, prover: Prover, wants: Wants) -> Found | None:
    """The other side would make two threes with one stone, has nothing quicker, and it can be prevented."""
    if case.wins or case.threats or prover.wins_by_fours(case) or prover.wins_by_fours(case.passed):
        return None
    result = prover.threes.solve(case.passed.positions, 0)
    if not result.is_win or not _makes_two_threes(case.passed, result.line[0]):
        return None
    answers = prover.holding(case)
    return Found(answers, "", DOUBLE_THREE_PLIES) if answers else None


def edge(case: Case, prover: Prover, wants: Wants) -> Found | None:
    """Stones ring the centre, and all that holds lies on the outer two lines."""
    if case.wins or prover.wins_by_fours(case) or ring_stones(case) < LEAST_RING_STONES:
        return None
    result = prover.threes.solve(case.passed.positions, 0)
    if not result.is_win:
        return None
    plies = len(result.line) + 1
    group = "four" if plies == 2 else "three"
    if not wants(group):
        return None
    answers = prover.holding(case, lambda move: distance_to_edge(case.game.size, move) <= 1)
    return Found(answers, group, plies) if answers else None


def trap(case: Case, prover: Prover, wants: Wants) -> Found | None:
    """The other side threatens a long win by threats, and it can still be met."""
    if case.wins or case.threats or prover.wins_by_fours(case):
        return None
    result = prover.spotting.solve(case.passed.positions, 0)
    plies = len(result.line) + 1
    group = f"{plies} plies"
    if plies not in TRAP_PLIES or not wants(group) or prover.deep.solve(case.positions, 0).is_win:
        return None
    answers = prover.holding(case)
    return Found(answers, group, plies) if answers else None


def _direction_of_row(case: Case, move: int) -> str:
    """Which way the row goes that `move` makes, or which edge of the board it lies on."""
    size, k, colour = case.game.size, row_length(case), case.turn
    y, x = divmod(move, size)
    for (down, right), name in DIRECTIONS.items():
        run = 1
        for sign in (1, -1):
            row, column = y + sign * down, x + sign * right
            while 0 <= row < size and 0 <= column < size and case.stones[row * size + column] == colour:
                run += 1
                row, column = row + sign * down, column + sign * right
        if run >= k:
            if name == "row" and y in (0, size - 1):
                return "bottom edge" if y else "top edge"
            if name == "column" and x in (0, size - 1):
                return "right edge" if x else "left edge"
            return name
    return ""


def row_length(case: Case) -> int:
    """Stones in a row that win."""
    assert isinstance(case.game, Gomoku)
    return case.game.k


def _is_four_three(case: Case, line: list[int]) -> bool:
    """Whether the line goes four, block, straight four on another line through the first stone."""
    size = case.game.size
    four, block, straight = line[:3]
    ends = case.after(four, block, straight).threats
    if len(ends) < 2:
        return False
    way = direction_of(size, [four, straight, *ends[:2]])
    return way is not None and way != direction_of(size, [four, block])


def _makes_two_threes(case: Case, move: int) -> bool:
    """Whether a stone of the side to move on `move` makes straight fours possible on two lines through it."""
    size = case.game.size
    there = case.after(move).passed
    ways = set()
    for way in DIRECTIONS:
        for addition in _near(size, move, way, row_length(case) - 1):
            if there.stones[addition] == 0 and way not in ways:
                ends = there.after(addition).threats
                if any(direction_of(size, [move, addition, *pair]) == way for pair in combinations(ends, 2)):
                    ways.add(way)
    return len(ways) >= 2


def _near(size: int, point: int, way: tuple[int, int], reach: int) -> list[int]:
    """The points within `reach` of a point along a line."""
    y, x = divmod(point, size)
    places = [(y + i * way[0], x + i * way[1]) for i in range(-reach, reach + 1) if i]
    return [row * size + column for row, column in places if 0 <= row < size and 0 <= column < size]
