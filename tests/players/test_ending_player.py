"""Nets that solve their endings: from where on, how well, and which texts ask for it."""

from pathlib import Path

import numpy as np
import pytest

from stonezero.errors import UserError
from stonezero.games import EMPTY, Game, make_game
from stonezero.players.ending_player import EndingPlayer
from stonezero.players.player import Player
from stonezero.players.players import parse_player
from stonezero.players.settings import SearchSettings
from stonezero.solvers.endgame import EndgameSolver
from tests.games.common import random_positions
from tests.network.nets import checkpoint, inference

OTHELLO = make_game("othello", 6)
SETTINGS = SearchSettings(c_puct=1.5, fpu_reduction=0.2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    checkpoint(size=6, has_pass=True).save(tmp_path / "net.safetensors")
    return tmp_path / "net.safetensors"


def opened(text: str, game: Game = OTHELLO) -> Player:
    return parse_player(text, game, inference("numpy"), SETTINGS).open(game, 8)


def test_a_net_plays_best_moves_from_so_many_empty_points_on_and_its_own_before(path: Path) -> None:
    positions = random_positions(OTHELLO, 5, seed=4)
    rows = np.flatnonzero(positions.status == 0)
    keys = np.arange(len(rows), dtype=np.uint64)
    solving = opened(f"net:{path}:sims=4:endgame=8").choose(positions, rows, keys)
    searching = opened(f"net:{path}:sims=4").choose(positions, rows, keys)
    solver, num_different = EndgameSolver(OTHELLO), 0
    for row, move, other in zip(rows, solving, searching, strict=True):
        if np.count_nonzero(positions.stones[row] == EMPTY) > 8:
            assert move == other
        else:
            scores = solver.score_moves(positions.stones[row], int(positions.turn[row]))
            assert scores[move] == scores.max()
            num_different += scores[other] < scores.max()
    assert num_different > 4


def test_without_the_option_nothing_is_solved(path: Path) -> None:
    assert isinstance(opened(f"net:{path}:sims=4:endgame=8"), EndingPlayer)
    assert not isinstance(opened(f"net:{path}:sims=4:endgame=0"), EndingPlayer)
    assert not isinstance(opened(f"net:{path}:sims=4"), EndingPlayer)


@pytest.mark.parametrize(
    ("option", "game", "needle"),
    [
        ("endgame=21", OTHELLO, "21 is too large; at most 20"),
        ("endgame=-1", OTHELLO, "-1 is too small; at least 0"),
        ("endgame=all", OTHELLO, "'all' is not a number"),
        ("endgame=8", make_game("othello", 10), "takes Othello on 4x4, 6x6 and 8x8, not othello on 10x10"),
        ("endgame=8", make_game("gomoku", 6, 4), "takes Othello on 4x4, 6x6 and 8x8, not gomoku on 6x6"),
    ],
)
def test_an_ending_that_cannot_be_solved_is_refused(path: Path, option: str, game: Game, needle: str) -> None:
    with pytest.raises(UserError, match=needle) as caught:
        opened(f"net:{path}:{option}", game)
    assert "\n" not in str(caught.value)
