"""Text with a game or position a line: moves, positions, scored moves, comments, faults."""

import pytest

from stonezero.games import BLACK, WHITE, make_game
from stonezero.games.board import Board
from stonezero.games.notation import move_to_text
from stonezero.records.formats.catalogue import FORMATS, read_data
from stonezero.records.formats.transcript import Hints
from tests.records.formats.samples import random_game

TEXT = FORMATS["text"]
START = "---------------------------OX------XO---------------------------"


def read(text, **hints):
    reading = read_data(text.encode(), TEXT, Hints(**hints))
    return reading.games[0].game if reading.games else reading.refusals[0].reason


@pytest.mark.parametrize("text", ["f5d6c3", "F5D6C3", "f5 d6 c3", "1. f5 d6 2. c3", "f5,d6,c3"])
def test_moves_in_all_spellings(text):
    assert read(text).moves == (4 * 8 + 5, 5 * 8 + 3, 2 * 8 + 2)


@pytest.mark.parametrize("side", ["X", "*", "B"])
@pytest.mark.parametrize("empty", ["-", "."])
def test_a_position_and_its_moves(side, empty):
    game = read(f"{START.replace('-', empty)} {side};f5d6")
    assert game.start is None
    assert len(game.moves) == 2


def test_a_position_with_white_to_move_is_set_up():
    game = read(f"{START} O;")
    assert game.start.turn == WHITE
    assert game.moves == ()


def test_scores_of_moves_are_facts():
    game = read(f"{START} X; f5:+2; D3:-4;")
    assert game.facts["move_scores"] == "f5:+2;d3:-4"


def test_positions_of_six_by_six_and_of_gomoku():
    six = "--------------OX----XO--------------"
    assert read(f"{six} X;").game == make_game("othello", 6)
    rows = "-" * 112 + "X" + "-" * 112
    assert read(f"{rows} O;h9", game="gomoku").game == make_game("gomoku", 15, 5)


def test_gomoku_letters_do_not_skip_i():
    game = read("h8i9j10", game="gomoku", size=15)
    assert [move % 15 for move in game.moves] == [7, 8, 9]


def test_a_line_says_what_the_lines_after_it_are():
    reading = read_data(b"# gomoku 6x6, 4 in a row, standard\nc3d4\n% a comment\n# othello 6x6\nc2\n", TEXT)
    assert [item.game.game for item in reading.games] == [
        make_game("gomoku", 6, 4, "standard"),
        make_game("othello", 6),
    ]
    assert [item.where for item in reading.games] == ["line 2", "line 5"]


def test_a_forced_pass_need_not_be_written():
    rules = make_game("othello", 6)
    original = next(g for g in (random_game(rules, seed) for seed in range(50)) if 36 in g.moves)
    words = [move_to_text(rules, move) for move in original.moves]
    for spelling in ("", "PA", "ps", "--"):
        line = "".join(spelling if word == "pass" else word for word in words)
        assert read(line, game="othello", size=6).moves == original.moves


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f5PAd6", "line 1: move 2, pass: white has a move and may not pass"),
        ("f5f5", "line 1: move 2, f5, is not legal for white"),
        ("hello world", "line 1: 'hello world' is neither moves like f5d6 nor a position"),
        ("f5d99", "line 1: 'd99' is no move of othello 8x8"),
        (f"{START}- X", "line 1: 65 points, where othello 8x8 has 64"),
        (f"{START} X; f5:x", "line 1: 'f5:x' is no scored move like f5:+2"),
        (f"{START} X;zz", "line 1: 'zz' is neither moves"),
        ("-" * 81 + " X", "line 1: othello is played on boards of size 4, 6, 8 or 10, not 9"),
        ("-" * 64 + " X", "line 1: the four centre points of othello 8x8 must have discs"),
        ("a" * 3000, "line 1: 3000 letters: a line has 2048 at most"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, message):
    reading = read_data(text.encode(), TEXT)
    assert reading.games == []
    assert message in reading.refusals[0].reason


def test_gomoku_without_a_size_asks_for_it():
    assert read("h8i9", game="gomoku") == "line 1: nothing says the size of the board: give it, as --size 15"


def test_black_is_x():
    assert read(f"{START[:35]}X{START[36:]} X").game.name == "othello"
    assert Board.from_stones(make_game("othello", 8), read(f"{START} O").start.stones, BLACK) == Board(
        "othello", 8
    )
