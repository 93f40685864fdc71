"""Which rows a step sees and what it sees of them."""

import numpy as np
import pytest

from stonezero.games import Game, make_game
from stonezero.games.planes import plane_codes, write_planes
from stonezero.games.symmetry import NUM_SYMMETRIES, transform_planes, transform_policy
from stonezero.training.samples import BatchMaker, Sampler
from tests.training.windows import make_window

GAMES = [make_game("gomoku", 5, 4), make_game("othello", 6)]
PLANES = ["own", "opponent", "legal", "last_move", "black_to_move", "own_recent_2"]


def ids(game: Game) -> str:
    return game.name


def test_rows_come_in_proportion_to_their_weight() -> None:
    weight = np.array([0, 1, 0.5, 0, 2, 0.25, 0], np.float32)
    sampler = Sampler(weight, 16, (1, 2), "random")
    rows = np.concatenate([sampler.draw(step)[0] for step in range(400)])
    shares = np.bincount(rows, minlength=7) / len(rows)
    # 6400 rows from strata: three standard deviations are below 0.01
    assert shares == pytest.approx(weight / weight.sum(), abs=0.01)
    assert (shares[weight == 0] == 0).all()


def test_a_batch_is_spread_over_the_window() -> None:
    sampler = Sampler(np.ones(6400, np.float32), 64, (1, 2), "none")
    rows, symmetries = sampler.draw(5)
    assert (rows // 100).tolist() == list(range(64))
    assert not symmetries.any()


def test_a_step_draws_the_same_whenever_it_is_asked_and_others_draw_otherwise() -> None:
    sampler = Sampler(np.ones(500, np.float32), 32, (1, 2), "random")
    rows, symmetries = sampler.draw(9)
    sampler.draw(3)
    again = Sampler(np.ones(500, np.float32), 32, (1, 2), "random").draw(9)
    assert rows.tolist() == again[0].tolist()
    assert symmetries.tolist() == again[1].tolist()
    assert rows.tolist() != sampler.draw(10)[0].tolist()
    assert rows.tolist() != Sampler(np.ones(500, np.float32), 32, (1, 3), "random").draw(9)[0].tolist()


def test_all_symmetries_are_drawn() -> None:
    sampler = Sampler(np.ones(500, np.float32), 256, (1, 2), "random")
    counts = np.bincount(np.concatenate([sampler.draw(step)[1] for step in range(20)]), minlength=8)
    assert (counts > 500).all()


@pytest.mark.parametrize("game", GAMES, ids=ids)
@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_board_policy_and_legal_moves_turn_together(game: Game, symmetry: int) -> None:
    window = make_window(game, 6)
    maker = BatchMaker(game, window, PLANES)
    rows = np.arange(len(window))
    plain = maker.make(rows, np.zeros(len(rows), np.int64))
    turned = maker.make(rows, np.full(len(rows), symmetry))
    assert (turned.planes == transform_planes(plain.planes, symmetry)).all()
    assert (turned.policy == transform_policy(plain.policy, symmetry, game.size)).all()
    assert (turned.legal == transform_policy(plain.legal, symmetry, game.size)).all()
    assert (turned.outcome == plain.outcome).all()


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_a_plain_batch_is_the_positions_planes_and_labels(game: Game) -> None:
    window = make_window(game, 6)
    rows = np.random.default_rng(0).permutation(len(window))[:20]
    batch = BatchMaker(game, window, PLANES).make(rows, np.zeros(20, np.int64))
    legal = np.empty((20, game.num_actions), np.uint8)
    game.legal_moves(window.table.positions(), rows, legal)
    planes = np.empty((20, len(PLANES), game.num_points), np.float32)
    write_planes(window.table.positions(), rows, legal, plane_codes(PLANES, game), planes)
    assert (batch.legal == legal).all()
    assert (batch.planes.reshape(planes.shape) == planes).all()
    assert batch.policy.sum(axis=1) == pytest.approx(np.ones(20))
    assert (batch.policy[legal == 0] == 0).all()
    assert batch.outcome.tolist() == window.table.outcome[rows].tolist()
    assert (batch.has_policy == 1).all()


def test_policy_targets_are_multiples_of_one_over_the_visits() -> None:
    window = make_window(GAMES[0], 4)
    batch = BatchMaker(GAMES[0], window, PLANES).make(np.arange(len(window)), np.zeros(len(window), np.int64))
    visits = batch.policy * 32
    assert (visits == np.round(visits)).all()


def test_rows_of_cheap_searches_have_no_policy_target() -> None:
    window = make_window(GAMES[0], 2)
    window.is_policy_target[3] = False
    batch = BatchMaker(GAMES[0], window, PLANES).make(np.arange(5), np.zeros(5, np.int64))
    assert batch.has_policy.tolist() == [1, 1, 1, 0, 1]
