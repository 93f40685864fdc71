"""Judges of openings: who can be one, what they say of clear positions, and what is kept."""

import numpy as np
import pytest
from typer.testing import CliRunner

from stonezero.arena.judges import search_judge, within
from stonezero.arena.opening_sets import read_openings
from stonezero.arena.openings import Openings
from stonezero.cli import app
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.games.board import Board
from stonezero.games.notation import parse_move
from stonezero.players.players import parse_player
from stonezero.terminal import PLAY_INFERENCE, PLAY_SETTINGS

TICTACTOE = make_game("gomoku", 3, 3)


def judge(text: str):
    return search_judge(parse_player(text, TICTACTOE, PLAY_INFERENCE, PLAY_SETTINGS), TICTACTOE, seed=1)


def test_a_search_sees_who_wins_and_what_is_even():
    values = []
    for line in ("a1 a3 b1 b3", "a1 a3 b1 b3 a2", "b2 a1"):  # black wins at once, white does, a draw
        board = Board(TICTACTOE)
        for word in line.split():
            board.play(parse_move(TICTACTOE, word))
        values.append(float(judge("rollouts:sims=400")(board.positions, np.zeros(1, np.int64))[0]))
    assert values[0] > 0.9
    assert values[1] > 0.9
    assert -0.2 < values[2] < 0.9


def test_players_without_a_search_cannot_judge():
    for text in ("random", "greedy", "minimax:depth=2"):
        with pytest.raises(UserError, match=f"^{text} cannot judge openings: say"):
            judge(text)


def test_only_openings_within_the_limit_are_kept_and_none_is_an_error():
    openings = Openings(np.arange(4, dtype=np.int16)[:, None], np.float32([0.1, -0.2, 0.3, 0.1]), 3)
    kept = within(openings, 0.25)
    assert kept.moves.tolist() == [[0], [1]]
    assert kept.num_distinct == 2
    with pytest.raises(UserError, match=r"within 0.05 of 0; the most balanced has 0.1000$"):
        within(openings, 0.05)


def test_the_command_writes_what_its_judge_finds_balanced(tmp_path):
    target = tmp_path / "set.txt"
    words = ["openings", str(target), "--size", "3", "--k", "3", "--plies", "3", "--count", "12"]
    words += ["--judge", "rollouts:sims=64", "--max-value", "0.4"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    openings = read_openings(target, TICTACTOE)
    assert 0 < openings.num_distinct <= 12
    assert (np.abs(openings.values) <= 0.4).all()
    assert "values: rollouts:sims=64, for the side to move; at most 0.4" in target.read_text()
    first = target.read_text()
    CliRunner().invoke(app, words)
    assert target.read_text() == first
