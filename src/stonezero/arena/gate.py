"""The gate: a candidate meets the champion in rounds of pairs until the sequential test has decided, or by
another of the rules in `stonezero.arena.rules`: a fixed number of pairs, or games against earlier champions.

Pairs that repeat an earlier pair move by move (deterministic players, few openings) say nothing new and
are not counted; a round of nothing but such pairs ends the gate.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stonezero.arena.rules import (
    ARCHIVE_MEAN,
    ARCHIVE_WEAKEST,
    SCORE,
    SPRT,
    TWO_SIGMA,
    by_archive_mean,
    by_archive_pool,
    by_score,
    by_two_sigma,
)
from stonezero.arena.sequential import (
    CONTINUE,
    MODEL,
    SequentialTest,
    Verdict,
    elo_of_score,
    mean_score,
    pentanomial,
    verdict,
)
from stonezero.arena.tables import distinct_games, distinct_pairs, pair_scores, points
from stonezero.config.schema import GateConfig

log = logging.getLogger(__name__)

MODELS = {
    SPRT: MODEL,
    SCORE: "fixed score against the champion",
    TWO_SIGMA: "two standard deviations above even against the champion",
    ARCHIVE_MEAN: "mean score against the last champions",
    ARCHIVE_WEAKEST: "score against a pool of champions",
}
"""What each rule of `gate.rule` looks at, in words."""

PlayRound = Callable[[int, range], pd.DataFrame]
"""Plays the pairs with these numbers in round number .. and returns their table of games."""


@dataclass(frozen=True)
class GateResult:
    """What was played between candidate and champions, and what follows from it."""

    rule: str  #: a key of MODELS
    games: pd.DataFrame
    counts: NDArray[np.int64]  #: int64[5]: distinct pairs by the candidate's score
    results: NDArray[np.int64]  #: int64[3]: the candidate's losses, draws and wins in these pairs
    test: SequentialTest
    verdict: Verdict

    @property
    def score(self) -> float:
        return mean_score(self.counts)

    def figures(self) -> dict[str, float]:
        """All numbers of the decision, for gate.json, the history and the tracker."""
        losses, draws, wins = (int(n) for n in self.results)
        return {
            "accepted": int(self.verdict.accepted),
            "score": round(self.score, 6),
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "pairs": len(self.games) // 2,
            "distinct_pairs": int(self.counts.sum()),
            "distinct_games": len(distinct_games(self.games)),
            **{f"pairs_scoring_{i / 2:g}": int(n) for i, n in enumerate(self.counts)},
            "llr": round(self.test.llr(self.counts), 6),
            "lower_bound": round(self.test.lower_bound, 6),
            "upper_bound": round(self.test.upper_bound, 6),
            "elo0": self.test.elo0,
            "elo1": self.test.elo1,
        }

    def texts(self) -> dict[str, str]:
        """Verdict, reason and model, for the history."""
        text = "accepted" if self.verdict.accepted else "rejected"
        return {"verdict": text, "reason": self.verdict.reason, "model": MODELS[self.rule]}


def play_gate(config: GateConfig, candidate: str, play_round: PlayRound) -> GateResult:
    """Play rounds until the test decides, the cap is reached or no new pairs come up.

    Under the rules `score` and `two_sigma` there is no test: all pairs up to the cap are played.
    """
    test = SequentialTest(config.elo0, config.elo1, config.alpha, config.beta)
    tables: list[pd.DataFrame] = []
    played, undecided = 0, ""
    counts = np.zeros(5, np.int64)
    while not undecided and (config.rule != SPRT or test.decide(counts) == CONTINUE):
        pairs = range(played, min(played + config.round_pairs, config.max_pairs))
        tables.append(play_round(len(tables), pairs))
        played, counted_before = pairs.stop, counts.sum()
        counted = distinct_pairs(pd.concat(tables, ignore_index=True))
        counts = pentanomial(pair_scores(counted, candidate))
        log.info("%s after %d pairs: %s", candidate, played, _standing(test, counts))
        if counts.sum() == counted_before:
            undecided = "no new games come up"
        elif played >= config.max_pairs:
            undecided = "cap reached"
    results = _results(counted, candidate)
    if config.rule == SPRT:
        judged = verdict(test, counts, config.accept_score_at_cap, undecided)
    else:
        judged = by_score(counts, config.accept_score) if config.rule == SCORE else by_two_sigma(counts)
    return GateResult(config.rule, pd.concat(tables, ignore_index=True), counts, results, test, judged)


def judge_archive(config: GateConfig, candidate: str, tables: Mapping[str, pd.DataFrame]) -> GateResult:
    """Judge games against several champions, by opponent, under one of ARCHIVE_RULES."""
    test = SequentialTest(config.elo0, config.elo1, config.alpha, config.beta)
    counted = {name: distinct_pairs(table) for name, table in tables.items()}
    counts = {name: pentanomial(pair_scores(table, candidate)) for name, table in counted.items()}
    judge = by_archive_mean if config.rule == ARCHIVE_MEAN else by_archive_pool
    return GateResult(
        config.rule,
        pd.concat(tables.values(), ignore_index=True),
        np.sum(list(counts.values()), axis=0),
        _results(pd.concat(counted.values()), candidate),
        test,
        judge(counts, config.accept_score),
    )


def _results(games: pd.DataFrame, candidate: str) -> NDArray[np.int64]:
    """int64[3]: the candidate's losses, draws and wins."""
    return np.bincount(np.rint(2 * points(games, candidate)).astype(np.int64), minlength=3)


def _standing(test: SequentialTest, counts: NDArray[np.int64]) -> str:
    score = mean_score(counts)
    return (
        f"score {score:.3f} ({elo_of_score(score):+.0f} Elo), "
        f"LLR {test.llr(counts):.2f} of [{test.lower_bound:.2f}, {test.upper_bound:.2f}]"
    )
