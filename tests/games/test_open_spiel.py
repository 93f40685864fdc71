"""open_spiel's rules as a third opinion, on thousands of random games."""

import numpy as np
import pytest

from stonezero.games import BLACK_WON, DRAW, ONGOING, WHITE_WON, Game, make_game
from tests.games.common import RandomPlay

pyspiel = pytest.importorskip("pyspiel")

STATUS_OF_RETURN = {1.0: BLACK_WON, -1.0: WHITE_WON, 0.0: DRAW}


def assert_same_games(game: Game, name: str, num_games: int, seed: int) -> None:
    play = RandomPlay(game, num_games, seed)
    states = [pyspiel.load_game(name).new_initial_state() for _ in range(num_games)]
    while len(play.live):
        for row in play.live:
            assert states[row].legal_actions() == np.flatnonzero(play.legal[row]).tolist()
            assert states[row].current_player() == play.positions.turn[row] - 1
        for row, move in zip(*play.step(), strict=True):
            states[row].apply_action(int(move))
            assert states[row].is_terminal() == (play.positions.status[row] != ONGOING)
    results = [STATUS_OF_RETURN[state.returns()[0]] for state in states]
    assert play.positions.status.tolist() == results


def test_othello_equals_open_spiel() -> None:
    assert_same_games(make_game("othello", 8), "othello", num_games=2000, seed=30)


@pytest.mark.parametrize(("size", "k", "num_games"), [(3, 3, 1000), (6, 4, 1000), (9, 5, 300), (15, 5, 100)])
def test_gomoku_equals_open_spiel(size: int, k: int, num_games: int) -> None:
    name = f"gomoku(size={size},connect={k})"
    assert_same_games(make_game("gomoku", size, k, "freestyle"), name, num_games, seed=31)


@pytest.mark.slow
def test_thousands_of_large_gomoku_games_equal_open_spiel() -> None:
    assert_same_games(make_game("gomoku", 15, 5), "gomoku(size=15,connect=5)", num_games=3000, seed=32)
