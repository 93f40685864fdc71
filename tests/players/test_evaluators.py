"""Evaluations: the cache changes nothing, symmetries agree with the plain twin, rollouts are cut fairly."""

import numpy as np
import pytest

from stonezero.games import ONGOING, make_game
from stonezero.games.planes import plane_codes, write_planes
from stonezero.games.symmetry import NUM_SYMMETRIES, symmetry_tables
from stonezero.players.cache import EvaluationCache
from stonezero.players.evaluators import (
    CutRolloutEvaluator,
    EvaluationSettings,
    NetworkEvaluator,
    RolloutEvaluator,
    make_evaluator,
)
from stonezero.players.random_play import play_randomly
from stonezero.players.symmetric import symmetries_of
from stonezero.search.schedules import schedule_of
from tests.search.test_search import play_moves, random_position

PLANES = ["own", "opponent", "ones"]


class PlaneBackend:
    """A made-up net: answers are a fixed linear function of the planes, without any symmetry."""

    def __init__(self, game, seed=5):
        rng = np.random.default_rng(seed)
        self.policy = rng.normal(size=(len(PLANES) * game.num_points, game.num_actions))
        self.value = rng.normal(size=len(PLANES) * game.num_points)
        self.rows_asked = 0

    def evaluate(self, planes):
        self.rows_asked += len(planes)
        flat = planes.reshape(len(planes), -1).astype(np.float64)
        return (flat @ self.policy).astype(np.float32), np.sin(flat @ self.value).astype(np.float32)


def batch_of(game, plies=(0, 2, 4, 5, 6)):
    rng = np.random.default_rng(3)
    singles = [random_position(game, rng, number) for number in plies]
    positions = type(singles[0])(*(np.concatenate(arrays) for arrays in zip(*singles, strict=True)))
    legal = np.zeros((len(plies), game.num_actions), np.uint8)
    game.legal_moves(positions, np.arange(len(plies)), legal)
    return positions, legal


def evaluated(game, settings, keys=None, backend=None):
    positions, legal = batch_of(game)
    backend = backend or PlaneBackend(game)
    evaluator = NetworkEvaluator(game, backend, PLANES, len(legal), settings)
    keys = np.arange(len(legal), dtype=np.uint64) if keys is None else keys
    return evaluator.evaluate(positions, np.arange(len(legal)), legal, keys)


def softmax(logits, legal):
    weights = np.where(legal, np.exp(logits - logits.max(axis=1, keepdims=True)), 0)
    return weights / weights.sum(axis=1, keepdims=True)


def turned_answer(game, row, symmetry):
    """The net asked about a board turned point by point, its answer turned back point by point."""
    positions, legal = batch_of(game)
    table = symmetry_tables(game.size)[symmetry]
    planes = np.zeros((1, len(PLANES), game.num_points), np.float32)
    write_planes(positions, np.array([row]), legal[row : row + 1], plane_codes(PLANES, game), planes)
    turned = np.zeros_like(planes)
    turned[:, :, table] = planes
    logits, values = PlaneBackend(game).evaluate(turned)
    back = logits.copy()
    back[0, : game.num_points] = logits[0, table]
    return back[0], values[0]


@pytest.mark.parametrize("spec", [("gomoku", 5, 4), ("othello", 4)], ids=str)
class TestSymmetries:
    def test_a_random_symmetry_turns_the_board_and_turns_the_answer_back(self, spec):
        game = make_game(*spec)
        keys = np.arange(100, 105, dtype=np.uint64)
        logits, values = evaluated(game, EvaluationSettings(symmetry="random"), keys)
        for row, symmetry in enumerate(symmetries_of(keys)):
            expected, value = turned_answer(game, row, symmetry)
            assert logits[row] == pytest.approx(expected, abs=1e-5)
            assert values[row] == pytest.approx(value, abs=1e-6)

    def test_the_mean_is_that_of_all_eight_answers(self, spec):
        game = make_game(*spec)
        _, legal = batch_of(game)
        logits, values = evaluated(game, EvaluationSettings(symmetry="mean"))
        for row in range(len(legal)):
            answers = [turned_answer(game, row, symmetry) for symmetry in range(NUM_SYMMETRIES)]
            policies = [softmax(answer[None], legal[row : row + 1])[0] for answer, _ in answers]
            assert values[row] == pytest.approx(np.mean([value for _, value in answers]), abs=1e-6)
            found = softmax(logits[row : row + 1], legal[row : row + 1])[0]
            assert found == pytest.approx(np.mean(policies, axis=0), abs=1e-5)


def test_every_symmetry_is_drawn_about_as_often():
    counts = np.bincount(symmetries_of(np.arange(8000, dtype=np.uint64)), minlength=8)
    assert counts.min() > 880  # expected 1000, four standard deviations are 118


class TestCache:
    @pytest.mark.parametrize("size", [1, 3, 1000])
    @pytest.mark.parametrize("symmetry", ["none", "random", "mean"])
    def test_it_changes_no_answer_whatever_its_size(self, size, symmetry):
        game = make_game("gomoku", 5, 4)
        positions, legal = batch_of(game)
        plain = NetworkEvaluator(game, PlaneBackend(game), PLANES, 9, EvaluationSettings(symmetry=symmetry))
        settings = EvaluationSettings(symmetry=symmetry, cache_size=size)
        cached = NetworkEvaluator(game, PlaneBackend(game), PLANES, 9, settings)
        rng = np.random.default_rng(0)
        for _ in range(6):
            rows = rng.integers(len(legal), size=7)
            keys = rng.integers(50, size=7).astype(np.uint64)
            for one, other in zip(
                plain.evaluate(positions, rows, legal[rows], keys),
                cached.evaluate(positions, rows, legal[rows], keys),
                strict=True,
            ):
                assert np.array_equal(one, other)
        assert cached.num_cache_hits > 0 or size == 1

    def test_it_asks_about_each_position_once_and_forgets_the_oldest(self):
        game = make_game("gomoku", 5, 4)
        backend = PlaneBackend(game)
        cache = EvaluationCache(backend.evaluate, 2)
        boards = np.random.default_rng(0).random((3, 3, 5, 5)).astype(np.float32)
        cache.evaluate(boards[[0, 0, 1]])
        assert (backend.rows_asked, cache.num_hits) == (2, 1)
        cache.evaluate(boards[[1, 0]])
        assert (backend.rows_asked, cache.num_hits) == (2, 3)
        cache.evaluate(boards[[2]])
        assert len(cache) == 2
        cache.evaluate(boards[[1, 2]])
        assert backend.rows_asked == 3
        cache.evaluate(boards[[0]])
        assert backend.rows_asked == 4


