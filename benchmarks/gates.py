"""python -m benchmarks.gates: how often each rule of `gate.rule` accepts nets of a known strength.

Simulated games, independent, 30% of them drawn; Elo on the logistic scale of the score. The earlier champions
of the archive are each 20 Elo weaker than the next. Settings are the defaults of conf/gate, but 50 pairs for
the fixed rules and 10 champions with 5 pairs each for the archive: 100 games, as published.
"""

from typing import Any

import numpy as np

from benchmarks.report import print_report
from stonezero.arena.rules import by_archive_mean, by_archive_pool, by_score, by_two_sigma
from stonezero.arena.sequential import CONTINUE, SequentialTest, expected_score, verdict

DIFFERENCES = (-35.0, 0.0, 35.0, 70.0, 105.0)
"""True Elo of the candidate above the champion."""

TEST = SequentialTest(elo0=0.0, elo1=70.0, alpha=0.05, beta=0.05)
ACCEPT_SCORE_AT_CAP, ROUND_PAIRS, MAX_PAIRS = 0.55, 16, 100
ACCEPT_SCORE, FIXED_PAIRS = 0.55, 50
ARCHIVE_SIZE, ARCHIVE_PAIRS, ARCHIVE_STEP = 10, 5, 20.0
DRAW_RATE = 0.3
RUNS = 1000


def pair_chances(elo: float) -> np.ndarray:
    """Chances float64[5] of a pair's scores, for a player `elo` points stronger."""
    win = expected_score(elo) - DRAW_RATE / 2
    game = np.array([1 - DRAW_RATE - win, DRAW_RATE, win])
    return np.convolve(game, game)


def sequential(elo: float, rng: np.random.Generator) -> tuple[bool, int]:
    """One gate by the sequential test: verdict and pairs played."""
    counts = np.zeros(5, np.int64)
    while counts.sum() < MAX_PAIRS and TEST.decide(counts) == CONTINUE:
        pairs = min(ROUND_PAIRS, MAX_PAIRS - int(counts.sum()))
        counts += rng.multinomial(pairs, pair_chances(elo))
    return verdict(TEST, counts, ACCEPT_SCORE_AT_CAP).accepted, int(counts.sum())


def archive(elo: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Counts of one gate against the archive."""
    return {
        f"g{age:03d}": rng.multinomial(ARCHIVE_PAIRS, pair_chances(elo + age * ARCHIVE_STEP))
        for age in range(ARCHIVE_SIZE)
    }


def measure(rule: str, elo: float, runs: int = RUNS, seed: int = 1) -> tuple[float, float]:
    """Share of accepted candidates and mean number of pairs."""
    rng = np.random.default_rng([seed, len(rule), int(elo + 1000)])
    if rule == "sprt":
        played = [sequential(elo, rng) for _ in range(runs)]
        return float(np.mean([ok for ok, _ in played])), float(np.mean([pairs for _, pairs in played]))
    if rule in ("score", "two_sigma"):
        samples = rng.multinomial(FIXED_PAIRS, pair_chances(elo), size=runs)
        accepted = [
            (by_score(counts, ACCEPT_SCORE) if rule == "score" else by_two_sigma(counts)).accepted
            for counts in samples
        ]
        return float(np.mean(accepted)), float(FIXED_PAIRS)
    judge = by_archive_mean if rule == "archive_mean" else by_archive_pool
    accepted = [judge(archive(elo, rng), ACCEPT_SCORE).accepted for _ in range(runs)]
    return float(np.mean(accepted)), float(ARCHIVE_SIZE * ARCHIVE_PAIRS)


def main() -> None:
    rows: list[dict[str, Any]] = []
    for rule in ("sprt", "score", "two_sigma", "archive_mean", "archive_weakest"):
        for elo in DIFFERENCES:
            accepted, pairs = measure(rule, elo)
            rows.append(
                {
                    "rule": rule,
                    "true_elo": elo,
                    "accepted": accepted,
                    "rejected": 1 - accepted,
                    "pairs": pairs,
                }
            )
    print_report("gates", rows)


if __name__ == "__main__":
    main()
