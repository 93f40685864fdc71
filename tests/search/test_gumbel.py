"""Gumbel root decisions on made-up roots; whole searches are compared with the plain twin elsewhere."""

import numpy as np
import pytest

from stonezero.search.gumbel import (
    GumbelSettings,
    RootAnswer,
    completed_values,
    considered_visits,
    gumbel_move,
    improved_policy,
)

SETTINGS = GumbelSettings(considered=8, c_visit=50.0, c_scale=1.0)


def answer(visits, priors, values, own_value=0.0):
    arrays = np.array(visits, np.int32), np.array(priors, np.float32), np.array(values, np.float32)
    return RootAnswer(*arrays, own_value)


def visits_by_halving(num_moves, num_simulations):
    """Visits of each move when the first of equals is taken: what the sequence leads to."""
    visits = [0] * num_moves
    for wanted in considered_visits(num_moves, num_simulations):
        visits[visits.index(wanted)] += 1
    return visits


def test_sixteen_moves_and_200_simulations_halve_as_in_the_paper():
    # 200 / (4 rounds * moves alive): 3 passes over 16, 6 over 8, 12 over 4, then the last two share the rest
    visits = visits_by_halving(16, 200)
    assert sum(visits) == 200
    assert visits[8:] == [3] * 8
    assert visits[4:8] == [9] * 4
    assert visits[2:4] == [21] * 2
    assert visits[:2] == [49, 49]


@pytest.mark.parametrize("num_simulations", [1, 2, 3, 5, 16, 17, 63, 64])
@pytest.mark.parametrize("num_moves", [1, 2, 3, 5, 8, 16, 225])
def test_any_number_of_moves_and_simulations_gives_a_sequence_that_can_be_followed(
    num_moves, num_simulations
):
    visits = visits_by_halving(num_moves, num_simulations)
    assert sum(visits) == num_simulations
    assert visits == sorted(visits, reverse=True)


def test_completed_values_mix_the_own_value_and_the_visited_moves_by_prior():
    root = answer([3, 1, 0], [0.5, 0.25, 0.25], [0.2, -0.4, 0], own_value=0.6)
    # prior-weighted mean of the visited moves (0.5 * 0.2 - 0.25 * 0.4) / 0.75 = 0; (0.6 + 4 * 0) / 5 = 0.12
    assert completed_values(root) == pytest.approx([0.2, -0.4, 0.12])


def test_completed_values_without_visits_are_the_own_value():
    assert completed_values(answer([0, 0], [0.5, 0.5], [0, 0], 0.3)) == pytest.approx([0.3, 0.3])


def test_the_target_is_the_softmax_of_logits_and_scaled_values():
    root = answer([2, 1], [0.75, 0.25], [0.0, 0.1])
    settings = GumbelSettings(2, c_visit=50.0, c_scale=0.1)
    odds = 3 * np.exp(-(52 * 0.1) * 0.05)
    assert improved_policy(root, settings) == pytest.approx([odds / (1 + odds), 1 / (1 + odds)])


def test_one_legal_move_of_many_gets_a_finite_target_of_one():
    priors, visits, values = np.zeros(65), np.zeros(65), np.zeros(65)
    priors[64], visits[64] = 1, 2
    policy = improved_policy(answer(visits, priors, values), SETTINGS)
    assert policy[64] == 1
    assert policy.sum() == 1
    assert np.isfinite(policy).all()


def test_priors_that_underflowed_give_finite_targets():
    policy = improved_policy(answer([1, 0], [1, 1e-45], [0.5, 0]), SETTINGS)
    assert np.isfinite(policy).all()
    assert policy.sum() == pytest.approx(1)


def test_the_move_played_is_the_best_of_the_most_visited():
    root = answer([5, 5, 4, 0], [0.1, 0.1, 0.1, 0.7], [0.1, 0.2, 1.0, 0])
    assert gumbel_move(root, SETTINGS, np.zeros(4, np.float32)) == 1
    assert gumbel_move(root, SETTINGS, np.array([9, 0, 0, 0], np.float32)) == 0
