"""Every published variant of the search against the plain twins, and what each is meant to do."""

import numpy as np
import pytest

from stonezero.games import make_game
from stonezero.players.batch_search import BatchSearch
from stonezero.players.settings import SearchSettings
from stonezero.search.gumbel import GumbelSettings, gumbel_move, improved_policy
from stonezero.search.selection import exploration
from tests.reference.evaluators import HashEvaluator, StubEvaluator
from tests.reference.gumbel import PlainGumbel
from tests.reference.puct import PlainSearch
from tests.search.test_search import (
    GAMES,
    assert_tree_is_sound,
    play_moves,
    random_position,
    searched,
)

VARIANTS = {
    "uct": {"selection": "uct"},
    "c grows": {"c_base": 100.0},
    "exponent": {"visit_exponent": 0.7},
    "adaptive lambda": {"visit_exponent_slope": 0.05},
    "adaptive lambda to its maximum": {"visit_exponent_slope": 0.3, "visit_exponent_max": 0.8},
    "absolute fpu": {"fpu": "absolute", "fpu_value": -0.4},
    "depth": {"max_depth": 2},
    "stop": {"stop_visits": 6},
    "all": {
        "c_base": 50.0,
        "visit_exponent_slope": 0.1,
        "fpu": "absolute",
        "max_depth": 3,
        "stop_visits": 20,
    },
}


def twin_of(game, evaluator, variant):
    values = dict(variant)
    if values.pop("fpu", "parent") == "absolute":
        values.setdefault("fpu_value", 0.0)
    return PlainSearch(game, evaluator, 1.7, 0.2, **values)


def visits_of(game, root):
    visits = np.zeros(game.num_actions, np.int32)
    for move, child in root.children.items():
        visits[move] = child.visits
    return visits


@pytest.mark.parametrize("spec", GAMES, ids=str)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_visits_the_same_moves_as_its_plain_twin(spec, variant):
    game = make_game(*spec)
    evaluator = HashEvaluator(game)
    settings = SearchSettings(1.7, 0.2, **VARIANTS[variant])
    rng = np.random.default_rng(1)
    for plies in (0, 5, 8):
        positions = random_position(game, rng, plies)
        statistics = searched(game, evaluator, positions, 120, settings).statistics(0)
        plain = twin_of(game, evaluator, VARIANTS[variant])
        root = plain.root(positions, 0)
        for _ in range(121):
            plain.simulate(root)
        assert (statistics.visits == visits_of(game, root)).all()
        assert statistics.value == pytest.approx(root.value_sum / root.visits)


def test_each_variant_changes_the_search():
    game = make_game("gomoku", 6, 4)
    positions = random_position(game, np.random.default_rng(1), 4)
    found = {
        name: searched(game, HashEvaluator(game), positions, 120, SearchSettings(1.7, 0.2, **variant))
        .statistics(0)
        .visits.tobytes()
        for name, variant in {**VARIANTS, "plain": {}}.items()
    }
    assert len(set(found.values())) == len(found)


def test_the_exploration_factor_follows_the_published_formulas():
    def factor(visits, depth, c_puct=2.5, **numbers):
        settings = SearchSettings(c_puct, 0.0, **numbers)
        return exploration(c_puct, settings.method_numbers(), visits, depth)

    assert factor(49, 3) == pytest.approx(2.5 * 7)
    expected = (1.25 + np.log((1 + 800 + 19652) / 19652)) * 800**0.5
    assert factor(800, 0, c_puct=1.25, c_base=19652.0) == pytest.approx(expected)
    slope = {"visit_exponent_slope": 0.05}
    assert factor(49, 0, **slope) == pytest.approx(2.5 * 7)
    assert factor(49, 2, **slope) == pytest.approx(2.5 * 49**0.6)
    assert factor(49, 8, **slope) == factor(49, 30, **slope) == pytest.approx(2.5 * 49**0.9)
    assert factor(49, 8, **slope) > factor(49, 8), "a rising lambda explores more, not less"


def test_uct_tries_every_move_once_before_any_twice():
    game = make_game("gomoku", 6, 4)
    settings = SearchSettings(1.0, 0.0, selection="uct")
    visits = searched(game, HashEvaluator(game), game.new_positions(1), 36, settings).statistics(0).visits
    assert visits.tolist() == [1] * 36


def test_no_node_lies_deeper_than_the_cap_and_all_simulations_count():
    game = make_game("gomoku", 6, 4)
    settings = SearchSettings(0.3, 0.0, max_depth=2)
    search = searched(game, HashEvaluator(game, spread=5), game.new_positions(1), 300, settings)
    parents = search.tree.nodes["parent"][0, : search.tree.num_nodes[0]]
    depth = np.zeros(len(parents), int)
    for node in range(1, len(parents)):
        depth[node] = depth[parents[node]] + 1
    assert depth.max() == 2
    assert search.statistics(0).visits.sum() == 300


def test_variants_with_several_leaves_per_wave_leave_a_sound_tree():
    game = make_game("othello", 6)
    for variant in ("uct", "adaptive lambda", "absolute fpu"):
        settings = SearchSettings(1.5, 0.2, leaves_per_wave=8, **VARIANTS[variant])
        search = searched(game, HashEvaluator(game), game.new_positions(1), 200, settings)
        assert_tree_is_sound(search, 0)
        assert search.statistics(0).visits.sum() == 200


