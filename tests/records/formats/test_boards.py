"""`Board.from_record`: files and texts, by their looks, and what is wrong with them."""

import subprocess
import sys

import pytest

from stonezero import Board
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.records.formats.catalogue import FORMATS
from tests.records.formats.samples import GAMES, random_game

OTHELLO = random_game(make_game("othello", 8), 4)
GOMOKU = random_game(GAMES[0], 4)


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_every_format_gives_its_board(tmp_path, name):
    game = GOMOKU if name in ("psq", "rec", "sgf") else OTHELLO
    path = tmp_path / f"game{FORMATS[name].suffixes[0]}"
    path.write_bytes(FORMATS[name].write([game]))
    hints = {"size": 15} if name == "rec" else {}
    for record in (path, str(path)):
        board = Board.from_record(record, **hints)
        assert board.moves == list(game.moves)
        assert board.is_over


@pytest.mark.parametrize("name", ["psq", "sgf", "ggf", "text"])
def test_a_text_is_known_by_its_looks(name):
    game = GOMOKU if name in ("psq", "sgf") else OTHELLO
    assert Board.from_record(FORMATS[name].write([game]).decode()).moves == list(game.moves)


def test_moves_can_be_taken_back_from_a_board_of_a_record():
    board = Board.from_record("f5d6")
    board.undo()
    board.undo()
    assert board == Board("othello", 8)


def test_games_are_numbered_refused_ones_included():
    text = "(;GM[4]SZ[15];B[aa])(;GM[4]SZ[15];B[zz])(;GM[4]SZ[15];B[bb])"
    assert Board.from_record(text, 3).moves == [16]
    with pytest.raises(UserError, match=r"the text: line 1: \[zz\] lies outside"):
        Board.from_record(text, 2)
    with pytest.raises(UserError, match="there is no game 4: it holds 2"):
        Board.from_record(text, 4)


@pytest.mark.parametrize(
    ("record", "hints", "message"),
    [
        ("nowhere.sgf", {}, "'nowhere.sgf' is neither moves"),
        (7, {}, "a record is a file or a text, not 7"),
        ("f5", {"format": "pgn"}, "there is no format 'pgn': choose one of sgf, psq"),
        ("\0", {}, "is neither moves"),
        ("x" * 5000, {}, "5000 letters"),
        ("\ud800", {}, "is neither moves"),
    ],
)
def test_what_is_no_record_is_one_sentence(record, hints, message):
    with pytest.raises(UserError, match=message):
        Board.from_record(record, **hints)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(UserError, match="cannot be read: No such file"):
        Board.from_record(tmp_path / "nowhere.sgf")
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        Board.from_record(tmp_path, format="sgf")


def test_unknown_hints_are_a_type_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        Board.from_record("f5", colour="black")


def test_formats_are_imported_when_a_record_is_read_and_not_before():
    code = "import sys; from stonezero import Board; print('pyarrow' in sys.modules); Board.from_record('f5')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
