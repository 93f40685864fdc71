"""The gate's loop on scripted games."""

import numpy as np
import pandas as pd
import pytest

from stonezero.arena.gate import play_gate
from stonezero.arena.sequential import MODEL
from stonezero.config.schema import GateConfig
from stonezero.games import BLACK_WON, DRAW, WHITE_WON


def config(**changes) -> GateConfig:
    values = {
        "round_pairs": 8,
        "max_pairs": 40,
        "elo0": 0.0,
        "elo1": 70.0,
        "alpha": 0.05,
        "beta": 0.05,
        "accept_score_at_cap": 0.52,
    }
    return GateConfig(**(values | changes))


def scripted(outcome, distinct=True):
    """A `play_round` in which the candidate scores outcome(i) in pair i: 0, 1 or 2."""
    calls = []

    def play_round(number, pairs):
        calls.append((number, pairs))
        rows = []
        for pair in pairs:
            status = {0: (WHITE_WON, BLACK_WON), 1: (DRAW, DRAW), 2: (BLACK_WON, WHITE_WON)}[outcome(pair)]
            line = f"line {pair}" if distinct else "same"
            rows += [
                (pair, "new", "old", status[0], line),
                (pair, "old", "new", status[1], line + "'"),
            ]
        return pd.DataFrame(rows, columns=["pair", "black", "white", "status", "moves"])

    return play_round, calls


def test_a_clear_winner_is_accepted_before_the_cap():
    play_round, calls = scripted(lambda pair: 2)
    result = play_gate(config(), "new", play_round)
    assert result.verdict.accepted
    assert result.score == 1.0
    assert calls == [(0, range(0, 8)), (1, range(8, 16)), (2, range(16, 24))]
    assert "LLR" in result.verdict.reason


def test_a_clear_loser_is_rejected_early():
    result = play_gate(config(), "new", scripted(lambda pair: 0)[0])
    assert not result.verdict.accepted
    assert len(result.games) < 80


def test_all_draws_are_rejected_with_a_reason():
    result = play_gate(config(), "new", scripted(lambda pair: 1)[0])
    assert not result.verdict.accepted
    assert result.score == 0.5
    assert result.verdict.reason
    assert result.figures()["draws"] == result.counts.sum() * 2


def test_the_cap_is_kept_and_decided_by_the_score():
    play_round, calls = scripted(lambda pair: 2 if pair % 7 < 4 else 0)
    result = play_gate(config(max_pairs=21, alpha=0.001, beta=0.001), "new", play_round)
    assert [pairs for _, pairs in calls] == [range(0, 8), range(8, 16), range(16, 21)]
    assert result.score == pytest.approx(4 / 7, abs=1e-6)
    assert result.verdict.accepted
    assert result.verdict.reason.startswith("cap reached")


def test_repeated_pairs_count_once_and_end_the_gate():
    play_round, calls = scripted(lambda pair: 2, distinct=False)
    result = play_gate(config(), "new", play_round)
    assert len(calls) == 2
    figures = result.figures()
    assert (figures["pairs"], figures["distinct_pairs"], figures["distinct_games"]) == (16, 1, 2)
    assert result.verdict.reason.startswith("no new games")


def test_figures_add_up_and_are_numbers():
    result = play_gate(config(), "new", scripted(lambda pair: pair % 3)[0])
    figures = result.figures()
    assert all(isinstance(value, int | float) and np.isfinite(value) for value in figures.values())
    assert figures["wins"] + figures["draws"] + figures["losses"] == 2 * figures["distinct_pairs"]
    assert (
        sum(n for key, n in figures.items() if key.startswith("pairs_scoring_")) == figures["distinct_pairs"]
    )
    assert result.texts()["model"] == MODEL
