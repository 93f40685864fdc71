"""A player whose root is a Gumbel root: fair to every row, without chance at temperature 0."""

import numpy as np
import pytest

from stonezero.games import make_game
from stonezero.players.search_player import SearchPlayer
from stonezero.players.settings import SearchSettings
from stonezero.search.gumbel import GumbelSettings
from tests.reference.evaluators import HashEvaluator, StubEvaluator
from tests.search.test_search import play_moves, random_position


def player(game, temperature, num_slots=8, simulations=12, evaluator=None):
    settings = SearchSettings(1.5, 0.2, reuse_tree=True, gumbel=GumbelSettings(6))
    evaluator = evaluator or HashEvaluator(game)
    return SearchPlayer("gumbel", game, evaluator, settings, simulations, temperature, num_slots)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("spec", [("gomoku", 5, 4), ("othello", 4)], ids=str)
def test_moves_depend_on_the_row_alone(spec, temperature):
    game = make_game(*spec)
    rng = np.random.default_rng(3)
    singles = [random_position(game, rng, plies) for plies in (0, 2, 4, 5, 7)]
    positions = type(singles[0])(*(np.concatenate(arrays) for arrays in zip(*singles, strict=True)))
    keys = rng.integers(2**64, size=5, dtype=np.uint64)
    together = player(game, temperature).choose(positions, np.arange(5), keys)
    for row, single in enumerate(singles):
        alone = player(game, temperature, 1).choose(single, np.zeros(1, np.int64), keys[row : row + 1])
        assert alone[0] == together[row]


def test_temperature_zero_is_without_chance_and_one_varies():
    game = make_game("gomoku", 5, 4)
    keys, rows = np.arange(30, dtype=np.uint64), np.zeros(30, np.int64)
    assert len(set(player(game, 0.0).choose(game.new_positions(1), rows, keys))) == 1
    assert len(set(player(game, 1.0).choose(game.new_positions(1), rows, keys))) > 3


@pytest.mark.parametrize("simulations", [2, 5, 64])
def test_it_takes_a_win_from_either_side(simulations):
    game = make_game("gomoku", 6, 4)
    logits = np.zeros(36)
    logits[3] = 1.0
    for moves in ([0, 30, 1, 31, 2, 33], [30, 0, 31, 1, 33, 2, 35]):
        chosen = player(game, 0.0, simulations=simulations, evaluator=StubEvaluator(logits)).choose(
            play_moves(game, moves), np.zeros(1, np.int64), np.zeros(1, np.uint64)
        )
        assert chosen[0] == 3
