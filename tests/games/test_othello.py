"""Othello against its plain twin, and the ends of games one by one."""

import numpy as np
import pytest

from stonezero import Board
from stonezero.games import BLACK, BLACK_WON, DRAW, ONGOING, WHITE, WHITE_WON, Game, make_game
from stonezero.games.board import GameOverError, IllegalMoveError
from tests.games.common import ALL_GAMES, RandomPlay, game_id, play_line
from tests.reference import othello as twin

STATUS = {"X": BLACK_WON, "O": WHITE_WON, "draw": DRAW}
GAMES = [game for game in ALL_GAMES if game.name == "othello"]


def to_stones(board: twin.Board, size: int) -> list[int]:
    return [" XO".index(board.get((y, x), " ")) for y in range(size) for x in range(size)]


def set_up(rows: str, turn: int) -> Board:
    """A board from rows of ., X and O."""
    lines = rows.split()
    stones = np.array([[".XO".index(symbol) for symbol in line] for line in lines], np.int8)
    return Board.from_stones(make_game("othello", len(lines)), stones, turn)


@pytest.mark.parametrize("game", GAMES, ids=game_id)
def test_boards_legal_moves_and_results_equal_the_twins_after_every_ply(game: Game) -> None:
    num_games = 40 if game.size == 4 else 6
    play = RandomPlay(game, num_games, seed=20)
    boards, sides = [twin.start(game.size)] * num_games, ["X"] * num_games
    while True:
        for row in range(num_games):
            moves = twin.legal_moves(boards[row], sides[row], game.size)
            indices = [game.pass_move if isinstance(m, str) else m[0] * game.size + m[1] for m in moves]
            assert play.positions.stones[row].tolist() == to_stones(boards[row], game.size)
            assert np.flatnonzero(play.legal[row]).tolist() == sorted(indices)
            assert play.positions.status[row] == (ONGOING if moves else STATUS[twin.outcome(boards[row])])
        if not len(play.live):
            break
        for row, move in zip(*play.step(), strict=True):
            where = "pass" if move == game.pass_move else divmod(int(move), game.size)
            boards[row] = twin.play(boards[row], sides[row], where)
            sides[row] = twin.OTHER[sides[row]]


def test_one_stuck_side_must_pass_and_the_game_goes_on() -> None:
    board = set_up("XXXXXX OOOOOX .OOOOX OOOOOX OOOOOX OOOOOO", WHITE)
    assert not board.is_over
    assert board.legal_moves() == [board.game.pass_move]
    board.play("pass")
    assert board.turn == BLACK
    assert board.legal_moves() == [12]
    with pytest.raises(IllegalMoveError, match="pass is not legal"):
        board.play("pass")


def test_the_game_ends_at_once_when_neither_side_can_move() -> None:
    board = set_up("XXXX XXX. XOXX XXX.", BLACK)
    assert board.is_over
    assert board.winner == BLACK
    assert board.legal_moves() == []
    with pytest.raises(GameOverError):
        board.play("pass")


def test_wiping_a_side_out_ends_the_game_at_once_with_points_left_empty() -> None:
    board = play_line(Board("othello", 8), "e6 f4 e3 f6 g5 d6 e7 f5 c5")
    assert board.score == (13, 0)
    assert board.winner == BLACK
    assert board.legal_moves() == []


def test_the_last_disc_ends_the_game() -> None:
    board = set_up(".OXO OOOO XOXO OXOO", BLACK)
    board.play("a1")
    assert board.is_over
    assert sum(board.score) == 16


def test_equal_discs_are_a_draw_for_both_sides() -> None:
    rows = " ".join(["XXXXXXXX"] * 4 + ["OOOOOOOO"] * 4)
    for side in (BLACK, WHITE):
        board = set_up(rows, side)
        assert board.score == (32, 32)
        assert (board.status, board.winner, board.is_over, board.is_draw) == (DRAW, None, True, True)
        board.positions.turn[0] = side
        value = np.full(1, np.nan, np.float32)
        board.game.rollout(board.positions, np.zeros(1, np.int64), np.zeros(1, np.uint64), value)
        assert value[0] == 0.0


def test_random_games_of_8x8_are_sometimes_drawn_and_sometimes_end_early() -> None:
    final = RandomPlay(make_game("othello", 8), 1000, seed=21).play_out()
    discs = np.count_nonzero(final.stones, axis=1)
    assert 10 < np.count_nonzero(final.status == DRAW) < 100
    assert 0 < np.count_nonzero(discs < 64) < 200
    black_lead = (final.stones == BLACK).sum(axis=1) - (final.stones == WHITE).sum(axis=1)
    assert (final.status == np.select([black_lead > 0, black_lead < 0], [BLACK_WON, WHITE_WON], DRAW)).all()


def test_feinsteins_perfect_game_on_6x6_is_legal_and_ends_16_to_20() -> None:
    line = (
        "c2 b4 c5 d2 e4 e3 d1 c1 b1 d5 d6 f4 b3 b2 f3 f2 e2 b6 a4 c6 a6 a2 b5 a5 e6 e5 a3 a1 f5 f6 pass e1 f1"
    )
    board = play_line(Board("othello", 6), line)
    assert board.score == (16, 20)
    assert board.winner == WHITE
