"""Gomoku against its plain twin, and the rules one by one."""

import numpy as np
import pytest

from stonezero import Board
from stonezero.games import BLACK, BLACK_WON, DRAW, EMPTY, ONGOING, WHITE, WHITE_WON, Game, make_game
from tests.games.common import ALL_GAMES, RandomPlay, game_id, play_line, random_positions
from tests.reference import gomoku as twin

STATUS = {"": ONGOING, "X": BLACK_WON, "O": WHITE_WON, "draw": DRAW}
GAMES = [game for game in ALL_GAMES if game.name == "gomoku" and game.spec()["rules"] != "renju"]
OVERLINES = [
    make_game("gomoku", n, k, rules) for n, k in ((5, 3), (8, 4)) for rules in ("freestyle", "standard")
]


def to_twin(stones: np.ndarray) -> list[str]:
    return [".XO"[stone] for stone in stones]


@pytest.mark.parametrize("game", GAMES + OVERLINES, ids=game_id)
def test_status_and_legal_moves_equal_the_twins_after_every_ply(game: Game) -> None:
    spec = game.spec()
    lines = twin.lines_of(game.size)
    positions = random_positions(game, 2 if game.size > 9 else 20, seed=10)
    rows = np.arange(len(positions.turn))
    legal = np.full((len(rows), game.num_actions), 255, np.uint8)
    game.legal_moves(positions, rows, legal)
    for row in rows:
        board = to_twin(positions.stones[row])
        outcome = twin.outcome(board, lines, int(spec["k"]), str(spec["rules"]))
        assert positions.status[row] == STATUS[outcome]
        empty = [cell == "." for cell in board]
        assert legal[row].tolist() == (empty if outcome == "" else [False] * len(board))


@pytest.mark.parametrize("game", [*OVERLINES, make_game("gomoku", 9, 5, "standard")], ids=game_id)
def test_a_stone_wins_just_where_the_twin_sees_a_new_row(game: Game) -> None:
    rng = np.random.default_rng(11)
    lines, rules, k = twin.lines_of(game.size), str(game.spec()["rules"]), int(game.spec()["k"])
    boards = rng.choice([EMPTY, BLACK, WHITE], size=(3000, game.num_points), p=[0.5, 0.4, 0.1]).astype(
        np.int8
    )
    moves = rng.integers(0, game.num_points, len(boards)).astype(np.int16)
    boards[np.arange(len(boards)), moves] = EMPTY
    quiet = [not twin.winners(to_twin(board), lines, k, rules) for board in boards]
    positions = game.new_positions(sum(quiet))
    positions.stones[:] = boards[quiet]
    rows = np.arange(sum(quiet))
    game.play(positions, rows, moves[quiet], rows, np.empty((len(rows), game.num_actions), np.uint8))
    wins = [bool(twin.winners(to_twin(stones), lines, k, rules)) for stones in positions.stones]
    assert (positions.status == np.where(wins, BLACK_WON, ONGOING)).all()
    assert 10 < sum(wins) < len(wins) - 10


def test_six_in_a_row_wins_under_freestyle_and_not_under_standard() -> None:
    line = "a1 a15 b1 b15 c1 c15 e1 o8 f1 o6 d1"
    freestyle = play_line(Board("gomoku", 15, 5, "freestyle"), line)
    standard = play_line(Board("gomoku", 15, 5, "standard"), line)
    assert freestyle.winner == BLACK
    assert standard.status == ONGOING
    assert freestyle.game.spec()["rules"] == "freestyle"
    assert standard.game.spec()["rules"] == "standard"


def test_under_standard_an_overline_does_not_spoil_a_five_on_another_line() -> None:
    line = "a1 a15 b1 c15 c1 e15 e1 g15 f1 i15 d2 k15 d3 m15 d4 o15 d5 b13 d1"
    assert play_line(Board("gomoku", 15, 5, "standard"), line).winner == BLACK


@pytest.mark.parametrize("rules", ["freestyle", "standard"])
@pytest.mark.parametrize("side", [BLACK, WHITE])
@pytest.mark.parametrize("step", [1, 9, 10, 8])
def test_a_row_wins_at_each_edge_in_each_direction_for_either_side(rules: str, side: int, step: int) -> None:
    game = make_game("gomoku", 9, 5, rules)
    for first in range(game.num_points):
        row = [first + step * i for i in range(5)]
        columns = [point % 9 for point in row]
        if row[-1] >= game.num_points or max(columns) - min(columns) not in (0, 4):
            continue
        for last in row:
            positions = game.new_positions(1)
            positions.stones[0, row] = side
            positions.stones[0, last] = EMPTY
            positions.turn[0] = side
            rows = np.zeros(1, np.int64)
            game.play(positions, rows, np.array([last], np.int16), rows, np.empty((1, 81), np.uint8))
            assert positions.status[0] == side


def test_a_row_never_wraps_round_the_edge_of_the_board() -> None:
    assert not play_line(Board("gomoku", 6, 4, "freestyle"), "e6 a1 f6 c1 a5 e1 b5").is_over


def test_a_full_board_without_a_row_is_a_draw_and_the_last_point_can_still_win() -> None:
    assert play_line(Board("gomoku", 3, 3), "b2 a1 c1 a3 a2 c2 b3 b1 c3").is_draw
    won = play_line(Board("gomoku", 3, 3), "a1 a2 b1 b2 a3 b3 c2 c3 c1")
    assert won.winner == BLACK
    assert won.legal_moves() == []


def test_the_same_row_wins_for_the_side_that_makes_it() -> None:
    assert play_line(Board("gomoku", 6, 4), "c3 a1 d3 a6 e3 f6 f3").winner == BLACK
    assert play_line(Board("gomoku", 6, 4), "f1 c3 a1 d3 a6 e3 f6 f3").winner == WHITE


def test_most_random_games_have_a_winner_and_some_are_drawn() -> None:
    final = RandomPlay(make_game("gomoku", 6, 4), 500, seed=12).play_out()
    counts = np.bincount(final.status, minlength=4)
    assert counts[ONGOING] == 0
    assert counts[BLACK_WON] > counts[WHITE_WON] > counts[DRAW] > 0
