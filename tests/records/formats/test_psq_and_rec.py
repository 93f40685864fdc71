"""Piskvork's records: coordinates from 1 in PSQ and from 0 in REC; what may stand after the moves."""

import pytest

from stonezero.games import BLACK_WON, ONGOING, make_game
from stonezero.records.formats.catalogue import FORMATS, read_data
from stonezero.records.formats.transcript import Hints

HEAD = "Piskvorky 15x15, 11:11, {first}\r\n"
MOVES = "8,8,0\r\n8,7,1500\r\n9,8,31\r\n"


def read(text, kind="psq", **hints):
    reading = read_data(text.encode(), FORMATS[kind], Hints(**hints))
    return reading.games[0].game if reading.games else reading.refusals[0].reason


def test_psq_counts_columns_and_rows_from_one():
    game = read(HEAD.format(first=0) + "1,1,0\n15,1,0\n1,15,0\n")
    assert game.moves == (0, 14, 14 * 15)


def test_rec_counts_from_zero_and_needs_the_size():
    assert read("0,0\n14,0\n0,14\n", "rec", size=15).moves == (0, 14, 14 * 15)
    assert "give it, as --size 15" in read("0,0\n14,0\n", "rec")


@pytest.mark.parametrize("end", ["", "-1", "-1\r\n", "\r\n\x1a"])
def test_names_may_be_absent(end):
    game = read(HEAD.format(first=0) + MOVES + end)
    assert len(game.moves) == 3
    assert "black" not in game.facts
    assert game.comments == {1: "1500 ms", 2: "31 ms"}


@pytest.mark.parametrize(("first", "black"), [(0, "pbrain-a.exe"), (1, "pbrain-b.exe")])
def test_the_player_who_starts_is_black(first, black):
    game = read(HEAD.format(first=first) + MOVES + "pbrain-a.exe\r\npbrain-b.exe\r\n-1\r\n")
    assert game.facts["black"] == black
    assert {game.facts["black"], game.facts["white"]} == {"pbrain-a.exe", "pbrain-b.exe"}
    assert game.facts["result_code"] == "-1"


def test_rules_behind_the_code_are_read_and_its_winner_is_no_result():
    game = read(HEAD.format(first=0) + MOVES + "a\nb\n-1\n1,Standard\n")
    assert game.game == make_game("gomoku", 15, 5, "standard")
    assert game.status == ONGOING
    assert game.facts["result_player"] == "1"


def test_rules_are_freestyle_unless_the_user_says_otherwise():
    six = "".join(f"{x},8,0\n{2 * x % 15 + 1},1,0\n" for x in (1, 2, 3, 5, 6)) + "4,8,0\n"
    assert read(HEAD.format(first=0) + six).status == BLACK_WON
    assert read(HEAD.format(first=0) + six, rules="standard").status == ONGOING


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: a PSQ file begins with"),
        ("Piskvorky 15, 0\n1,1,0", "line 1: a PSQ file begins with"),
        ("Piskvorky 15x20, 0:0, 0\n1,1,0", "line 1: a board of 15x20: only square ones"),
        ("Piskvorky 30x30, 0:0, 0\n1,1,0", "gomoku is played on boards of size 3 to 20, not 30"),
        (HEAD.format(first=0) + "0,5,0\n", "line 2: 0,5 lies outside the board: coordinates are 1 to 15"),
        (HEAD.format(first=0) + "8,8,0\n16,5,0\n", "line 3: 16,5 lies outside the board"),
        (HEAD.format(first=0) + "8,8,0\n8,8,0\n", "line 3: move 2, h8, is not legal for white"),
        (
            HEAD.format(first=0) + "8,8,0\nhello\n7,7,0\n9,9,0",
            "line 3: 'hello' is neither a move nor the first",
        ),
        (
            HEAD.format(first=0) + "8,8,0\nx\n" + "7,7,0\n" * 20,
            "line 3: 'x' is no move, and too much follows",
        ),
        (HEAD.format(first=0) + "8,8,0\na\nb\n-1\n2,Caro", "line 6: the rules 'Caro' are none of"),
    ],
)
def test_what_is_wrong_with_a_psq_is_said_with_its_line(text, message):
    assert message in read(text)


def test_what_is_wrong_with_a_rec_is_said_with_its_line():
    assert read("7,7\nx\n", "rec", size=15) == "line 2: 'x' is no move: write x,y from 0"
    assert "line 2: 15,0 lies outside the board" in read("7,7\n15,0\n", "rec", size=15)


def test_othello_is_not_asked_of_piskvork():
    assert read(HEAD.format(first=0), game="othello") == "PSQ holds gomoku, not 'othello'"
