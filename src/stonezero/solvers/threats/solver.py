"""The way in: proven wins of a position, and the moves that meet the other side's threats.

Node limits bound the time, so that a share of the time of a search can be promised: a node is one look at the
whole board or one line of fours played through, two or three microseconds (`python -m benchmarks.threats`).
A win reported is proven; "no win found" says nothing.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.game import Game, Moves, Rows
from stonezero.games.gomoku import Gomoku, GomokuRules
from stonezero.games.notation import describe, quoted
from stonezero.games.position import NO_MOVE, ONGOING, Positions
from stonezero.jit import kernel
from stonezero.solvers.threats.threes import BEST, NO_THREAT, deepen, list_must_blocks
from stonezero.solvers.threats.windows import (
    MAX_DEPTH,
    NODE_LIMIT,
    NODES,
    ZERO,
    Scratch,
    allocate_scratch,
    load,
)

DEFAULT_DEPTH = 4
DEFAULT_NODES = 100_000
MAX_NODES = 2**40


class ThreatResult(NamedTuple):
    """What a search for a win by threats has found."""

    is_win: bool  #: the side to move wins by force: proven
    line: list[int]  #: moves of both sides to the end of the game, replies as long as possible; [] if no win
    nodes: int  #: spent
    was_cut_off: bool  #: the nodes were used up: there may be a win within the depth


@kernel
def prove_batch(
    scratch: Scratch,
    rules: GomokuRules,
    positions: Positions,
    rows: Rows,
    depth: int,
    node_limit: int,
    moves: Moves,
) -> None:
    """Write moves[b]: the first move of a proven win of the side to move at rows[b], or NO_MOVE."""
    for b in range(len(rows)):
        row = rows[b]
        moves[b] = NO_MOVE
        if positions.status[row] == ONGOING:
            load(scratch, positions.stones, row, node_limit)
            if deepen(scratch, rules, np.int64(positions.turn[row]), depth, ZERO):
                moves[b] = scratch.best[0, 0]


class ThreatSolver:
    """Finds wins by threats on one board under one rule set; all memory is allocated here, once.

    Works for any k: a *four* is k - 1 in a row of k, a *three* k - 2. Answers depend on the position alone.
    """

    def __init__(self, game: Game, depth: int = DEFAULT_DEPTH, nodes: int = DEFAULT_NODES) -> None:
        """`depth`, 0..MAX_DEPTH: moves that are threes or fours before the last fours; 0 for fours alone.

        `nodes`: most looks at the board for one answer, at least 1. Raises UserError.
        """
        if not isinstance(game, Gomoku):
            raise UserError(f"threats are searched for in gomoku, not in {describe(game)}")
        for name, value, low, high in (("depth", depth, 0, MAX_DEPTH), ("nodes", nodes, 1, MAX_NODES)):
            is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not is_integer or not low <= value <= high:
                raise UserError(
                    f"{name} of a threat search is a number from {low} to {high}, not {quoted(value)}"
                )
        self._rules = game.kernel_rules
        self._depth, self._nodes = int(depth), int(nodes)
        self._scratch = allocate_scratch(self._rules)
        self._blocks = np.zeros(game.num_points, np.int64)

    def solve(self, positions: Positions, row: int) -> ThreatResult:
        """A win of the side to move at `row`, whose game is not over."""
        scratch = self._scratch
        load(scratch, positions.stones, row, self._nodes)
        is_win = bool(deepen(scratch, self._rules, int(positions.turn[row]), self._depth, 0))
        line = scratch.best[0, : scratch.lengths[0, BEST]].tolist() if is_win else []
        nodes, limit = int(scratch.counters[NODES]), int(scratch.counters[NODE_LIMIT])
        return ThreatResult(is_win, line, nodes, not is_win and nodes >= limit)

    def must_blocks(self, positions: Positions, row: int) -> list[int] | None:
        """The moves at `row` that are not proven to lose to the other side's threat, in rising order.

        None where the other side is found to threaten nothing; [] where every move is proven to lose. A side
        that wins at once has that move alone.
        """
        load(self._scratch, positions.stones, row, self._nodes)
        turn = int(positions.turn[row])
        count = list_must_blocks(self._scratch, self._rules, turn, self._depth, self._blocks)
        return None if count == NO_THREAT else self._blocks[:count].tolist()

    def prove(self, positions: Positions, rows: Rows) -> NDArray[np.int16]:
        """int16[B]: for each row the first move of a proven win of the side to move, or NO_MOVE."""
        moves = np.empty(len(rows), np.int16)
        prove_batch(self._scratch, self._rules, positions, rows, self._depth, self._nodes, moves)
        return moves


@cache
def _solver_of(game: Game, depth: int, nodes: int) -> ThreatSolver:
    return ThreatSolver(game, depth, nodes)


def solve_threats(board: Board, depth: int = DEFAULT_DEPTH, nodes: int = DEFAULT_NODES) -> ThreatResult:
    """A win of the side to move by fours and threes, as `ThreatSolver.solve`; no win once the game is over.

    >>> board = Board("gomoku", size=6, k=4)
    >>> for move in ("c3", "a1", "c4", "a6"):
    ...     board.play(move)
    >>> solve_threats(board).is_win
    True
    """
    if board.is_over:
        return ThreatResult(False, [], 0, False)
    return _solver_of(board.game, depth, nodes).solve(board.positions, 0)


def must_blocks(board: Board, depth: int = DEFAULT_DEPTH, nodes: int = DEFAULT_NODES) -> list[int] | None:
    """The moves that meet the other side's threat, as `ThreatSolver.must_blocks`; None at the end."""
    return None if board.is_over else _solver_of(board.game, depth, nodes).must_blocks(board.positions, 0)
