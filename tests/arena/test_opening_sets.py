"""Opening sets as files: our text, Gomocup's offsets, records, and matches that begin with them."""

import sys

import numpy as np
import pytest

from stonezero.arena.matches import Match, play_matches
from stonezero.arena.opening_sets import OpeningFileError, read_openings, write_openings
from stonezero.arena.openings import balanced_openings
from stonezero.cli import main
from stonezero.games import NO_MOVE, make_game
from stonezero.games.board import Board
from stonezero.games.notation import parse_move
from stonezero.players.players import PlayerSpec
from stonezero.records.formats.catalogue import FORMATS
from tests.records.formats.samples import random_game

GOMOKU = make_game("gomoku", 15, 5)
OTHELLO = make_game("othello", 6)


def put(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("game", [GOMOKU, OTHELLO], ids=lambda game: game.name)
def test_a_set_comes_back_from_its_file(tmp_path, game):
    made = balanced_openings(game, 4, 12, seed=3)
    write_openings(tmp_path / "set.txt", game, made, "seed 3")
    back = read_openings(tmp_path / "set.txt", game)
    assert (back.moves == made.moves[: made.num_distinct]).all()
    assert np.allclose(back.values, made.values[: made.num_distinct], atol=1e-4)  # four digits are written
    assert back.num_distinct == made.num_distinct
    assert (tmp_path / "set.txt").read_text().startswith("# stonezero openings 1\n")


def test_offsets_count_from_the_centre_columns_first_and_downwards(tmp_path):
    openings = read_openings(put(tmp_path / "a.txt", "0,0, 1,-2, -7,7\n\n3,0,0,1\n"), GOMOKU)
    words = [["h8", "i10", "a1"], ["k8", "h7"]]
    for row, expected in zip(openings.moves, words, strict=True):
        assert [move for move in row if move != NO_MOVE] == [parse_move(GOMOKU, word) for word in expected]
    assert np.isnan(openings.values).all()


def test_openings_of_an_even_board_count_from_the_lower_right_of_its_centre(tmp_path):
    openings = read_openings(put(tmp_path / "a.txt", "0,0\n"), make_game("gomoku", 20, 5))
    assert openings.moves.tolist() == [[10 * 20 + 10]]


def test_a_position_is_kept_once_up_to_symmetry(tmp_path):
    turned = "0,0, 1,2\n0,0, 2,-1\n0,0, -1,-2\n0,0, 1,1\n"
    assert read_openings(put(tmp_path / "a.txt", turned), GOMOKU).num_distinct == 2


def test_games_of_a_folder_of_psq_files_are_openings(tmp_path):
    games = [random_game(GOMOKU, seed, num_plies=30) for seed in range(4)]
    for number, game in enumerate(games):
        (tmp_path / f"{number}.psq").write_bytes(FORMATS["psq"].write([game]))
    openings = read_openings(tmp_path, GOMOKU, plies=5)
    assert openings.moves.tolist() == [list(game.moves[:5]) for game in games]


def test_a_match_begins_with_openings_of_different_lengths(tmp_path):
    openings = read_openings(put(tmp_path / "a.txt", "# othello\n\nc2b2a2\nc2\n"), OTHELLO)
    assert sorted(np.count_nonzero(openings.moves != NO_MOVE, axis=1)) == [1, 3]
    first, second = PlayerSpec("random", "random"), PlayerSpec("another", "random")
    (table,) = play_matches(OTHELLO, [Match(first, second, openings, range(2), 1)], slots=4)
    assert [line.split()[:3] for line in table["moves"]][:2] == [["c2", "b2", "a2"]] * 2
    assert [line.split()[0] for line in table["moves"]][2:] == ["c2", "c2"]
    for line in table["moves"]:
        board = Board(OTHELLO)
        for word in line.split():
            board.play(word)
        assert board.is_over


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,0, 1\n", "line 1: '0,0, 1' is no list of pairs"),
        ("0,0\n8,0\n", "line 2: the opening leaves the board of gomoku 15x15"),
        ("0,0\n0,0, 0,0\n", "line 2: h8 is not legal"),
        ("0,0\nhello\n", "line 2: 'hello' is no list of pairs"),
        ("0,0, 0,5, 1,0, 1,5, 2,0, 2,5, 3,0, 3,5, 4,0\n", "line 1: the game is over after this opening"),
        ("", "there are no openings in it"),
        (
            "# stonezero openings 1\n# othello 8x8\nf5\n",
            "line 2: openings of gomoku 15x15, .* are wanted, but here",
        ),
        (
            "# stonezero openings 1\n# gomoku 15x15, 5 in a row, freestyle\nh8 +x\n",
            "line 3: 'h8 .x' is no opening",
        ),
        ("# stonezero openings 1\n# gomoku 15x15, 5 in a row, freestyle\nh8h8\n", "line 3: h8 is not legal"),
        ("# stonezero openings 1\n# gomoku 15x15, 5 in a row, freestyle\nh19\n", "line 3: 'h19' is no move"),
        ("h8h8\n", "line 1: move 2, h8, is not legal"),
    ],
)
def test_what_is_no_opening_is_said_with_its_line(tmp_path, text, message):
    with pytest.raises(OpeningFileError, match=message):
        read_openings(put(tmp_path / "a.txt", text), GOMOKU)


def test_records_of_another_game_are_refused(tmp_path):
    (tmp_path / "a.sgf").write_bytes(FORMATS["sgf"].write([random_game(make_game("othello", 8), 0)]))
    with pytest.raises(OpeningFileError, match=r"a.sgf"):
        read_openings(tmp_path / "a.sgf", GOMOKU, plies=3)


def command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["stonezero", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code or 0, capsys.readouterr().out


def test_the_command_makes_imports_and_a_match_uses_a_set(tmp_path, monkeypatch, capsys):
    target, options = tmp_path / "set.txt", ["--game", "othello", "--size", 6]
    done = command(monkeypatch, capsys, "openings", target, *options, "--count", 5, "--plies", 3)
    assert done == (0, f"{target}: 5 openings\n")
    again = tmp_path / "again.txt"
    assert command(monkeypatch, capsys, "openings", again, target, *options)[0] == 0
    assert read_openings(again, OTHELLO).moves.tolist() == read_openings(target, OTHELLO).moves.tolist()
    played = [
        "match",
        "random",
        "greedy",
        *options,
        "--pairs",
        5,
        "--openings",
        target,
        "--out",
        tmp_path / "out",
    ]
    code, out = command(monkeypatch, capsys, *played)
    assert code == 0
    assert "from 5 distinct" in out
