"""SGF as other programs write it: labels, dialects, encodings, branches, faults."""

import pytest
from sgfmill import sgf_grammar

from stonezero.errors import UserError
from stonezero.games import BLACK, BLACK_WON, ONGOING, WHITE, WHITE_WON, make_game
from stonezero.records.formats.catalogue import FORMATS, read_data
from stonezero.records.formats.transcript import Hints
from tests.records.formats.samples import random_game

SGF = FORMATS["sgf"]
FIVE = ";B[hh];W[hg];B[ih];W[ig];B[jh];W[jg];B[kh];W[kg];B[lh]"  #: black makes five in a row
EDAX = "(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]PL[B]\nRE[Void]\nB[f5];W[d6];\nB[c3];W[d3];\nB[c4];)"


def read(text, **hints):
    data = text if isinstance(text, bytes) else text.encode()
    reading = read_data(data, SGF, Hints(**hints))
    if reading.refusals:
        raise UserError(reading.refusals[0].reason)
    return reading.games[0].game


def test_gomoku_points_are_column_and_row_from_the_top_left():
    game = read("(;FF[4]GM[4]SZ[15]RU[1];B[aa];W[oa];B[ao])")
    assert game.game == make_game("gomoku", 15, 5, "standard")
    assert game.moves == (0, 14, 14 * 15)


def test_edax_begins_nodes_after_its_moves():
    game = read(EDAX)
    assert game.game == make_game("othello", 8)
    assert game.start is None
    assert game.is_unfinished
    assert [divmod(move, 8) for move in game.moves] == [(4, 5), (5, 3), (2, 2), (2, 3), (3, 2)]


@pytest.mark.parametrize("written", ["[]", "[tt]", "[PA]", "[pass]", None])
def test_othello_passes_in_all_spellings_or_none(written):
    original = next(
        g for g in (random_game(make_game("othello", 6), s) for s in range(50)) if 36 in g.moves[:-1]
    )
    side = "BW"[original.positions().turn[original.moves.index(36)] - 1]
    text = SGF.write([original]).decode()
    assert f";{side}[]" in text
    if written is None:
        text = text.replace(";B[]", "").replace(";W[]", "")
    else:
        text = text.replace(";B[]", f";B{written}").replace(";W[]", f";W{written}")
    assert read(text).moves == original.moves


@pytest.mark.parametrize("label", ["GM[2]", "GM[11]", "GM[1]", ""])
def test_five_in_a_row_is_gomoku_whatever_the_label(label):
    game = read(f"(;FF[4]{label}SZ[15]{FIVE})")
    assert game.game == make_game("gomoku", 15, 5)
    assert game.status == BLACK_WON


@pytest.mark.parametrize("label", ["GM[11]", "GM[1]", "GM[2]", ""])
def test_a_wrong_label_without_a_five_needs_the_users_word(label):
    text = f"(;FF[4]{label}SZ[15];B[hh];W[hg])"
    with pytest.raises(UserError, match=r"line 1: the game .* say so by --game gomoku"):
        read(text)
    assert read(text, game="gomoku").moves == (7 * 15 + 7, 6 * 15 + 7)


def test_gomoku_on_an_othello_board_with_othellos_label_is_not_taken_for_othello():
    five = ";B[aa];W[ha];B[ba];W[hb];B[ca];W[hc];B[da];W[hd];B[ea]"
    assert read(f"(;GM[2]SZ[8]{five})").game == make_game("gomoku", 8, 5)


def test_a_mirrored_exporter_gives_the_mirrored_game():
    """PyPI's renju counts rows from the bottom; the game is the same but for a mirror."""
    assert read(f"(;GM[4]SZ[15]RU[Freestyle]{FIVE})").status == BLACK_WON


@pytest.mark.parametrize(
    ("stated", "rules"),
    [("0", "freestyle"), ("1", "standard"), ("Freestyle", "freestyle"), ("Standard", "standard")],
)
def test_rules_have_names_and_numbers(stated, rules):
    assert read(f"(;GM[4]SZ[15]RU[{stated}];B[hh])").game.spec()["rules"] == rules


def test_other_numbers_in_a_row_are_written_and_read():
    original = random_game(make_game("gomoku", 6, 4, "standard"), 0)
    text = SGF.write([original]).decode()
    assert "RU[standard, 4 in a row]" in text
    assert read(text).game == original.game


@pytest.mark.parametrize(
    ("set_up", "first"),
    [("AB[dd]", WHITE), ("AB[dd]PL[W]", WHITE), ("AB[dd]AW[ee]PL[B]", BLACK), ("AB[dd:ee]", WHITE)],
)
def test_side_to_move_after_set_up_stones(set_up, first):
    game = read(f"(;GM[4]SZ[15]{set_up};{'BW'[first - 1]}[gc])")
    assert game.start.turn == first
    assert game.start.stones[3 * 15 + 3] == BLACK


def test_the_colour_of_the_first_move_decides_where_nothing_else_does():
    assert read("(;GM[4]SZ[15]AB[dd];B[gd])").start.turn == BLACK


def test_only_the_main_line_is_read():
    game = read("(;GM[4]SZ[15];B[hh](;W[ih](;B[jj];W[kk])(;B[aa]))(;W[bb];B[cc]))")
    assert [divmod(move, 15) for move in game.moves] == [(7, 7), (7, 8), (9, 9), (10, 10)]


