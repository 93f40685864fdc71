"""What a gate decides by (`gate.rule`), beside the sequential test: published rules, on counts alone.

score            points per game against the champion, all pairs played: accepted from a fixed share on
two_sigma        the same games: accepted where |p - 1/2| > 2 sigma and p > 1/2
archive_mean     the mean of the scores against the last champions, each counted alike
archive_weakest  points per game against a pool of champions, which an accepted net joins; the weakest leaves

counts[5] are pairs by the candidate's score, as in `stonezero.arena.sequential`. The recipes give game counts
and shares, no error rates: `python -m benchmarks.gates` prints what they accept and reject.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from stonezero.arena.sequential import Verdict, mean_score

SPRT, SCORE, TWO_SIGMA = "sprt", "score", "two_sigma"
ARCHIVE_MEAN, ARCHIVE_WEAKEST = "archive_mean", "archive_weakest"
ARCHIVE_RULES = (ARCHIVE_MEAN, ARCHIVE_WEAKEST)
"""Rules that look at games against several champions."""

ROUNDING = 1e-12
"""A score of 55 of 100 counts as 0.55, whatever its last bit."""

Counts = NDArray[np.int64]


def by_score(counts: Counts, accept_score: float) -> Verdict:
    """Accepted where the score is at least `accept_score`; never without a game."""
    return _compare(mean_score(counts), accept_score, f"in {counts.sum()} pairs")


def by_two_sigma(counts: Counts) -> Verdict:
    """Accepted where the score lies more than two standard deviations above 1/2.

    sigma = 1/2 / sqrt(games), that of games without draws between equals, so that one-sided and tiny samples
    have one as well: four games or fewer are never enough. Draws make the true one smaller.
    """
    games = 2 * int(counts.sum())
    score = mean_score(counts)
    limit = 1.0 / math.sqrt(games) if games else 0.5
    accepted = score - 0.5 > limit + ROUNDING
    if accepted or 0.5 - score > limit + ROUNDING:
        side = "above" if accepted else "below"
        return Verdict(accepted, f"score {score:.3f} lies more than 2 sigma = {limit:.3f} {side} 0.5")
    return Verdict(False, f"score {score:.3f} lies within 2 sigma = {limit:.3f} of 0.5")


def by_archive_mean(counts: Mapping[str, Counts], accept_score: float) -> Verdict:
    """Accepted where the mean over opponents of the scores against each is at least `accept_score`."""
    scores = [mean_score(of_one) for of_one in counts.values()]
    mean = sum(scores) / len(scores) if scores else 0.5
    return _compare(mean, accept_score, f"on average over {len(scores)} archived nets")


def by_archive_pool(counts: Mapping[str, Counts], accept_score: float) -> Verdict:
    """Accepted where the points per game in all games against the pool are at least `accept_score`."""
    total = sum(counts.values(), np.zeros(5, np.int64))
    return _compare(mean_score(total), accept_score, f"against a pool of {len(counts)} nets")


def replace_weakest(
    pool: Sequence[str], newcomer: str, ratings: Mapping[str, float], size: int
) -> tuple[str, ...]:
    """The pool with the newcomer; where it exceeds `size`, the lowest rated old ones leave (ties: the older).

    size >= 1. The newcomer stays, so the last champion is always a member.
    """
    kept = list(pool)
    while len(kept) > size - 1:
        kept.remove(min(kept, key=lambda name: ratings[name]))
    return (*kept, newcomer)


def _compare(score: float, accept_score: float, where: str) -> Verdict:
    accepted = score >= accept_score - ROUNDING
    relation = "at least" if accepted else "below"
    return Verdict(accepted, f"score {score:.3f} {where} is {relation} {accept_score:.3f}")
