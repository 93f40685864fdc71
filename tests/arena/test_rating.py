"""Ratings against a plain twin, synthetic players of known strength, and degenerate tables."""

import math
import time

import numpy as np
import pandas as pd
import pytest

from stonezero.arena.rating import (
    ELO_PER_UNIT,
    PairCounts,
    choose_anchor,
    count_pairs,
    fit,
    rate,
    with_prior,
)
from stonezero.errors import UserError
from stonezero.games.position import BLACK_WON, DRAW, ONGOING, WHITE_WON


def games_table(rows: list[tuple[str, str, int, int]]) -> pd.DataFrame:
    """Rows (black, white, status, repeats), each repeat a different game."""
    games = [(black, white, status, i) for black, white, status, repeats in rows for i in range(repeats)]
    table = pd.DataFrame(games, columns=["black", "white", "status", "number"])
    table["moves"] = [f"game {i}" for i in range(len(table))]
    return table


def synthetic(rng, theta, draw, advantage, black, white) -> pd.DataFrame:
    """Games drawn from the model with the strengths theta (natural units)."""
    difference = theta[black] - theta[white] + advantage
    weights = np.exp(np.stack([difference / 2, np.full(len(black), draw), -difference / 2], axis=1))
    chances = weights.cumsum(axis=1) / weights.sum(axis=1, keepdims=True)
    outcome = (rng.random(len(black))[:, None] > chances).sum(axis=1)
    names = np.array([f"p{i:03d}" for i in range(len(theta))])
    return pd.DataFrame(
        {
            "black": names[black],
            "white": names[white],
            "status": np.array([BLACK_WON, DRAW, WHITE_WON])[outcome],
            "moves": [str(i) for i in range(len(black))],
        }
    )


def test_fit_agrees_with_a_plain_twin():
    """Twin: the likelihood written game by game, maximised without derivatives."""
    from scipy.optimize import minimize

    counts = PairCounts(
        np.array([0, 1, 2, 0]),
        np.array([1, 2, 0, 2]),
        np.array([[5, 2, 3], [4, 1, 1], [2, 0, 6], [3, 3, 1.0]]),
    )

    def negative_log_likelihood(x):
        theta, total = [*x[:3], 0.0], 0.0
        both = with_prior(counts, 3, prior_games=1.5)
        for black, white, (won, drawn, lost) in zip(*both, strict=True):
            d = theta[black] - theta[white] + x[3]
            z = np.exp(d / 2) + np.exp(x[4]) + np.exp(-d / 2)
            total += won * (d / 2 - np.log(z)) + drawn * (x[4] - np.log(z)) + lost * (-d / 2 - np.log(z))
        return -total

    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20000, "maxfev": 20000}
    twin = minimize(negative_log_likelihood, np.zeros(5), method="Nelder-Mead", options=options)
    found, covariance = fit(counts, 3, prior_games=1.5)
    assert np.allclose(found, twin.x, atol=1e-5)  # the simplex method's accuracy
    step = 1e-4
    numeric = np.zeros((5, 5))
    for i in range(5):
        for j in range(5):
            signs = [(a, b, a * b) for a in (1, -1) for b in (1, -1)]
            numeric[i, j] = sum(
                s * negative_log_likelihood(found + step * (a * np.eye(5)[i] + b * np.eye(5)[j]))
                for a, b, s in signs
            ) / (4 * step**2)
    assert np.allclose(np.linalg.inv(numeric), covariance, rtol=1e-3)


def test_two_players_follow_their_wins_and_losses():
    table = games_table([("a", "b", BLACK_WON, 300), ("a", "b", WHITE_WON, 100)])
    table = pd.concat([table, games_table([("b", "a", BLACK_WON, 100), ("b", "a", WHITE_WON, 300)])])
    table["moves"] = [str(i) for i in range(len(table))]
    ratings = rate(table, "b", prior_games=0.01, confidence=0.95)
    assert ratings.elo[0] == pytest.approx(400 * np.log10(3), abs=0.5)
    assert ratings.black_advantage[0] == pytest.approx(0, abs=0.1)
    assert ratings.low[0] < ratings.elo[0] < ratings.high[0]