class TestForcedPlayouts:
    def search(self, game, positions, k):
        settings = SearchSettings(1.7, 0.2, forced_playouts=k)
        search = searched(game, HashEvaluator(game), positions, 1, settings)
        search.set_budget(0, 200)
        search.force_playouts(0)
        search.run(np.arange(1))
        return search

    @pytest.mark.parametrize("spec", GAMES[1:], ids=str)
    def test_they_visit_the_same_moves_as_the_plain_twin(self, spec):
        game = make_game(*spec)
        positions = random_position(game, np.random.default_rng(3), 4)
        plain = PlainSearch(game, HashEvaluator(game), 1.7, 0.2, forced_playouts=2.0)
        root = plain.root(positions, 0)
        for _ in range(201):
            plain.simulate(root)
        search = self.search(game, positions, 2.0)
        assert (search.statistics(0).visits == visits_of(game, root)).all()
        assert_tree_is_sound(search, 0)

    def test_every_visited_move_gets_its_share(self):
        game = make_game("gomoku", 6, 4)
        statistics = self.search(game, game.new_positions(1), 2.0).statistics(0)
        visited = statistics.visits > 0
        assert (statistics.visits[visited] + 1 >= np.sqrt(2 * statistics.priors[visited] * 200)).all()

    def test_a_search_without_them_is_as_if_they_were_not_set(self):
        game = make_game("gomoku", 6, 4)
        positions = game.new_positions(1)
        with_k = searched(
            game, HashEvaluator(game), positions, 200, SearchSettings(1.7, 0.2, forced_playouts=2.0)
        )
        without = searched(game, HashEvaluator(game), positions, 200, SearchSettings(1.7, 0.2))
        assert (with_k.statistics(0).visits == without.statistics(0).visits).all()


def gumbel_search(game, evaluator, positions, considered, simulations, noise, **changes):
    gumbel = GumbelSettings(considered)
    search = BatchSearch(game, evaluator, SearchSettings(1.7, 0.2, gumbel=gumbel, **changes), 1, 100)
    search.set_root(0, positions, 0, 0)
    search.set_budget(0, simulations)
    search.wave(np.arange(1))
    search.begin_gumbel(0, noise)
    search.run(np.arange(1))
    return search


class TestGumbel:
    @pytest.mark.parametrize("spec", GAMES, ids=str)
    @pytest.mark.parametrize(
        ("considered", "simulations"), [(8, 50), (4, 20), (16, 64), (16, 9), (5, 31), (2, 2)]
    )
    def test_it_visits_and_plays_the_same_moves_as_its_plain_twin(self, spec, considered, simulations):
        game = make_game(*spec)
        evaluator = HashEvaluator(game)
        rng = np.random.default_rng(4)
        for plies in (0, 4, 7):
            positions = random_position(game, rng, plies)
            noise = rng.gumbel(size=game.num_actions).astype(np.float32)
            search = gumbel_search(game, evaluator, positions, considered, simulations, noise)
            plain = PlainGumbel(game, evaluator, 1.7, 0.2, considered)
            root = plain.run(positions, 0, noise, simulations)
            assert (search.statistics(0).visits == visits_of(game, root)).all()
            answer = search.answer(0)
            assert answer.own_value == pytest.approx(plain.own_value, abs=1e-5)
            assert gumbel_move(answer, GumbelSettings(considered), noise) == plain.move(root, noise)
            expected = np.zeros(game.num_actions)
            for move, probability in plain.policy(root).items():
                expected[move] = probability
            assert improved_policy(answer, GumbelSettings(considered)) == pytest.approx(expected, abs=1e-4)
            assert_tree_is_sound(search, 0)

    @pytest.mark.parametrize("simulations", [2, 3, 17, 64])
    def test_one_legal_move_takes_all_simulations(self, simulations):
        game = make_game("gomoku", 3, 3)
        positions = play_moves(game, [0, 1, 2, 4, 3, 5, 7, 6])
        search = gumbel_search(game, StubEvaluator(np.zeros(9)), positions, 16, simulations, np.zeros(9))
        assert search.statistics(0).visits[8] == simulations
        assert improved_policy(search.answer(0), GumbelSettings(16))[8] == 1

    def test_without_noise_it_finds_a_win_among_the_moves_it_considers(self):
        game = make_game("gomoku", 6, 4)
        positions = play_moves(game, [0, 30, 1, 31, 2, 33])
        search = gumbel_search(game, StubEvaluator(np.zeros(36)), positions, 36, 64, np.zeros(36))
        assert gumbel_move(search.answer(0), GumbelSettings(36), np.zeros(36)) == 3

    def test_several_leaves_per_wave_spend_the_same_simulations(self):
        game = make_game("othello", 6)
        noise = np.random.default_rng(0).gumbel(size=37).astype(np.float32)
        search = gumbel_search(
            game, HashEvaluator(game), game.new_positions(1), 4, 40, noise, leaves_per_wave=4
        )
        assert search.statistics(0).visits.sum() == 40
        assert_tree_is_sound(search, 0)


def test_a_deadline_ends_the_search_but_not_before_a_move_was_visited():
    game = make_game("gomoku", 9, 5)
    search = BatchSearch(game, HashEvaluator(game), SearchSettings(1.5, 0.2), 2, 400)
    for slot in range(2):
        search.set_root(slot, game.new_positions(1), 0, slot)
        search.set_budget(slot, 400)
    search.run(np.arange(2), deadline=0.0)
    assert [search.statistics(slot).visits.sum() for slot in range(2)] == [1, 1]
    assert len(search.idle(np.arange(2))) == 2
