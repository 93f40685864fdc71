"""The gate's published rules on counts small enough to work out by hand, and their exact acceptance rates."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from stonezero.arena.gate import judge_archive, play_gate
from stonezero.arena.history import Champion, History
from stonezero.arena.incremental import incremental_elo
from stonezero.arena.rules import (
    by_archive_mean,
    by_archive_pool,
    by_score,
    by_two_sigma,
    replace_weakest,
)
from stonezero.arena.run import judges
from stonezero.games import BLACK_WON, DRAW, WHITE_WON
from tests.arena.test_gate import config, scripted


def test_the_fixed_score_is_reached_at_eleven_of_twenty():
    # ten pairs: 2 * 2 + 7 * 1 + 0 = 11 of 20 points; then one half point less
    assert by_score(np.array([1, 0, 7, 0, 2]), 0.55).accepted
    assert not by_score(np.array([1, 0, 8, 0, 1]), 0.55).accepted
    assert not by_score(np.array([1, 1, 6, 0, 2]), 0.55).accepted
    assert by_score(np.array([0, 0, 7, 2, 1]), 0.55).reason == "score 0.600 in 10 pairs is at least 0.550"


def test_two_sigma_of_a_hundred_games_is_a_tenth():
    # sigma = 0.5 / sqrt(100) = 0.05: 60 of 100 is on the limit, 60.5 beyond
    assert not by_two_sigma(np.array([10, 0, 20, 0, 20])).accepted
    assert by_two_sigma(np.array([10, 0, 19, 1, 20])).accepted
    assert by_two_sigma(np.array([20, 1, 19, 0, 10])).reason.endswith("2 sigma = 0.100 below 0.5")


@pytest.mark.parametrize(
    "counts", [[0] * 5, [0, 0, 0, 0, 1], [0, 0, 0, 0, 2], [0, 0, 500, 0, 0], [9, 0, 0, 0, 0]]
)
def test_tiny_one_sided_and_drawn_samples_never_satisfy_two_sigma(counts):
    assert not by_two_sigma(np.array(counts)).accepted


def test_no_game_and_all_draws_never_reach_a_fixed_score():
    for counts in ([0] * 5, [0, 0, 1000, 0, 0]):
        assert not by_score(np.array(counts), 0.501).accepted
        assert not by_archive_mean({"g000": np.array(counts)}, 0.501).accepted
        assert not by_archive_pool({"g000": np.array(counts)}, 0.501).accepted


def test_the_mean_counts_opponents_alike_and_the_pool_counts_games_alike():
    # 1 of 1 pair won against a, 4 of 9 pairs against b: mean (1 + 4/9) / 2 = 0.722, in all 5/10
    counts = {"a": np.array([0, 0, 0, 0, 1]), "b": np.array([5, 0, 0, 0, 4])}
    assert by_archive_mean(counts, 0.72).accepted
    assert not by_archive_mean(counts, 0.73).accepted
    assert not by_archive_pool(counts, 0.55).accepted
    assert by_archive_pool(counts, 0.50).accepted


def test_the_weakest_old_member_leaves_a_full_pool():
    ratings = {"g000": 1100.0, "g001": 1250.0, "g002": 1180.0, "g003": 1000.0}
    assert replace_weakest(["g000", "g001"], "g002", ratings, 3) == ("g000", "g001", "g002")
    assert replace_weakest(["g000", "g001", "g002"], "g003", ratings, 3) == ("g001", "g002", "g003")
    assert replace_weakest(["g001"], "g003", ratings, 1) == ("g003",)
    assert replace_weakest(["g000", "g001", "g002"], "g003", ratings, 2) == ("g001", "g003")


def games(rows: list[tuple[str, str, int]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["black", "white", "status"])
    return table.assign(moves=[str(number) for number in range(len(table))])


def test_incremental_elo_by_hand():
    # equals: 16 each way; then 32 (1 - 1 / (1 + 10^(32/400))) = 17.4696 to the weaker winner; then a draw
    ratings = incremental_elo(games([("a", "b", BLACK_WON), ("a", "b", WHITE_WON), ("c", "a", DRAW)]))
    after_two = 1216 - 32 * (1 - 1 / (1 + 10 ** (32 / 400)))
    gain = 32 * (0.5 - 1 / (1 + 10 ** ((1200 - after_two) / 400)))
    assert ratings["b"] == pytest.approx(2400 - after_two)
    assert ratings["a"] == pytest.approx(after_two + gain)
    assert ratings["c"] == pytest.approx(1200 - gain)
    assert after_two == pytest.approx(1198.53, abs=0.01)
    assert incremental_elo(pd.concat([games([("a", "b", BLACK_WON)])] * 3)) == {"a": 1216.0, "b": 1184.0}


def test_champions_judge_by_age_or_by_strength():
    # g001 beat g000, then g002 lost all to g000 and beat g001: with two seats g000 outrates g001 at the end
    rows = [("g001", "g001", "g000", 1), ("g002", "g000", "g002", 3), ("g002", "g002", "g001", 4)]
    table = pd.DataFrame(
        [(gen, black, white, BLACK_WON) for gen, black, white, count in rows for _ in range(count)],
        columns=["generation", "black", "white", "status"],
    ).assign(moves=[str(number) for number in range(8)])
    champions = [Champion(f"g00{i}", "", "") for i in range(3)]
    history = History(table, *(pd.DataFrame() for _ in range(3)), champions)
    assert judges(history, config(rule="archive_mean", archive_champions=2)) == ("g001", "g002")
    assert judges(history, config(rule="archive_mean", archive_champions=9)) == ("g000", "g001", "g002")
    assert judges(history, config(rule="archive_weakest", archive_champions=2)) == ("g000", "g002")


@pytest.mark.parametrize("rule", ["score", "two_sigma"])
def test_fixed_rules_play_all_pairs_and_name_themselves(rule):
    play_round, calls = scripted(lambda pair: 2)
    result = play_gate(config(rule=rule, max_pairs=20), "new", play_round)
    assert [pairs for _, pairs in calls] == [range(0, 8), range(8, 16), range(16, 20)]
    assert result.verdict.accepted
    assert "GSPRT" not in result.texts()["model"]
    assert not play_gate(config(rule=rule), "new", scripted(lambda pair: 1)[0]).verdict.accepted


def test_archive_games_are_counted_by_opponent():
    # pair numbers repeat from opponent to opponent: 2 + 2 pairs, 3 of 4 won
    won, even = (scripted(outcome)[0](0, range(2)) for outcome in (lambda _: 2, lambda pair: 2 * pair))
    tables = {"old": won, "older": even.replace("old", "older")}
    result = judge_archive(config(rule="archive_mean", accept_score=0.75), "new", tables)
    assert result.counts.tolist() == [1, 0, 0, 0, 3]
    assert result.results.tolist() == [2, 0, 6]
    assert result.verdict.accepted
    assert not judge_archive(
        config(rule="archive_weakest", accept_score=0.76), "new", tables
    ).verdict.accepted


def test_acceptance_rates_are_those_of_the_binomial_law():
    """Without draws the points of 100 independent games are binomial: accepted from 55, from 61 points."""
    rng = np.random.default_rng(7)
    for chance in (0.5, 0.6):
        pairs = rng.binomial(1, chance, (4000, 50, 2)).sum(axis=2)
        counts = [np.bincount(2 * row, minlength=5) for row in pairs]
        for least, judge in ((55, lambda c: by_score(c, 0.55)), (61, by_two_sigma)):
            exact = binom.sf(least - 1, 100, chance)
            rate = np.mean([judge(c).accepted for c in counts])
            assert rate == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4000))