def test_synthetic_players_are_recovered():
    rng = np.random.default_rng(5)
    theta = np.linspace(0, 800, 9) / ELO_PER_UNIT
    black, white = rng.integers(0, 9, (2, 30_000))
    keep = black != white
    table = synthetic(
        rng, theta, draw=-0.3, advantage=60 / ELO_PER_UNIT, black=black[keep], white=white[keep]
    )
    ratings = rate(table, "p000", prior_games=1, confidence=0.999)
    assert (ratings.low[1:] < ELO_PER_UNIT * theta[1:]).all()
    assert (ratings.high[1:] > ELO_PER_UNIT * theta[1:]).all()
    advantage, low, high = ratings.black_advantage
    assert low < 60 < high
    assert advantage == pytest.approx(60, abs=15)
    assert ratings.draw_rate == pytest.approx(np.exp(-0.3) / (np.exp(-0.3) + 2), abs=0.02)


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(11)
    theta = np.array([0, 100, 150, 300, 320]) / ELO_PER_UNIT
    inside = []
    for _ in range(400):
        black, white = rng.integers(0, 5, (2, 600))
        keep = black != white
        table = synthetic(rng, theta, -0.5, 0.2, black[keep], white[keep])
        ratings = rate(table, "p000", prior_games=0.5, confidence=0.95)
        truth = ELO_PER_UNIT * theta[1:]
        inside += ((ratings.low[1:] < truth) & (truth < ratings.high[1:])).tolist()
    assert 0.935 < np.mean(inside) < 0.965


@pytest.mark.slow
def test_likelihood_of_superiority_is_right_as_often_as_it_says():
    """Two players of equal strength: the chance that one is called stronger is uniform."""
    rng = np.random.default_rng(12)
    theta = np.array([0, 200, 200]) / ELO_PER_UNIT
    chances = []
    for _ in range(400):
        black, white = rng.integers(0, 3, (2, 450))
        keep = black != white
        table = synthetic(rng, theta, -0.5, 0.2, black[keep], white[keep])
        chances.append(rate(table, "p000", prior_games=0.5, confidence=0.95).superiority()[1, 2])
    assert np.mean(np.array(chances) > 0.95) == pytest.approx(0.05, abs=0.033)  # three standard deviations
    assert np.mean(np.array(chances) > 0.5) == pytest.approx(0.5, abs=0.075)


def test_superiority_follows_the_law_of_the_difference():
    """Two players: the difference has the variance of the rating itself, as the anchor's is 0."""
    table = games_table([("a", "b", BLACK_WON, 30), ("b", "a", BLACK_WON, 20)])
    ratings = rate(table, "b", prior_games=1, confidence=0.95)
    sigma = (ratings.high[0] - ratings.elo[0]) / 1.959964
    chance = ratings.superiority()
    assert chance[0, 1] == pytest.approx(
        0.5 * (1 + math.erf(ratings.elo[0] / sigma / math.sqrt(2))), abs=1e-6
    )
    assert np.allclose(chance + chance.T, 1)


def test_duplicated_games_count_once():
    once = games_table([("a", "b", BLACK_WON, 6), ("b", "a", BLACK_WON, 3)])
    twice = pd.concat([once, once.iloc[:4]])
    first, second = (rate(t, "a", prior_games=1, confidence=0.95) for t in (once, twice))
    assert (first.num_duplicates, second.num_duplicates) == (0, 4)
    assert second.num_games == 9
    assert np.array_equal(first.elo, second.elo)


