"""Gomoku on n x n with k in a row: kernels over batches, and the `Gomoku` game.

All rule sets differ in one kernel, `status_after`: who has won once a stone has been put. Under "renju" a
point that is forbidden for Black (see `stonezero.games.renju`) can be played and loses at once, as at the
board. So search needs nothing of its own: such a move is a finished game, worth -1 to Black, found by its
first visit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.game import Game, Keys, LegalMask, Moves, Rows
from stonezero.games.position import (
    BLACK,
    DRAW,
    EMPTY,
    HISTORY,
    NO_MOVE,
    ONGOING,
    WHITE,
    WHITE_WON,
    Positions,
    allocate_positions,
    copy_rows,
)
from stonezero.games.random import next_state, random_below
from stonezero.games.renju import FIVE, OVERLINE, judge_black, mark_forbidden
from stonezero.jit import kernel

FREESTYLE, STANDARD, RENJU = 0, 1, 2
RULE_CODES = {"freestyle": FREESTYLE, "standard": STANDARD, "renju": RENJU}


class GomokuRules(NamedTuple):
    """What kernels need to know of the rules."""

    size: int  #: points on a side of the board
    k: int  #: stones in a row that win
    code: int  #: FREESTYLE, STANDARD or RENJU


@kernel
def count_beyond(
    stones: NDArray[np.int8], row: int, point: int, row_step: int, column_step: int, size: int
) -> int:
    """How many stones of the colour on `point` follow it without a gap in one direction."""
    colour = stones[row, point]
    y = point // size + row_step
    x = point % size + column_step
    count = 0
    while 0 <= y < size and 0 <= x < size and stones[row, y * size + x] == colour:
        count += 1
        y += row_step
        x += column_step
    return count


@kernel
def makes_row(stones: NDArray[np.int8], row: int, point: int, rules: GomokuRules) -> bool:
    """Whether the stone on `point` stands in a row that wins, longer ones only under FREESTYLE."""
    for line in range(4):
        row_step = 0 if line == 0 else 1
        column_step = 1 if line == 0 else line - 2
        length = 1 + count_beyond(stones, row, point, row_step, column_step, rules.size)
        length += count_beyond(stones, row, point, -row_step, -column_step, rules.size)
        if length == rules.k or (length > rules.k and rules.code == FREESTYLE):
            return True
    return False


@kernel
def renju_status_after(stones: NDArray[np.int8], row: int, point: int, rules: GomokuRules) -> int:
    """`status_after` under RENJU: only fives win for Black, who must not play everywhere; White is free."""
    if stones[row, point] == BLACK:
        verdict = judge_black(stones, row, point, rules.size)
        return BLACK if verdict == FIVE else (WHITE if verdict >= OVERLINE else ONGOING)
    is_win = makes_row(stones, row, point, GomokuRules(rules.size, rules.k, FREESTYLE))
    return WHITE if is_win else ONGOING


@kernel
def status_after(stones: NDArray[np.int8], row: int, point: int, rules: GomokuRules) -> int:
    """The colour that has won by the stone just put on `point`, else ONGOING (a full board included)."""
    if rules.code == RENJU:
        return renju_status_after(stones, row, point, rules)
    if makes_row(stones, row, point, rules):
        return int(stones[row, point])
    return ONGOING


@kernel
def mark_empty(stones: NDArray[np.int8], row: int, status: int, legal: LegalMask, b: int) -> None:
    """Write legal[b]: the empty points, or nothing once the game is over."""
    is_ongoing = status == ONGOING
    for point in range(stones.shape[1]):
        legal[b, point] = is_ongoing and stones[row, point] == EMPTY


@kernel
def play_batch(
    positions: Positions, rules: GomokuRules, parents: Rows, moves: Moves, children: Rows, legal: LegalMask
) -> None:
    """Kernel of `Gomoku.play`; shapes as in `Game.play`."""
    num_points = positions.stones.shape[1]
    for b in range(len(parents)):
        parent, child, move = parents[b], children[b], np.int64(moves[b])
        mover = np.int64(positions.turn[parent])
        if child != parent:
            for point in range(num_points):
                positions.stones[child, point] = positions.stones[parent, point]
        positions.stones[child, move] = mover
        for age in range(HISTORY - 1, 0, -1):
            positions.recent_moves[child, age] = positions.recent_moves[parent, age - 1]
        positions.recent_moves[child, 0] = move
        ply = np.int64(positions.ply[parent]) + 1
        status = status_after(positions.stones, child, move, rules)
        if status == ONGOING and ply == num_points:
            status = DRAW
        positions.ply[child] = ply
        positions.turn[child] = 3 - mover
        positions.passes[child] = 0
        positions.status[child] = status
        mark_empty(positions.stones, child, status, legal, b)


@kernel
def mark_legal_batch(positions: Positions, rows: Rows, legal: LegalMask) -> None:
    """Kernel of `Gomoku.legal_moves`."""
    for b in range(len(rows)):
        mark_empty(positions.stones, rows[b], np.int64(positions.status[rows[b]]), legal, b)


@kernel
def list_empty(stones: NDArray[np.int8], row: int, empties: NDArray[np.int64]) -> int:
    """Write the empty points into `empties` (int64[S]) and return how many there are."""
    num_empty = 0
    for point in range(stones.shape[1]):
        if stones[row, point] == EMPTY:
            empties[num_empty] = point
            num_empty += 1
    return num_empty


@kernel
def roll_out(
    stones: NDArray[np.int8],
    row: int,
    turn: int,
    key: np.uint64,
    empties: NDArray[np.int64],
    rules: GomokuRules,
) -> int:
    """Put stones on stones[row] in random order until the game ends; return its status."""
    num_empty = list_empty(stones, row, empties)
    state = key
    while num_empty > 0:
        state = next_state(state)
        chosen = random_below(state, num_empty)
        point = empties[chosen]
        num_empty -= 1
        empties[chosen] = empties[num_empty]
        stones[row, point] = turn
        status = status_after(stones, row, point, rules)
        if status != ONGOING:
            return status
        turn = 3 - turn
    return DRAW


@kernel
def roll_out_batch(
    positions: Positions,
    rules: GomokuRules,
    keys: Keys,
    empties: NDArray[np.int64],
    values: NDArray[np.float32],
) -> None:
    """Kernel of `Gomoku.rollout` for all rows of `positions`, whose stones change; `empties` is int64[S]."""
    for b in range(len(keys)):
        turn = np.int64(positions.turn[b])
        status = np.int64(positions.status[b])
        if status == ONGOING:
            status = roll_out(positions.stones, b, turn, keys[b], empties, rules)
        values[b] = 0.0 if status == DRAW else (1.0 if status == turn else -1.0)


class Gomoku(Game):
    """Black starts; the first side with k of its stones in a row wins; a full board is a draw.

    Under "freestyle" longer rows win too, under "standard" only rows of exactly k. Under "renju" (k = 5) that
    holds for White and Black respectively, and Black loses by a stone on a forbidden point. There is no pass.
    """

    name = "gomoku"
    has_pass = False

    def __init__(self, size: int, k: int, rules: str) -> None:
        """Trusts its arguments; `make_game` checks them."""
        self.size = size
        self.k = k
        self.rules = rules
        self.num_points = self.num_actions = self.max_plies = size * size
        self.kernel_rules = GomokuRules(size, k, RULE_CODES[rules])

    def spec(self) -> dict[str, str | int]:
        return {"name": self.name, "size": self.size, "k": self.k, "rules": self.rules}

    def new_positions(self, num_positions: int) -> Positions:
        return allocate_positions(num_positions, self.num_points)

    def status_of(self, positions: Positions, row: int) -> int:
        stones = positions.stones
        occupied = [int(point) for point in np.flatnonzero(stones[row])]
        in_rows = [point for point in occupied if self._stands_in_row(positions, row, point)]
        winners = {int(stones[row, point]) for point in in_rows}
        if len(winners) > 1:
            raise UserError(f"both sides have {self.k} in a row")
        if winners:
            return winners.pop()
        if self._has_lost_by_rule(positions, row, occupied):
            return WHITE_WON
        return DRAW if len(occupied) == self.num_points else ONGOING

    def last_mover(self, positions: Positions, row: int) -> int:
        stones, status = positions.stones, int(positions.status[row])
        points = np.flatnonzero(stones[row] == status)
        has_row = any(self._stands_in_row(positions, row, int(point)) for point in points)
        return status if has_row else 3 - status

    def forbidden_moves(self, positions: Positions, row: int) -> list[int]:
        is_blacks = positions.status[row] == ONGOING and positions.turn[row] == BLACK
        if self.kernel_rules.code != RENJU or not is_blacks:
            return []
        kinds = np.empty(self.num_points, np.int8)
        mark_forbidden(positions.stones, row, self.size, kinds)
        return [int(point) for point in np.flatnonzero(kinds)]

    def _stands_in_row(self, positions: Positions, row: int, point: int) -> bool:
        """Whether a stone stands in a row that wins for its side."""
        is_free = self.kernel_rules.code == RENJU and positions.stones[row, point] == WHITE
        rules = self.kernel_rules._replace(code=FREESTYLE) if is_free else self.kernel_rules
        return bool(makes_row(positions.stones, row, point, rules))

    def _has_lost_by_rule(self, positions: Positions, row: int, occupied: list[int]) -> bool:
        """Whether Black's last stone is forbidden, or where that is unknown, whether there is an overline."""
        if self.kernel_rules.code != RENJU:
            return False
        last = int(positions.recent_moves[row, 0])
        black = [point for point in occupied if positions.stones[row, point] == BLACK]
        if last != NO_MOVE:
            black = [point for point in black if point == last]
        verdicts = [judge_black(positions.stones, row, point, self.size) for point in black]
        return any(verdict == OVERLINE or (verdict > OVERLINE and last != NO_MOVE) for verdict in verdicts)

    def play(
        self, positions: Positions, parents: Rows, moves: Moves, children: Rows, legal: LegalMask
    ) -> None:
        play_batch(positions, self.kernel_rules, parents, moves, children, legal)

    def legal_moves(self, positions: Positions, rows: Rows, legal: LegalMask) -> None:
        mark_legal_batch(positions, rows, legal)

    def rollout(self, positions: Positions, rows: Rows, keys: Keys, values: NDArray[np.float32]) -> None:
        played = copy_rows(positions, rows)
        roll_out_batch(played, self.kernel_rules, keys, np.empty(self.num_points, np.int64), values)
