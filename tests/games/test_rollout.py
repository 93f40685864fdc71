"""Rollouts against exact expectations, computed with the plain twins."""

from fractions import Fraction

import numpy as np
import pytest

from stonezero import Board
from stonezero.games import BLACK, Game, make_game
from tests.games.common import RandomPlay
from tests.reference import gomoku, othello

NUM_ROLLOUTS = 20000


def rollout_values(board: Board, num_rollouts: int = NUM_ROLLOUTS) -> np.ndarray:
    values = np.full(num_rollouts, np.nan, np.float32)
    rows = np.zeros(num_rollouts, np.int64)
    board.game.rollout(board.positions, rows, np.arange(num_rollouts, dtype=np.uint64), values)
    return values


def black_expectation_in_gomoku(cells: list[str], side: str, lines: list[list[int]], k: int) -> Fraction:
    outcome = gomoku.outcome(cells, lines, k, "freestyle")
    if outcome:
        return Fraction({"X": 1, "O": -1, "draw": 0}[outcome])
    empty = [point for point, cell in enumerate(cells) if cell == "."]
    children = [[*cells[:point], side, *cells[point + 1 :]] for point in empty]
    other = "O" if side == "X" else "X"
    return sum(black_expectation_in_gomoku(child, other, lines, k) for child in children) / Fraction(
        len(empty)
    )


def black_expectation_in_othello(board: othello.Board, side: str, size: int) -> Fraction:
    moves = othello.legal_moves(board, side, size)
    if not moves:
        return Fraction({"X": 1, "O": -1, "draw": 0}[othello.outcome(board)])
    children = [othello.play(board, side, move) for move in moves]
    values = [black_expectation_in_othello(child, othello.OTHER[side], size) for child in children]
    return sum(values) / Fraction(len(values))


def board_before_the_end(game: Game, num_empty: int, seed: int) -> Board:
    """A random position with so many empty points, its game not over."""
    while True:
        play = RandomPlay(game, 1, seed)
        while len(play.live) and np.count_nonzero(play.positions.stones == 0) > num_empty:
            play.step()
        if len(play.live):
            return Board.from_stones(game, play.positions.stones[0], int(play.positions.turn[0]))
        seed += 1000


@pytest.mark.parametrize("seed", range(3))
def test_gomoku_rollouts_have_the_mean_of_uniformly_random_play(seed: int) -> None:
    board = board_before_the_end(make_game("gomoku", 4, 3), 6, seed)
    cells = [".XO"[stone] for stone in board.stones.ravel()]
    expected = black_expectation_in_gomoku(cells, " XO"[board.turn], gomoku.lines_of(4), 3)
    assert_mean(board, expected)


@pytest.mark.parametrize("seed", range(3))
def test_othello_rollouts_have_the_mean_of_uniformly_random_play(seed: int) -> None:
    board = board_before_the_end(make_game("othello", 6), 6, seed)
    discs = {divmod(point, 6): " XO"[disc] for point, disc in enumerate(board.stones.ravel()) if disc}
    assert_mean(board, black_expectation_in_othello(discs, " XO"[board.turn], 6))


def assert_mean(board: Board, black_expectation: Fraction) -> None:
    """Within five standard errors of a value in [-1, 1]; the keys are fixed, so chance never decides."""
    expected = float(black_expectation) * (1 if board.turn == BLACK else -1)
    assert abs(rollout_values(board).mean() - expected) < 5 / NUM_ROLLOUTS**0.5


def test_neighbouring_keys_play_different_games() -> None:
    values = rollout_values(Board("gomoku", 9, 5), 2000)
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 0.1
    assert set(np.unique(values).tolist()) >= {-1.0, 1.0}