def test_a_player_who_won_everything_has_a_rating_and_no_upper_bound():
    table = games_table([("a", "b", BLACK_WON, 5), ("b", "a", BLACK_WON, 5), ("c", "a", BLACK_WON, 10)])
    table = pd.concat([table, games_table([("b", "c", WHITE_WON, 10)]).assign(moves="x").iloc[:1]])
    ratings = rate(table, "a", prior_games=1, confidence=0.95)
    a, b, c = range(3)
    assert np.isfinite(ratings.elo).all()
    assert ratings.elo[c] > ratings.elo[b]
    assert np.isnan(ratings.high[c])
    assert ratings.low[c] < ratings.elo[c]
    assert ratings.low[b] < ratings.elo[b] < ratings.high[b]
    assert np.isnan([ratings.low[a], ratings.high[a]]).all()  # never ±0


def test_an_anchor_who_lost_everything_bounds_nobody_above():
    table = games_table([("random", "a", WHITE_WON, 9), ("random", "b", WHITE_WON, 9), ("a", "b", DRAW, 4)])
    ratings = rate(table, "random", prior_games=1, confidence=0.95)
    assert np.isnan(ratings.high).all()
    assert np.isfinite(ratings.low[:2]).all()


def test_one_game_and_only_draws_are_finite():
    one = rate(games_table([("a", "b", BLACK_WON, 1)]), "b", prior_games=1, confidence=0.95)
    assert np.isfinite(one.elo).all()
    assert np.isnan(one.high[0])
    draws = rate(games_table([("a", "b", DRAW, 40)]), "b", prior_games=1, confidence=0.95)
    assert draws.elo == pytest.approx([0, 0])
    assert draws.low[0] < 0 < draws.high[0]
    assert draws.draw_rate > 0.9


def test_players_without_a_chain_to_the_anchor_have_no_interval():
    table = games_table([("a", "b", DRAW, 4), ("c", "d", DRAW, 4)])
    ratings = rate(table, "a", prior_games=1, confidence=0.95)
    assert np.isnan(ratings.low[2:]).all()
    assert np.isnan(ratings.high[2:]).all()
    assert np.isfinite(ratings.elo).all()


def test_points_are_counted_for_both_colours():
    ratings = rate(
        games_table([("a", "b", BLACK_WON, 3), ("b", "a", DRAW, 2), ("b", "a", WHITE_WON, 1)]), "b", 1, 0.95
    )
    assert ratings.games.tolist() == [6, 6]
    assert ratings.score == pytest.approx([5 / 6, 1 / 6])
    assert ratings.table()["player"].tolist() == ["a", "b"]


def test_hundreds_of_players_take_seconds():
    rng = np.random.default_rng(3)
    theta = rng.normal(0, 1.5, 300)
    black, white = rng.integers(0, 300, (2, 100_000))
    keep = black != white
    table = synthetic(rng, theta, -0.5, 0.2, black[keep], white[keep])
    start = time.perf_counter()
    ratings = rate(table, "p000", prior_games=1, confidence=0.95)
    assert time.perf_counter() - start < 20
    assert np.corrcoef(ratings.elo, theta)[0, 1] > 0.99


def test_anchor_is_random_where_it_played():
    assert choose_anchor(["g001", "random"], ["rollouts:sims=64"]) == "random"
    assert choose_anchor(["g001", "rollouts:sims=64"], ["rollouts:sims=64"]) == "rollouts:sims=64"
    assert choose_anchor(["g002", "g001"]) == "g001"
    with pytest.raises(UserError):
        choose_anchor([])


def test_bad_input_is_refused():
    table = games_table([("a", "b", BLACK_WON, 1)])
    with pytest.raises(UserError, match="anchor"):
        rate(table, "nobody", 1, 0.95)
    with pytest.raises(UserError, match="prior_games"):
        rate(table, "a", 0, 0.95)
    with pytest.raises(UserError, match="confidence"):
        rate(table, "a", 1, 1.0)
    with pytest.raises(UserError, match="finished"):
        count_pairs(games_table([("a", "b", ONGOING, 1)]), ["a", "b"])
