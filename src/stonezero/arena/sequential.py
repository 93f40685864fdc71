"""The gate's sequential test: a GSPRT on pentanomial counts, as pure functions.

A *pair* is two games from one opening with colours swapped; the candidate scores 0, ½, 1, 1½ or 2 in it,
and `counts` says how many pairs ended with each. The test asks whether the candidate's expected score is
that of `elo0` (H0) or of `elo1` (H1), on the logistic scale: score = 1 / (1 + 10^(-elo / 400)).

The log-likelihood ratio is the generalised one: under each hypothesis the likeliest distribution with that
mean is taken (Van den Bergh, *The MLE of a multinomial distribution with given expectation*, Proposition
1.1, cantate.be/Fishtest/support_MLE_multinomial.pdf; the same test as fishtest's and fastchess's). The
functions take three counts (losses, draws, wins) as well: the trinomial test of single games.

Departure: unlike fishtest we look at the counts once per round and correct for no overshoot, which errs on
the cautious side.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from stonezero.errors import UserError

MODEL = "pentanomial GSPRT, logistic Elo"

ACCEPT, REJECT, CONTINUE = "accept", "reject", "continue"

EMPTY_COUNT = 1e-3
"""What a count of zero stands for (as in fishtest), so that one-sided results have a finite ratio."""


def expected_score(elo: float) -> float:
    """Expected score in 0..1 of a player `elo` points stronger, logistic scale."""
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


def elo_of_score(score: float) -> float:
    """Inverse of `expected_score`; infinite at 0 and 1."""
    if score <= 0.0 or score >= 1.0:
        return math.inf if score >= 1.0 else -math.inf
    return -400.0 * math.log10(1.0 / score - 1.0)


def pentanomial(pair_scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count pairs by what the candidate scored in them: float64[N] of 0, ½, .. 2 -> int64[5]."""
    return np.bincount(np.rint(2.0 * np.asarray(pair_scores)).astype(np.int64), minlength=5)


def mean_score(counts: Sequence[float] | NDArray[np.int64]) -> float:
    """Mean score per game in 0..1 of counts[K]; ½ without any."""
    weights = np.asarray(counts, np.float64)
    if weights.sum() == 0:
        return 0.5
    return float(weights @ np.linspace(0.0, 1.0, len(weights)) / weights.sum())


def log_likelihood_ratio(counts: Sequence[float] | NDArray[np.int64], elo0: float, elo1: float) -> float:
    """Generalised log-likelihood ratio of `elo1` against `elo0`.

    counts[K] says how many results scored 0, 1/(K-1), .. 1: K = 5 for pairs, 3 for single games. Finite for
    all counts, 0 without any.
    """
    observed = np.asarray(counts, np.float64)
    if observed.sum() == 0:
        return 0.0
    observed = np.where(observed == 0, EMPTY_COUNT, observed)
    scores = np.linspace(0.0, 1.0, len(observed))
    tilt0 = _log_tilt(observed, scores - expected_score(elo0))
    tilt1 = _log_tilt(observed, scores - expected_score(elo1))
    return float(observed @ (tilt0 - tilt1))


def _log_tilt(observed: NDArray[np.float64], centred: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(1 + x (a - s)), where p / (1 + x (a - s)) is the likeliest distribution with mean s.

    x solves sum p (a - s) / (1 + x (a - s)) = 0, which falls from +inf to -inf between its two poles.
    """
    low, high = -1.0 / centred[-1], -1.0 / centred[0]
    margin = 1e-12 * (high - low)
    x = brentq(
        lambda x: float(observed @ (centred / (1.0 + x * centred))), low + margin, high - margin, xtol=1e-15
    )
    return np.log1p(x * centred)


@dataclass(frozen=True)
class SequentialTest:
    """A test of `elo0` against `elo1` with error rates alpha (false accept) and beta (false reject)."""

    elo0: float
    elo1: float
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise UserError(f"the gate needs elo0 < elo1, not elo0 = {self.elo0} and elo1 = {self.elo1}")
        if not (0.0 < self.alpha < 0.5 and 0.0 < self.beta < 0.5):
            raise UserError(
                f"the gate needs alpha and beta between 0 and 0.5, not {self.alpha} and {self.beta}"
            )

    @property
    def lower_bound(self) -> float:
        """At or below this ratio H0 is accepted (Wald 1945)."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper_bound(self) -> float:
        """At or above this ratio H1 is accepted."""
        return math.log((1.0 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float] | NDArray[np.int64]) -> float:
        return log_likelihood_ratio(counts, self.elo0, self.elo1)

    def decide(self, counts: Sequence[float] | NDArray[np.int64]) -> str:
        """ACCEPT, REJECT or CONTINUE."""
        llr = self.llr(counts)
        if llr >= self.upper_bound:
            return ACCEPT
        return REJECT if llr <= self.lower_bound else CONTINUE


class Verdict(NamedTuple):
    accepted: bool
    reason: str  #: one sentence with the figures that decided


def verdict(
    test: SequentialTest,
    counts: NDArray[np.int64],
    accept_score_at_cap: float,
    undecided: str = "cap reached",
) -> Verdict:
    """Judge the final counts: by the test where it has decided, else by the score.

    `undecided` says why no more pairs were played.
    """
    llr, score = test.llr(counts), mean_score(counts)
    decision = test.decide(counts)
    if decision == CONTINUE:
        accepted = score > accept_score_at_cap
        relation = "above" if accepted else "not above"
        return Verdict(
            accepted,
            f"{undecided}: score {score:.3f} is {relation} {accept_score_at_cap:.3f} (LLR {llr:.2f})",
        )
    bound, sign = (test.upper_bound, ">=") if decision == ACCEPT else (test.lower_bound, "<=")
    better = f"at least {test.elo1:g}" if decision == ACCEPT else f"at most {test.elo0:g}"
    return Verdict(decision == ACCEPT, f"{better} Elo better: LLR {llr:.2f} {sign} {bound:.2f}")
