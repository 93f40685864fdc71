"""Policy targets made of visits: temperature, and forced playouts taken out again."""

import numpy as np
import pytest

from stonezero.search.targets import WEIGHT_TOTAL, prune_forced, tempered_target, weights_of


def test_temperature_one_keeps_the_visits_themselves():
    visits = np.array([3, 0, 7], np.int32)
    assert tempered_target(visits, 1.0) is visits


def test_a_target_temperature_raises_visits_to_a_power():
    weights = tempered_target(np.array([3, 0, 1], np.int32), 0.5)
    assert weights.dtype == np.int32
    assert weights / weights.sum() == pytest.approx([0.9, 0, 0.1], abs=1e-4)


@pytest.mark.parametrize("temperature", [0.01, 0.1, 2.0, 10.0])
def test_a_target_is_positive_on_the_best_move_and_zero_on_unvisited_ones(temperature):
    weights = tempered_target(np.array([800, 799, 0, 1], np.int32), temperature)
    assert weights[0] >= weights[1] > 0
    assert weights[2] == 0
    assert abs(weights.sum() - WEIGHT_TOTAL) <= 2


def test_weights_of_a_single_move_are_all_of_them():
    assert weights_of(np.array([0, 1.0])).tolist() == [0, WEIGHT_TOTAL]


def as_float32(*numbers):
    return np.array(numbers, np.float32)


def test_forced_playouts_that_puct_would_not_have_made_are_taken_back():
    # total 100, k = 2: floor(sqrt(2 * 0.0225 * 100)) = 2 visits of move 1 were forced
    # factor 10: best score 0.5 + 10 * 0.5 / 91 = 0.555; move 1, worth -0.5, would need no visit to stay below
    visits = np.array([90, 6, 4], np.int32)
    pruned = prune_forced(visits, as_float32(0.5, 0.0225, 0.4775), as_float32(0.5, -0.5, 0.4), 10.0, 2.0)
    assert pruned.tolist()[:2] == [90, 4]
    # move 2: 0.4 + 4.8 / (1 + N) >= 0.555 until N = 29: not one of its visits was forced against PUCT
    assert pruned[2] == 4


def test_a_move_left_with_one_visit_loses_it():
    visits = np.array([90, 3], np.int32)
    pruned = prune_forced(visits, as_float32(0.9, 0.03), as_float32(0.5, -0.9), 10.0, 2.0)
    assert pruned.tolist() == [90, 0]  # sqrt(2 * 0.03 * 93) = 2.4: two go, and the last one with them


def test_pruning_stops_where_puct_would_prefer_the_move():
    # best score 0 + 10 * 0.5 / 51; move 1 is worth -0.4 + 5 / (1 + N) <= 0.098 from N = 9.04 on: 10 stay
    visits = np.array([50, 14], np.int32)
    pruned = prune_forced(visits, as_float32(0.5, 0.5), as_float32(0.0, -0.4), 10.0, 2.0)
    assert pruned.tolist() == [50, 10]


def test_the_most_visited_move_keeps_all_and_illegal_moves_stay_at_zero():
    visits = np.array([0, 5, 5], np.int32)
    pruned = prune_forced(visits, as_float32(0, 0.5, 0.5), as_float32(0, 0.1, -1), 1.0, 100.0)
    assert pruned[0] == 0
    assert pruned[1] == 5
    assert pruned[2] == 0
    assert visits.tolist() == [0, 5, 5]
