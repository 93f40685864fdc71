"""Search against its plain twin, and the invariants that every tree must keep."""

import numpy as np
import pytest

from stonezero.games import DRAW, ONGOING, make_game
from stonezero.players.batch_search import BatchSearch
from stonezero.players.settings import SearchSettings
from stonezero.search.puct import exponentiate
from stonezero.search.root import choose_move, move_probabilities
from stonezero.search.selection import best_edge
from stonezero.search.tree import ROOT, UNEXPANDED
from tests.reference.evaluators import HashEvaluator, StubEvaluator
from tests.reference.puct import PlainSearch

GAMES = [
    ("gomoku", 3, 3, "freestyle"),
    ("gomoku", 6, 4, "freestyle"),
    ("othello", 4, 0, "othello"),
    ("othello", 6, 0, "othello"),
]


def random_position(game, rng, plies):
    """A position that is not over, after up to `plies` random moves."""
    positions = game.new_positions(1)
    row, legal = np.zeros(1, np.int64), np.zeros((1, game.num_actions), np.uint8)
    for _ in range(plies):
        before = game.new_positions(1)
        for mine, theirs in zip(before, positions, strict=True):
            mine[:] = theirs
        game.legal_moves(positions, row, legal)
        move = rng.choice(np.flatnonzero(legal[0]))
        game.play(positions, row, np.array([move], np.int16), row, legal)
        if positions.status[0] != ONGOING:
            return before
    return positions


def play_moves(game, moves):
    positions = game.new_positions(1)
    row, legal = np.zeros(1, np.int64), np.zeros((1, game.num_actions), np.uint8)
    for move in moves:
        game.play(positions, row, np.array([move], np.int16), row, legal)
    return positions


def searched(game, evaluator, positions, simulations, settings=None, num_slots=1):
    settings = settings or SearchSettings(c_puct=1.5, fpu_reduction=0.2)
    search = BatchSearch(game, evaluator, settings, num_slots, max(simulations, 400))
    for slot in range(num_slots):
        search.set_root(slot, positions, 0, slot)
        search.set_budget(slot, simulations)
    search.run(np.arange(num_slots))
    return search


def assert_tree_is_sound(search, slot):
    """Every invariant of a tree with no descent under way."""
    tree, game = search.tree, search.game
    nodes, base = tree.nodes[slot], search.root_row(slot)
    legal = np.zeros((1, game.num_actions), np.uint8)
    for index in range(tree.num_nodes[slot]):
        node = nodes[index]
        if node["is_terminal"] or node["num_children"] == UNEXPANDED:
            continue
        edges = slice(node["first_edge"], node["first_edge"] + node["num_children"])
        opened = node["num_opened"]
        children = tree.child[slot, edges][:opened]
        assert nodes["visit_count"][children].sum() == node["visit_count"] - 1
        assert (tree.pending[slot, edges] == 0).all()
        assert (np.abs(tree.mean_value[slot, edges][:opened]) <= 1 + 1e-6).all()
        assert tree.prior[slot, edges].sum() == pytest.approx(1, abs=1e-5)
        game.legal_moves(search.positions, np.array([base + index]), legal)
        assert sorted(tree.move[slot, edges]) == list(np.flatnonzero(legal[0]))
        assert (nodes["parent"][children] == index).all()
        assert (nodes["parent_edge"][children] == np.arange(edges.start, edges.start + opened)).all()
        assert (nodes["turn"][children] == search.positions.turn[base + children]).all()


@pytest.mark.parametrize("spec", GAMES, ids=str)
@pytest.mark.parametrize("fpu_reduction", [0.0, 0.3])
def test_search_visits_the_same_moves_as_its_plain_twin(spec, fpu_reduction):
    game = make_game(*spec)
    evaluator = HashEvaluator(game)
    rng = np.random.default_rng(1)
    for plies in (0, 3, 6, 8, 9):
        positions = random_position(game, rng, plies)
        search = searched(game, evaluator, positions, 120, SearchSettings(1.7, fpu_reduction))
        plain = PlainSearch(game, evaluator, 1.7, fpu_reduction)
        root = plain.root(positions, 0)
        for _ in range(121):
            plain.simulate(root)
        statistics = search.statistics(0)
        twin_visits = np.zeros(game.num_actions, np.int32)
        for move, child in root.children.items():
            twin_visits[move] = child.visits
        assert (statistics.visits == twin_visits).all()
        assert statistics.value == pytest.approx(root.value_sum / root.visits)
        assert_tree_is_sound(search, 0)


def test_a_game_searches_alike_alone_and_beside_others():
    game = make_game("othello", 6)
    evaluator = HashEvaluator(game)
    rng = np.random.default_rng(2)
    roots = [random_position(game, rng, plies) for plies in (0, 5, 9, 14)]
    search = BatchSearch(game, evaluator, SearchSettings(1.5, 0.2), 4, 90)
    for slot, positions in enumerate(roots):
        search.set_root(slot, positions, 0, slot)
        search.set_budget(slot, 90 - 20 * slot)
    search.run(np.arange(4))
    for slot, positions in enumerate(roots):
        alone = searched(game, evaluator, positions, 90 - 20 * slot).statistics(0)
        assert (search.statistics(slot).visits == alone.visits).all()


