"""Games with known values, solved with the kernels.

Sources: solved independently for this project (4x4 and 6x6 Othello endings, small k-in-a-row boards).
"""

import numpy as np
import pytest

from stonezero import Board
from stonezero.games import BLACK, WHITE, make_game
from tests.games.solve import Score, black_wins, difference_with_empties, disc_difference, solve

OTHELLO_6_ENDINGS = [
    ("OOOO-XOXXOOXOXXOOXXXXOXX--OOX--OOOX-", "X", -4, -4),
    ("OOO--O-OOXOO--XOXO-XOOXO-OX-XOXXXXXO", "X", 8, 8),
    ("--OO----OO-OOOXO-OXXXOXOXXOOOOXXXOOO", "X", 4, 4),
    ("OOOXXX-OOO--OXOXOOXOOX--XXXXO-XX-X--", "O", 10, 10),
    ("-XXXXX--XXXOO-OXOOOOOOXOOOOXO---X---", "X", 21, 22),
    ("--OOX-XXOOXX-OOOX-OOXOXXOOOOXOXXOOX-", "X", -12, -12),
    ("X-XXXX-XXXXX-XXOXX--XXXX-XXXOX---OOO", "O", -2, -2),
    ("-XXXO-OXXXX--OOOOOXXXXOXOXXOO--OXOOO", "X", 10, 10),
    ("-OOO--OOOO-XOOXOOXO-XXXX--XXXX--XXXX", "O", -30, -30),
]


@pytest.mark.parametrize(("score", "value"), [(disc_difference, -8), (difference_with_empties, -10)])
def test_white_wins_4x4_othello(score: Score, value: int) -> None:
    game = make_game("othello", 4)
    assert solve(game, game.new_positions(1), score)[0] == value


@pytest.mark.parametrize(("text", "side", "discs", "with_empties"), OTHELLO_6_ENDINGS)
def test_6x6_othello_endings(text: str, side: str, discs: int, with_empties: int) -> None:
    game = make_game("othello", 6)
    stones = np.array(["-XO".index(symbol) for symbol in text], np.int8)
    board = Board.from_stones(game, stones, BLACK if side == "X" else WHITE)
    sign = 1 if side == "X" else -1
    assert solve(game, board.positions, disc_difference)[0] == sign * discs
    assert solve(game, board.positions, difference_with_empties)[0] == sign * with_empties


def test_tictactoe_is_a_draw_with_765_positions_up_to_symmetry() -> None:
    game = make_game("gomoku", 3, 3)
    assert solve(game, game.new_positions(1), black_wins) == (0, 765)


@pytest.mark.parametrize("rules", ["freestyle", "standard"])
def test_black_wins_three_in_a_row_on_4x4_with_the_third_stone(rules: str) -> None:
    game = make_game("gomoku", 4, 3, rules)
    assert solve(game, game.new_positions(1), black_wins, max_plies=4)[0] == 0
    assert solve(game, game.new_positions(1), black_wins, max_plies=5)[0] == 1


@pytest.mark.slow
def test_four_in_a_row_on_4x4_is_a_draw() -> None:
    game = make_game("gomoku", 4, 4)
    assert solve(game, game.new_positions(1), black_wins)[0] == 0
