"""`greedy`, an anchor that looks one move ahead. Version 1: it never changes.

Othello: the move that turns most discs. Gomoku: the point that makes the longest row, the side's own or, by
blocking, the opponent's; at equal length its own. A row longer than k counts for nothing, but under freestyle
rules for one of k. Ties are broken uniformly at random.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, LegalMask, Moves, Rows
from stonezero.games.gomoku import FREESTYLE, RULE_CODES, Gomoku, GomokuRules, count_beyond
from stonezero.games.othello import OUTSIDE, Layout, load_board, make_layout
from stonezero.games.position import EMPTY, Positions
from stonezero.jit import kernel
from stonezero.players.keys import keys_of_plies, uniforms
from stonezero.players.player import Player


def rules_of(game: Gomoku) -> GomokuRules:
    """The rules as kernels want them."""
    return GomokuRules(game.size, game.k, RULE_CODES[game.rules])


@kernel
def count_turned(board: NDArray[np.int8], square: int, side: int, layout: Layout) -> int:
    """How many discs `side` turns by a move on the empty `square` of a bordered board."""
    turned = 0
    for direction in range(8):
        step = layout.steps[direction]
        end = square + step
        length = 0
        while board[end] == 3 - side:
            end += step
            length += 1
        if board[end] == side:
            turned += length
    return turned


@kernel
def score_flips(
    positions: Positions,
    work: tuple[Layout, NDArray[np.int8]],
    rows: Rows,
    legal: LegalMask,
    scores: NDArray[np.int32],
) -> None:
    """Write scores int32[B, A]: discs turned by each legal move (0 by a pass), -1 for all others."""
    layout, board = work
    for b in range(len(rows)):
        load_board(positions.stones, rows[b], layout, board)
        side = np.int64(positions.turn[rows[b]])
        for move in range(legal.shape[1]):
            scores[b, move] = legal[b, move] - 1
            if legal[b, move] and move < len(layout.square_of):
                scores[b, move] = count_turned(board, layout.square_of[move], side, layout)


@kernel
def longest_row(stones: NDArray[np.int8], row: int, point: int, rules: GomokuRules) -> int:
    """Length of the longest row through the stone on `point`, at most k; 0 for one too long to win."""
    longest = 0
    for line in range(4):
        row_step = 0 if line == 0 else 1
        column_step = 1 if line == 0 else line - 2
        length = 1 + count_beyond(stones, row, point, row_step, column_step, rules.size)
        length += count_beyond(stones, row, point, -row_step, -column_step, rules.size)
        if length > rules.k:
            length = rules.k if rules.code == FREESTYLE else 0
        longest = max(longest, length)
    return longest


@kernel
def score_rows(
    positions: Positions, rules: GomokuRules, rows: Rows, legal: LegalMask, scores: NDArray[np.int32]
) -> None:
    """Write scores int32[B, A]: 2n + 1 for an own row of n, 2n for a blocked one; -1 for illegal moves."""
    for b in range(len(rows)):
        row, side = rows[b], positions.turn[rows[b]]
        for move in range(legal.shape[1]):
            scores[b, move] = -1
            if legal[b, move]:
                positions.stones[row, move] = side
                own = longest_row(positions.stones, row, move, rules)
                positions.stones[row, move] = 3 - side
                blocked = longest_row(positions.stones, row, move, rules)
                positions.stones[row, move] = EMPTY
                scores[b, move] = max(2 * own + 1, 2 * blocked)


class GreedyPlayer(Player):
    """The best move by `score_flips` or `score_rows`."""

    name = "greedy"

    def __init__(self, game: Game) -> None:
        self._game = game
        self._layout = make_layout(game.size)
        self._board = np.full((game.size + 2) ** 2, OUTSIDE, np.int8)

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        scores = self.scores(positions, rows)
        chances = uniforms(keys_of_plies(keys, positions.ply[rows]))
        is_best = scores == scores.max(axis=1, keepdims=True)
        return np.array(
            [np.flatnonzero(row)[int(u * row.sum())] for row, u in zip(is_best, chances, strict=True)],
            np.int16,
        )

    def scores(self, positions: Positions, rows: Rows) -> NDArray[np.int32]:
        """int32[B, A]: what each legal move is worth; -1 for illegal ones."""
        legal = np.zeros((len(rows), self._game.num_actions), np.uint8)
        self._game.legal_moves(positions, rows, legal)
        scores = np.empty(legal.shape, np.int32)
        if isinstance(self._game, Gomoku):
            score_rows(positions, rules_of(self._game), rows, legal, scores)
        else:
            score_flips(positions, (self._layout, self._board), rows, legal, scores)
        return scores