@pytest.mark.parametrize("spec", GAMES, ids=str)
def test_keeping_the_subtree_gives_the_tree_that_stood_below_the_move(spec):
    game = make_game(*spec)
    evaluator = HashEvaluator(game)
    settings = SearchSettings(1.5, 0.2, reuse_tree=True)
    search = searched(game, evaluator, play_moves(game, []), 100, settings)
    while True:
        visits = search.statistics(0).visits
        move = int(visits.argmax())
        search.advance(0, move)
        if search.positions.status[search.root_row(0)] != ONGOING:
            break
        kept = int(search.tree.nodes["visit_count"][0, ROOT])
        assert kept == visits[move]
        assert_tree_is_sound(search, 0)
        search.set_budget(0, 100)
        search.run(np.arange(1))
        assert search.statistics(0).visits.sum() == 100
        assert_tree_is_sound(search, 0)


def test_sixty_four_leaves_of_one_wave_are_distinct_and_leave_no_virtual_loss():
    game = make_game("gomoku", 9, 5, "freestyle")
    search = BatchSearch(game, StubEvaluator(np.zeros(81)), SearchSettings(1.5, 0.2, False, 64, 1), 1, 400)
    search.set_root(0, game.new_positions(1), 0, 0)
    search.set_budget(0, 400)
    search.wave(np.arange(1))
    search.wave(np.arange(1))
    assert search.tree.num_nodes[0] == 65
    search.run(np.arange(1))
    assert search.statistics(0).visits.sum() == 400
    assert_tree_is_sound(search, 0)


@pytest.mark.parametrize("huge", [50, 1e30, np.inf])
def test_logits_on_illegal_moves_get_no_prior(huge):
    game = make_game("gomoku", 6, 4, "freestyle")
    logits = np.zeros(36)
    logits[14] = huge
    positions = play_moves(game, [14])
    statistics = searched(game, StubEvaluator(logits), positions, 70).statistics(0)
    assert statistics.priors[14] == 0
    assert statistics.visits[14] == 0
    assert np.isfinite(statistics.priors).all()
    assert statistics.priors.sum() == pytest.approx(1, abs=1e-6)


def test_root_noise_lets_a_winning_move_with_a_tiny_prior_be_found():
    game = make_game("gomoku", 6, 4, "freestyle")
    logits = np.zeros(36)
    logits[3] = np.log(1e-9)
    positions = play_moves(game, [0, 30, 1, 31, 2, 33])
    search = searched(game, StubEvaluator(logits), positions, 1, SearchSettings(1.5, 0.0))
    search.mix_root_noise(0, 0.25, np.ones(36, np.float32))
    search.set_budget(0, 400)
    search.run(np.arange(1))
    statistics = search.statistics(0)
    assert statistics.visits.argmax() == 3
    assert statistics.values[3] == 1


@pytest.mark.parametrize("simulations", [1, 2, 400])
def test_a_forced_pass_is_the_policy_without_nan(simulations):
    game = make_game("othello", 4)
    rng = np.random.default_rng(0)
    legal = np.zeros((1, 17), np.uint8)
    while True:
        positions = random_position(game, rng, 7)
        game.legal_moves(positions, np.zeros(1, np.int64), legal)
        if legal[0, 16]:
            break
    search = searched(game, HashEvaluator(game), positions, simulations)
    probabilities = move_probabilities(search.statistics(0).visits, 1.0)
    assert probabilities[16] == 1
    assert np.isfinite(probabilities).all()
    assert_tree_is_sound(search, 0)


def test_a_win_in_one_is_seen_alike_by_both_sides():
    game = make_game("gomoku", 6, 4, "freestyle")
    black = play_moves(game, [0, 30, 1, 31, 2, 33])
    white = play_moves(game, [30, 0, 31, 1, 33, 2, 35])
    for positions in (black, white):
        statistics = searched(game, StubEvaluator(np.zeros(36)), positions, 200).statistics(0)
        assert statistics.visits.argmax() == 3
        assert statistics.values[3] == 1
        assert statistics.value > 0.5


@pytest.mark.parametrize("moves", [[13, 30, 14, 35, 12], [30, 13, 35, 14, 5, 12]], ids=["white", "black"])
def test_either_side_blocks_a_three_with_one_open_end(moves):
    game = make_game("gomoku", 6, 4, "freestyle")
    statistics = searched(game, StubEvaluator(np.zeros(36)), play_moves(game, moves), 3000).statistics(0)
    assert statistics.visits.argmax() == 15


