"""The doctor on made-up runs: healthy ones pass, each disease is named, and what is missing is not judged."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stonezero.doctor.checks import CHECKS, diagnose, not_judged, threshold_of
from stonezero.doctor.facts import ALARM, OK, RunFacts
from stonezero.doctor.values import calibrations
from stonezero.plan import make_plan
from tests.doctor.runs import (
    constant_value,
    dead_lock,
    healthy_run,
    made_up_gates,
    mode_collapse,
    overfit_value,
    sign_error,
)

ROOT = Path(__file__).resolve().parents[2]


def faults(facts: RunFacts) -> set[str]:
    return {finding.check for finding in diagnose(facts) if finding.level != OK}


@pytest.mark.parametrize("seed", range(5))
def test_a_healthy_run_gives_no_false_alarm(seed: int) -> None:
    findings = diagnose(healthy_run(seed))
    assert not [finding for finding in findings if finding.level != OK]
    assert len(findings) >= 18


@pytest.mark.parametrize(
    ("run", "named", "also"),
    [
        (mode_collapse, {"opening diversity", "policy entropy", "visit concentration"}, {"centre share"}),
        (overfit_value, {"overconfident value", "Brier score", "value overfitting"}, {"value saturation"}),
        (dead_lock, {"gate streak"}, set()),
        (sign_error, {"value sign"}, {"Brier score", "overconfident value"}),
        (constant_value, {"constant value"}, set()),
    ],
)
def test_a_disease_is_named_and_nothing_else(
    run: Callable[[], RunFacts], named: set[str], also: set[str]
) -> None:
    found = faults(run())
    assert named <= found
    assert found - named <= also


def test_alarms_come_first_with_advice_that_names_a_param() -> None:
    first = diagnose(dead_lock())[0]
    assert (first.level, first.number, first.threshold) == (ALARM, "5", "above 4")
    assert first.what == "5 candidates in a row were rejected."
    assert "selfplay.simulations" in first.advice


def test_four_rejections_in_a_row_are_no_alarm_and_an_accepted_one_ends_a_streak() -> None:
    for accepted in ([1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]):
        assert not faults(replace(healthy_run(), gates=made_up_gates(accepted)))


def test_advice_names_params_that_exist() -> None:
    params = make_plan(ROOT, [])
    for check in CHECKS:
        for word in check.advice.replace(",", " ").replace(";", " ").split():
            section, _, key = word.partition(".")
            if key:
                assert key.partition("=")[0] in params[section], f"{check.name}: {word}"


def test_what_is_missing_is_not_judged() -> None:
    nothing = RunFacts("g001", None, pd.DataFrame(), pd.DataFrame(), None, 128)
    assert diagnose(nothing) == []
    assert not_judged([]) == sorted(check.name for check in CHECKS)


def test_repeated_games_and_one_sided_games_are_found() -> None:
    run = healthy_run()
    assert run.table is not None
    table = run.table
    first = np.flatnonzero(np.diff(table.game_id, prepend=-1))
    same = np.concatenate([np.arange(first[0], first[1])] * 60 + [np.arange(first[1], first[40])])
    copies = table.select(same)
    ids = np.cumsum(copies.ply == 0).astype(np.int32)
    status = np.full(len(copies), 1, np.int8)
    found = faults(replace(run, table=replace(copies, game_id=ids, status=status)))
    assert {"duplicate games", "black win rate"} <= found


def test_a_side_that_resigned_and_won_is_a_resign_error() -> None:
    run = healthy_run()
    assert run.table is not None
    lost, won = run.table.outcome < 0, run.table.outcome > 0
    for is_resigned, faulty in ((lost, False), (won, True)):
        table = replace(run.table, is_resigned=is_resigned)
        assert ("resign errors" in faults(replace(run, table=table))) == faulty


def test_old_windows_and_many_samples_are_found() -> None:
    run = healthy_run()
    assert run.staleness is not None
    assert faults(replace(run, staleness=run.staleness + np.int16(20))) >= {"staleness"}
    assert faults(replace(run, batch_size=128 * 8)) == {"sample reuse"}


def test_the_reliability_curve_counts_each_position_once_and_lies_on_the_diagonal_for_true_values() -> None:
    run = healthy_run()
    assert run.table is not None
    exact = replace(run.table, root_value=run.table.outcome.astype(np.float32))
    phases = calibrations(replace(run, table=exact))
    assert [each.phase for each in phases] == ["opening", "middle", "ending"]
    assert sum(each.positions for each in phases) == len(exact)
    for each in phases:
        assert sum(count for count, _, _ in each.curve) == each.positions
        assert all(value == outcome for count, value, outcome in each.curve if count)
        assert each.brier == 0 < each.baseline
        assert each.overconfidence == 0


def test_the_docs_list_all_checks_with_their_thresholds() -> None:
    text = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
    for check in CHECKS:
        assert f"| {check.name} | {check.level} | {threshold_of(check)} |" in text
