"""The sequential test against published worked examples, a plain twin, and its promised error rates."""

import math

import numpy as np
import pytest

from stonezero.arena.sequential import (
    ACCEPT,
    CONTINUE,
    REJECT,
    SequentialTest,
    elo_of_score,
    expected_score,
    log_likelihood_ratio,
    mean_score,
    pentanomial,
    verdict,
)
from stonezero.errors import UserError

DEFAULT = SequentialTest(elo0=0, elo1=70, alpha=0.05, beta=0.05)


def normal_approximation(counts: list[int], elo0: float, elo1: float) -> float:
    """The usual closed form: N (s1 - s0) (2 mean - s0 - s1) / (2 variance)."""
    total = sum(counts)
    scores = [i / (len(counts) - 1) for i in range(len(counts))]
    mean = sum(n * a for n, a in zip(counts, scores, strict=True)) / total
    variance = sum(n * (a - mean) ** 2 for n, a in zip(counts, scores, strict=True)) / total
    s0, s1 = expected_score(elo0), expected_score(elo1)
    return total * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)


# losses, draws, wins; the figures are public reports recomputed with the normal approximation
TRINOMIAL_EXAMPLES = [([759, 1863, 880], 0, 5, 2.953), ([608, 12530, 648], 0, 5, -9.35)]
# pairs by score; from fastchess' own tests ("logistic pentanomial 1" and "2")
PENTANOMIAL_EXAMPLES = [
    ([223, 9863, 20279 + 1000, 10037, 246], 0.5, 2.5, -3.07),
    ([871, 26175, 55003 + 980, 26678, 821], 0, 2, -4.98),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "published"), TRINOMIAL_EXAMPLES)
def test_published_trinomial_examples(counts, elo0, elo1, published):
    assert normal_approximation(counts, elo0, elo1) == pytest.approx(published, abs=0.005)
    # the exact ratio differs from its normal approximation in the third digit
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize(("counts", "elo0", "elo1", "published"), PENTANOMIAL_EXAMPLES)
def test_published_pentanomial_examples(counts, elo0, elo1, published):
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(published, abs=0.01)


def test_ratio_is_the_best_likelihood_under_each_hypothesis():
    """Twin: maximise the multinomial likelihood under the mean constraint by a general optimiser."""
    from scipy.optimize import minimize

    counts, scores = np.array([3, 5, 9, 14, 12]), np.linspace(0, 1, 5)

    def best(mean):
        constraints = [
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ scores - mean},
        ]
        start = np.full(5, 0.2)
        found = minimize(
            lambda p: -(counts @ np.log(p)), start, bounds=[(1e-9, 1)] * 5, constraints=constraints, tol=1e-12
        )
        return -found.fun

    twin = best(expected_score(70)) - best(expected_score(0))
    assert log_likelihood_ratio(counts, 0, 70) == pytest.approx(twin, abs=1e-4)  # the optimiser's tolerance


def test_ratio_changes_sign_when_sides_and_hypotheses_are_swapped():
    counts = [2, 4, 8, 9, 7]
    assert log_likelihood_ratio(counts, 0, 30) == pytest.approx(-log_likelihood_ratio(counts, 30, 0))
    assert log_likelihood_ratio(counts, 0, 30) == pytest.approx(-log_likelihood_ratio(counts[::-1], -30, 0))


def test_thirty_wins_without_a_loss_terminate():
    assert DEFAULT.decide([0, 0, 0, 0, 15]) in (ACCEPT, CONTINUE)
    assert DEFAULT.decide([0, 0, 0, 0, 18]) == ACCEPT
    assert SequentialTest(0, 400, 0.05, 0.05).decide([0, 0, 30]) == ACCEPT
    assert DEFAULT.decide([15, 0, 0, 0, 0]) == REJECT


@pytest.mark.parametrize("pairs", [1, 5, 20, 1000])
def test_all_draws_are_never_accepted(pairs):
    counts = np.array([0, 0, pairs, 0, 0])
    assert math.isfinite(DEFAULT.llr(counts))
    assert DEFAULT.decide(counts) != ACCEPT
    judged = verdict(DEFAULT, counts, accept_score_at_cap=0.5)
    assert not judged.accepted
    assert judged.reason


@pytest.mark.parametrize("counts", [[0] * 5, [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 1, 0, 0]])
def test_tiny_samples_decide_nothing(counts):
    assert DEFAULT.decide(counts) == CONTINUE


def test_score_at_the_cap_must_be_strictly_above():
    counts = np.array([2, 0, 0, 0, 2])
    assert not verdict(DEFAULT, counts, 0.5).accepted
    assert verdict(DEFAULT, counts, 0.49).accepted
    assert "cap" in verdict(DEFAULT, counts, 0.5).reason


def test_pairs_are_counted_by_score():
    assert pentanomial(np.array([0, 0.5, 2.0, 2.0, 1.0])).tolist() == [1, 1, 1, 0, 2]
    assert mean_score([1, 1, 1, 0, 2]) == pytest.approx(5.5 / 10)
    assert mean_score([0] * 5) == 0.5


def test_elo_and_score_are_inverse():
    assert expected_score(0) == 0.5
    assert elo_of_score(expected_score(123.0)) == pytest.approx(123.0)
    assert elo_of_score(1.0) == math.inf
    assert elo_of_score(0.0) == -math.inf


@pytest.mark.parametrize("bad", [{"elo0": 70}, {"alpha": 0.0}, {"beta": 0.7}])
def test_impossible_bounds_are_refused(bad):
    with pytest.raises(UserError):
        SequentialTest(**({"elo0": 0, "elo1": 70, "alpha": 0.05, "beta": 0.05} | bad))


def accept_rate(elo: float, draw_rate: float, runs: int, seed: int) -> tuple[float, float]:
    """Share of accepted runs and mean number of pairs when the candidate really is `elo` better."""
    rng = np.random.default_rng(seed)
    win = expected_score(elo) - draw_rate / 2
    accepted, pairs = 0, 0
    for _ in range(runs):
        counts, decision = np.zeros(5, np.int64), CONTINUE
        while decision == CONTINUE:
            games = rng.choice([0.0, 0.5, 1.0], size=(8, 2), p=[1 - win - draw_rate, draw_rate, win])
            counts += pentanomial(games.sum(axis=1))
            decision = DEFAULT.decide(counts)
        accepted += decision == ACCEPT
        pairs += counts.sum()
    return accepted / runs, pairs / runs


@pytest.mark.slow
@pytest.mark.parametrize("draw_rate", [0.05, 0.4])
def test_error_rates_are_as_promised(draw_rate):
    false_accepts, pairs0 = accept_rate(0.0, draw_rate, 1500, seed=1)
    accepts, pairs1 = accept_rate(70.0, draw_rate, 1500, seed=2)
    tolerance = 3 * math.sqrt(0.05 * 0.95 / 1500)
    assert false_accepts <= 0.05 + tolerance
    assert accepts >= 0.95 - tolerance
    assert max(pairs0, pairs1) < 100