def test_simulations_beyond_the_last_move_visit_terminal_nodes_again():
    game = make_game("gomoku", 3, 3, "freestyle")
    positions = play_moves(game, [0, 1, 2, 4, 3, 5, 7, 6])
    search = searched(game, StubEvaluator(np.zeros(9)), positions, 50)
    statistics = search.statistics(0)
    assert statistics.visits[8] == 50
    assert search.positions.status[search.root_row(0) + 1] == DRAW
    assert statistics.values[8] == 0


def test_a_finished_root_is_not_searched():
    game = make_game("gomoku", 3, 3, "freestyle")
    search = BatchSearch(game, StubEvaluator(np.zeros(9)), SearchSettings(1.5, 0.0), 1, 10)
    search.set_root(0, play_moves(game, [0, 3, 1, 4, 2]), 0, 0)
    search.set_budget(0, 10)
    search.run(np.arange(1))
    assert search.statistics(0).visits.sum() == 0


def test_a_full_tree_ends_the_search_early():
    game = make_game("gomoku", 9, 5, "freestyle")
    search = BatchSearch(game, HashEvaluator(game), SearchSettings(1.5, 0.2), 2, 30)
    search.set_root(0, game.new_positions(1), 0, 0)
    search.set_budget(0, 10_000)
    search.run(np.arange(1))
    assert 0 < search.statistics(0).visits.sum() <= 31
    assert_tree_is_sound(search, 0)


def test_noise_moves_prior_to_legal_moves_only_and_keeps_its_sum():
    game = make_game("gomoku", 6, 4, "freestyle")
    search = searched(game, HashEvaluator(game), play_moves(game, [14, 20]), 1)
    before = search.statistics(0).priors
    noise = np.zeros(36, np.float32)
    noise[[14, 7]] = 3, 1
    search.mix_root_noise(0, 0.25, noise)
    after = search.statistics(0).priors
    assert after[14] == 0
    assert after.sum() == pytest.approx(1, abs=1e-5)
    assert after[7] == pytest.approx(0.75 * before[7] + 0.25)


def test_noise_on_a_kept_subtree_leaves_a_sound_tree():
    game = make_game("gomoku", 6, 4, "freestyle")
    settings = SearchSettings(1.5, 0.2, reuse_tree=True)
    search = searched(game, HashEvaluator(game, spread=3), game.new_positions(1), 80, settings)
    search.advance(0, int(search.statistics(0).visits.argmax()))
    search.mix_root_noise(0, 0.5, np.random.default_rng(0).gamma(0.3, size=36).astype(np.float32))
    search.set_budget(0, 80)
    search.run(np.arange(1))
    assert_tree_is_sound(search, 0)


def test_ties_go_to_the_higher_prior_then_the_lower_move():
    game = make_game("gomoku", 3, 3, "freestyle")
    search = searched(game, StubEvaluator([0, 0, 1, 0, 1, 0, 0, 0, 0]), game.new_positions(1), 2)
    order = [search.tree.move[0, search.tree.nodes["parent_edge"][0, node]] for node in (1, 2)]
    assert order == [2, 4]
    edge = best_edge(search.tree, 0, ROOT, np.float32(1e-12), np.float32(-5.0))
    assert search.tree.move[0, edge] == 2


def test_exponentials_agree_with_numpy_over_the_whole_range():
    logits = np.concatenate([-np.logspace(-9, 1.93, 5000), [0.0, -87.0]]).astype(np.float32)
    values = logits.copy()
    exponentiate(values, np.float32(0))
    np.testing.assert_allclose(values, np.exp(logits.astype(np.float64)), rtol=6e-6)  # 87 * float32's 6e-8
    small = np.abs(logits) < 10
    np.testing.assert_allclose(values[small], np.exp(logits[small].astype(np.float64)), rtol=1.5e-6)


class TestMoveChoice:
    def test_low_temperature_splits_ties_and_drops_the_rest(self):
        probabilities = move_probabilities(np.array([800, 800, 1], np.int32), 0.01)
        assert probabilities == pytest.approx([0.5, 0.5, 0])

    def test_the_smallest_temperatures_neither_overflow_nor_give_nan(self):
        assert move_probabilities(np.array([7, 7, 1], np.int32), 1e-320) == pytest.approx([0.5, 0.5, 0])

    def test_temperature_zero_is_argmax(self):
        assert move_probabilities(np.array([3, 9, 8], np.int32), 0).tolist() == [0, 1, 0]
        assert choose_move(np.array([3, 9, 8], np.int32), 1e-4, 0.999) == 1

    def test_temperature_one_is_the_share_of_visits(self):
        assert move_probabilities(np.array([1, 0, 3], np.int32), 1.0) == pytest.approx([0.25, 0, 0.75])

    def test_an_unvisited_move_is_never_chosen(self):
        visits = np.array([0, 5, 0, 5, 0], np.int32)
        chosen = {choose_move(visits, 1.0, u) for u in (0.0, 0.49, 0.51, np.nextafter(1, 0))}
        assert chosen == {1, 3}