def test_the_prior_temperature_sharpens_the_policy_from_its_ply_on():
    game = make_game("gomoku", 5, 4)
    positions, legal = batch_of(game)
    plain, _ = evaluated(game, EvaluationSettings())
    phased = EvaluationSettings(prior_temperature=schedule_of([(0, 1.0), (4, 0.5)]))
    found, _ = evaluated(game, phased)
    for row, ply in enumerate(positions.ply):
        prior = softmax(plain[row : row + 1], legal[row : row + 1])[0].astype(np.float64)
        raised = prior ** (1 if ply < 4 else 2)
        expected = raised / raised.sum()
        assert softmax(found[row : row + 1], legal[row : row + 1])[0] == pytest.approx(expected, abs=1e-6)
    assert set(positions.ply) > {0, 4}


def test_values_are_clipped():
    game = make_game("gomoku", 5, 4)
    _, plain = evaluated(game, EvaluationSettings())
    _, clipped = evaluated(game, EvaluationSettings(value_clip=0.25))
    assert np.abs(plain).max() > 0.25
    assert np.array_equal(clipped, np.clip(plain, -0.25, 0.25))


class ConstantJudge:
    def __init__(self, value):
        self.value = value
        self.rows_asked = []

    def evaluate(self, positions, rows, legal, keys):
        assert (positions.status[rows] == ONGOING).all()
        self.rows_asked.append(len(rows))
        return np.zeros_like(legal, np.float32), np.full(len(rows), self.value, np.float32)


class TestCutRollouts:
    def test_a_cut_after_an_odd_number_of_plies_turns_the_nets_sign(self):
        game = make_game("gomoku", 9, 5)
        for plies, expected in ((1, -0.5), (2, 0.5), (3, -0.5)):
            evaluator = CutRolloutEvaluator(game, ConstantJudge(0.5), plies, 4)
            legal = np.ones((4, 81), np.uint8)
            keys = np.arange(4, dtype=np.uint64)
            logits, values = evaluator.evaluate(game.new_positions(1), np.zeros(4, np.int64), legal, keys)
            assert (values == expected).all()
            assert (logits == 0).all()

    def test_games_that_end_before_the_cut_are_scored_by_their_result(self):
        game = make_game("othello", 4)
        judge = ConstantJudge(0.0)
        evaluator = CutRolloutEvaluator(game, judge, game.max_plies, 300)
        positions, rows = game.new_positions(1), np.zeros(300, np.int64)
        legal = np.zeros((300, 17), np.uint8)
        game.legal_moves(positions, rows, legal)
        keys = np.arange(300, dtype=np.uint64)
        _, values = evaluator.evaluate(positions, rows, legal, keys)
        assert judge.rows_asked == []
        assert set(values) <= {-1.0, 0.0, 1.0}
        _, whole = RolloutEvaluator(game, 300).evaluate(positions, rows, legal, keys)
        assert values.mean() == pytest.approx(
            whole.mean(), abs=0.25
        )  # 4.4 standard deviations of a difference

    def test_random_moves_are_uniform_over_legal_moves(self):
        game = make_game("gomoku", 3, 3)
        start = play_moves(game, [4, 0])
        positions = type(start)(*(np.repeat(field, 7000, axis=0) for field in start))
        legal = np.zeros((7000, 9), np.uint8)
        game.legal_moves(positions, np.arange(7000), legal)
        play_randomly(game, positions, legal, np.arange(7000, dtype=np.uint64), 1)
        counts = np.bincount(positions.recent_moves[:, 0], minlength=9)
        assert counts[[0, 4]].tolist() == [0, 0]
        assert counts[[1, 2, 3, 5, 6, 7, 8]].min() > 880
        assert (legal.sum(axis=1) == 6).all()

    def test_the_games_given_do_not_change(self):
        game = make_game("gomoku", 3, 3)
        positions = play_moves(game, [4, 0])
        evaluator = CutRolloutEvaluator(game, ConstantJudge(0.1), 9, 1)
        legal = np.array([[0, 1, 1, 1, 0, 1, 1, 1, 1]], np.uint8)
        _, values = evaluator.evaluate(positions, np.zeros(1, np.int64), legal, np.zeros(1, np.uint64))
        assert positions.ply[0] == 2
        assert legal.sum() == 7
        assert values[0] in (-1, 0, 1)


def test_whole_rollouts_never_open_the_net():
    game = make_game("gomoku", 5, 4)

    def refuse():
        raise AssertionError

    settings = EvaluationSettings(evaluator="rollouts")
    assert isinstance(make_evaluator(game, refuse, PLANES, settings, 4), RolloutEvaluator)
    cut = settings._replace(rollout_plies=4)
    assert isinstance(make_evaluator(game, lambda: PlaneBackend(game), PLANES, cut, 4), CutRolloutEvaluator)