@pytest.mark.parametrize(
    ("result", "status", "ending"),
    [
        ("B+R", BLACK_WON, "resigned"),
        ("W+Time", WHITE_WON, "timeout"),
        ("W+1", WHITE_WON, "stated"),
        ("白胜", ONGOING, ""),
        ("?", ONGOING, ""),
        ("Void", ONGOING, ""),
        ("", ONGOING, ""),
    ],
)
def test_results_are_read_where_they_are_known_and_never_guessed(result, status, ending):
    game = read(f"(;GM[4]SZ[15]RE[{result}]KM[];B[hh])")
    assert (game.status, game.ending) == (status, ending)


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("gb18030", "gb18030"), ("gbk", "GBK"), ("utf-8-sig", "UTF-8"), ("utf-8", "nonsense")],
)
def test_texts_are_decoded_as_declared_or_as_utf8(encoding, declared):
    data = f"(;FF[4]CA[{declared}]GM[4]SZ[15]PB[王小明]PW[a\\]b\\\\c];B[hh])".encode(encoding)
    assert read(data).facts == {"black": "王小明", "white": "a]b\\c"}


def test_bytes_of_no_known_encoding_are_latin1():
    assert read("(;GM[4]SZ[15]PB[José];B[hh])".encode("latin-1")).facts["black"] == "José"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: no game here"),
        ("(;GM[4]SZ[15];B[hh]", r"line 1: the game of line 1 has no \)"),
        ("(;GM[4]SZ[15]\n;B[hh\n;W[hi)", r"line 2: a value that has no \]"),
        ("(;GM[4]SZ[15]\n;B;W[hi])", "line 2: the property 'B' has no value"),
        ("(;\n[hh]GM[4]SZ[15])", "line 2: .* belongs to no property"),
        ("(;GM[4]SZ[15]\n;B[hh]5)", r"line 2: '5\)' where a property should be"),
        ("(;GM[4]SZ[15]\n;B[zz])", r"line 2: \[zz\] lies outside a board of 15x15"),
        ("(;GM[4]SZ[15]\n;B[hh];W[hh])", "line 2: move 2, h8, is not legal for white"),
        ("(;GM[4]SZ[15]\n;B[hh];B[hg])", "line 2: move 2, h9, is black's, but white is to move"),
        ("(;GM[4]SZ[15]\n;B[])", "line 2: a pass, which gomoku does not have"),
        ("(;GM[4]SZ[15]\n;B[hh]\nAB[ii])", "line 3: AB puts stones in the middle of the game"),
        ("(;GM[4]SZ[15]" + FIVE + "\n;W[aa])", "line 2: move 10, a15, comes after the end"),
        (
            "(;GM[4]SZ[15]RE[W+1]" + FIVE + ")",
            "line 1: the file says white won, but by its moves .* black won",
        ),
        ("(;GM[4]SZ[19:15];B[hh])", r"line 1: SZ\[19:15\] is no square board"),
        ("(;GM[4]SZ[99];B[hh])", "gomoku is played on boards of size 3 to 20, not 99"),
        ("(;GM[4];B[hh])", "line 1: the game does not say its size"),
        ("(;GM[4]SZ[15]RU[Japanese];B[hh])", "line 1: the rules 'Japanese' are none of"),
        ("(;GM[4]SZ[15]PL[X];B[hh])", r"line 1: PL\[X\] is no side"),
        ("(;GM[4]SZ[15]AB[aa:bb:cc];B[hh])", r"line 1: AB\[aa:bb:cc\] is no point"),
        ("(;GM[2]SZ[8];B[f5];W[])", "line 1: move 2, pass: white has a move and may not pass"),
        ("(;GM[2]SZ[8];B[f5];W[a1])", "line 1: move 2, a1, is not legal for white"),
        ("(;GM[2]SZ[8]AB[a1]AW[b1];B[f5])", "line 1: the four centre points of othello 8x8 must have discs"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, message):
    with pytest.raises(UserError, match=message):
        read(text)


def test_a_message_is_one_line_whatever_the_file_says():
    with pytest.raises(UserError, match=r"line 1: SZ\[1 5\] is no square board$"):
        read("(;GM[4]SZ[1\n5];B[hh])")


def test_one_bad_game_does_not_take_the_others_along():
    reading = read_data(b"(;GM[4]SZ[15];B[hh])\n(;GM[4]SZ[15];B[h])\n(;GM[4]SZ[15];B[ii])", SGF)
    assert [item.number for item in reading.games] == [1, 3]
    assert [(refusal.number, refusal.reason[:7]) for refusal in reading.refusals] == [(2, "line 2:")]


@pytest.mark.parametrize("game", [make_game("gomoku", 15, 5), make_game("othello", 8)], ids=lambda g: g.name)
def test_sgfmill_reads_the_same_properties(game):
    """Another library's view of our files."""
    original = random_game(game, 5)
    root, *nodes = sgf_grammar.parse_sgf_game(SGF.write([original])).sequence
    assert root["GM"] == [b"2" if game.has_pass else b"4"]
    assert root["SZ"] == [str(game.size).encode()]
    assert len(nodes) == len(original.moves)
    for node, move, turn in zip(nodes, original.moves, original.positions().turn, strict=False):
        (value,) = node["BW"[turn - 1]]
        row, column = divmod(move, game.size)
        if move == game.num_points:
            assert value == b""
        elif game.has_pass:
            assert value == f"{'abcdefgh'[column]}{row + 1}".encode()
        else:
            assert value == f"{chr(97 + column)}{chr(97 + row)}".encode()
