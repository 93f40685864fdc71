"""The gate: a candidate meets the champion in rounds of pairs until the sequential test has decided.

Pairs that repeat an earlier pair move by move (deterministic players, few openings) say nothing new and
are not counted; a round of nothing but such pairs ends the gate.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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

PlayRound = Callable[[int, range], pd.DataFrame]
"""Plays the pairs with these numbers in round number .. and returns their table of games."""


@dataclass(frozen=True)
class GateResult:
    """What was played between candidate and champion, and what follows from it."""

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
        return {"verdict": text, "reason": self.verdict.reason, "model": MODEL}


def play_gate(config: GateConfig, candidate: str, play_round: PlayRound) -> GateResult:
    """Play rounds until the test decides, the cap is reached or no new pairs come up."""
    test = SequentialTest(config.elo0, config.elo1, config.alpha, config.beta)
    tables: list[pd.DataFrame] = []
    played, undecided = 0, ""
    counts = np.zeros(5, np.int64)
    while test.decide(counts) == CONTINUE and not undecided:
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
    results = np.bincount(np.rint(2 * points(counted, candidate)).astype(np.int64), minlength=3)
    judged = verdict(test, counts, config.accept_score_at_cap, undecided)
    return GateResult(pd.concat(tables, ignore_index=True), counts, results, test, judged)


def _standing(test: SequentialTest, counts: NDArray[np.int64]) -> str:
    score = mean_score(counts)
    return (
        f"score {score:.3f} ({elo_of_score(score):+.0f} Elo), "
        f"LLR {test.llr(counts):.2f} of [{test.lower_bound:.2f}, {test.upper_bound:.2f}]"
    )
