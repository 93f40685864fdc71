"""GGF: games of the Generic Game Server with their results, dialects, faults."""

import re

import pytest

from stonezero.games import BLACK_WON, DRAW, ONGOING, WHITE
from stonezero.records.formats.catalogue import FORMATS, read_data
from stonezero.records.formats.transcript import Hints
from tests.records.formats.samples import BLACK_BY_EIGHT, DRAWN, SET_UP, words

GGF = FORMATS["ggf"]
START = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *"
FLAT = "8 ---------------------------O*------*O--------------------------- *"


def read(text, **hints):
    reading = read_data(text.encode(), GGF, Hints(**hints))
    return reading.games[0].game if reading.games else reading.refusals[0].reason


def record(moves, start=START, first=0, result="?", kind="8", extra=""):
    """Moves of alternating colours, as text."""
    written = "".join(f"{'BW'[(first + i) % 2]}[{move}]" for i, move in enumerate(moves))
    return f"(;GM[Othello]PC[x]PB[a]PW[b]TY[{kind}]{extra}RE[{result}]BO[{start}]{written};)"


def test_a_drawn_game_of_the_server_with_its_pass():
    with_pass = [*words(DRAWN)[:-2], "pass", *words(DRAWN)[-2:]]
    game = read(record(with_pass, result="+0.000"))
    assert game.status == DRAW
    assert not game.ending
    assert game.board().score == (32, 32)
    assert len(game.moves) == 61


def test_a_pass_that_is_not_written_is_inserted_where_it_is_forced():
    moves = words(DRAWN)
    text = record(moves[:-2]).replace(";)", f"W[{moves[-2]}]B[{moves[-1]}];)")
    assert read(text).moves == read(record([*moves[:-2], "pass", *moves[-2:]])).moves


def test_a_game_from_a_position_in_which_white_begins():
    game = read(record(words(BLACK_BY_EIGHT), SET_UP, first=1, result="+8.000", kind="s8r19"))
    assert game.start.turn == WHITE
    assert game.status == BLACK_WON
    assert game.board().score == (36, 28)


def test_evaluations_and_times_may_be_empty():
    game = read(record(["d3/-1.5/2.01", "c5//0.01", "e6/0.5", "d2"]))
    assert game.comments == {0: "-1.5/2.01", 1: "/0.01", 2: "0.5"}


def test_a_pass_with_its_time_switches_sides():
    with_pass = [*words(DRAWN)[:-2], "PA//3.107"]
    assert read(record(with_pass)).board().turn == 2


@pytest.mark.parametrize("text", ["1 " + record(["d3"]), "2 " + record(["d3"]) + record(["f5"])])
def test_counts_before_the_games_of_an_archive_are_skipped(text):
    assert len(read_data(text.encode(), GGF).games) == text.count("GM[")


@pytest.mark.parametrize(
    ("result", "status", "ending"),
    [
        ("+12.000:r", 1, "resigned"),
        ("-2.000:t", 2, "timeout"),
        ("0.000:s", DRAW, "agreed"),
        ("?", ONGOING, ""),
        ("-127.000", ONGOING, ""),  # Edax, of a game that goes on
        ("won", ONGOING, ""),
    ],
)
def test_results(result, status, ending):
    game = read(record(["d3"], result=result))
    assert (game.status, game.ending) == (status, ending)


def test_the_score_of_a_resigned_game_survives():
    text = record(["d3"], result="+12.000:r")
    back = GGF.write([read(text)]).decode()
    assert "RE[+12.000:r]" in back


def test_a_komi_is_no_result_on_the_board():
    moves = [*words(DRAWN)[:-2], "pass", *words(DRAWN)[-2:]]
    assert read(record(moves, result="+0.500", extra="KM[-0.500]")).status == DRAW


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (record(["d3", "d3"]), "line 1: move 2, d3, is not legal for white"),
        (record(["f5", "PA"]), "line 1: move 2, pass: white has a move and may not pass"),
        (record(["i9"]), "line 1: 'i9' is no move of othello 8x8"),
        (record([""]), "line 1: '' is no move of othello 8x8"),
        (record(["d3"], kind="8a"), r"line 1: TY\[8a\] is anti-Othello"),
        (record(["d3"], start="8 --- *"), "line 1: BO needs 64 cells"),
        (record(["d3"], start="7 " + "-" * 49 + " *"), "line 1: othello is played on boards"),
        (record(["d3"], start="x"), "does not begin with the board's size"),
        (record(["d3"]).replace("BO", "XX"), "no start position"),
        (record(["d3"]).replace("Othello", "Amazons"), r"GM\[Amazons\], where only Othello is read"),
        (
            record([*words(DRAWN)[:-2], "pass", *words(DRAWN)[-2:]], result="+2.000"),
            "the file says black won",
        ),
        (
            record(words(BLACK_BY_EIGHT), SET_UP, first=1, result="+10.000"),
            r"the file says \+10 discs for black, but it is \+8",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, message):
    assert re.search(message, read(text))


def test_a_flat_board_is_the_same_start():
    assert read(record(["d3"], start=FLAT)).start is None
