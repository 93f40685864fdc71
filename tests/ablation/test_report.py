"""Tables, page and tracking of a grid whose results are made up, so that the right answer is known."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stonezero.ablation.cells import CACHED, FAILED, Outcome
from stonezero.ablation.grid import Grid
from stonezero.ablation.report import table, write_report
from stonezero.ablation.results import CellResult
from stonezero.ablation.run import make_record
from stonezero.ablation.summary import Summary, summarise
from stonezero.arena.rating import Ratings
from stonezero.tracking import Tracker

ELO = {"none": (100.0, 110.0), "no_noise": (10.0, 30.0)}


@pytest.fixture
def summary(grid: Grid, results: list[CellResult]) -> Summary:
    """no_noise is 85 Elo worse: by hand, s² = (50 + 200) / 2 and t(0.975, 2) = 4.3027."""
    names = {r.cell.name: [f"start{r.cell.seed}", r.cell.name] for r in results}
    elo = {"random": 0.0, "start1": 1.0, "start2": 2.0}
    elo |= {r.cell.name: ELO[r.cell.variant][r.cell.seed - 1] for r in results}
    n = len(elo)
    values = np.array(list(elo.values()))
    nothing = np.zeros(n)
    rest = (np.zeros((n, n)), (0.0, 0.0, 0.0), 0.1, 12, 0)
    ratings = Ratings(list(elo), "random", values, values, values, nothing.astype(np.int64), nothing, *rest)
    outcomes = {cell.name: Outcome(CACHED) for cell in grid.cells}
    outcomes[grid.cells[0].name] = Outcome(CACHED)
    return summarise(grid, results, outcomes, ratings, names)


def test_verdicts_and_budgets_are_in_the_table(summary: Summary) -> None:
    rows = {row["variant"]: row for row in summary.variants.to_dict("records")}
    assert rows["no_noise"]["difference"] == pytest.approx(-85)
    assert rows["no_noise"]["difference_high"] == pytest.approx(-85 + 4.3027 * np.sqrt(125), abs=1e-2)
    assert (rows["no_noise"]["verdict"], rows["none"]["verdict"]) == ("worse", "reference")
    assert rows["none"]["evaluations"] == pytest.approx((1000 + 1001) / 2)
    assert rows["none"]["seconds"] == 12.5
    assert summary.points["evaluations"].tolist() == [0, 1000, 0, 1001, 0, 1002, 0, 1003]


def test_csv_page_and_figures_are_written_and_need_nothing_else(summary: Summary, checkout: Path) -> None:
    page = write_report(summary, checkout / "reports", is_loop=True)
    variants = pd.read_csv(checkout / "reports/ablation.csv")
    assert variants["verdict"].tolist() == ["reference", "worse"]
    assert len(pd.read_csv(checkout / "reports/ablation-cells.csv")) == 8
    text = page.read_text()
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text
    assert "worse" in text
    for name in ("ablation-elo", "ablation-curves"):
        assert (checkout / f"reports/ablation/{name}.png").read_bytes()[:4] == b"\x89PNG"
    before = page.read_bytes()
    write_report(summary, checkout / "reports", is_loop=True)
    assert page.read_bytes() == before
    assert "no_noise  Elo   +20" in table(summary)


def test_failures_are_on_the_page(
    summary: Summary, grid: Grid, results: list[CellResult], checkout: Path
) -> None:
    names = {r.cell.name: [f"start{r.cell.seed}", r.cell.name] for r in results}
    outcomes = {cell.name: Outcome(CACHED) for cell in grid.cells}
    outcomes[grid.cells[3].name] = Outcome(FAILED, "train g001: the loss is not finite")
    partial = summarise(grid, results[:3], outcomes, summary.ratings, names)
    assert partial.failures == {"no_noise seed 2": "train g001: the loss is not finite"}
    text = write_report(partial, checkout / "reports", is_loop=True).read_text()
    assert "train g001: the loss is not finite" in text
    assert "3 of 4 cells done" in text


def test_a_reference_without_a_result_is_replaced_by_the_first_that_has_one(
    summary: Summary, grid: Grid, results: list[CellResult], checkout: Path
) -> None:
    names = {r.cell.name: [f"start{r.cell.seed}", r.cell.name] for r in results}
    failed = {cell.name: Outcome(FAILED, "no") for cell in grid.cells[:2]}
    outcomes = failed | {cell.name: Outcome(CACHED) for cell in grid.cells[2:]}
    partial = summarise(grid, results[2:], outcomes, summary.ratings, names)
    assert partial.variants["verdict"].tolist() == ["reference"]
    write_report(partial, checkout / "reports", is_loop=True)


@pytest.mark.slow
def test_mlflow_gets_a_run_for_the_grid_and_one_for_each_cell_once(
    summary: Summary, results: list[CellResult], checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    page = write_report(summary, checkout / "reports", is_loop=True)
    record = json.loads(json.dumps(make_record(checkout, summary, results, page)))
    tracker = Tracker(checkout)
    for _ in range(2):
        tracker.send(record)
    experiment = tracker.client.get_experiment_by_name("tictactoe-ablations")
    assert experiment is not None
    runs = tracker.client.search_runs([experiment.experiment_id])
    (parent,) = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
    children = {run.info.run_name: run for run in runs if run is not parent}
    assert set(children) == {"none seed 1", "none seed 2", "no_noise seed 1", "no_noise seed 2"}
    child = children["no_noise seed 2"]
    assert child.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert child.data.params["search.root_noise_fraction"] == "0.0"
    assert child.data.metrics["elo"] == 30.0
    curve = tracker.client.get_metric_history(child.info.run_id, "curve/elo")
    assert [(point.step, point.value) for point in curve] == [(0, 2.0), (1003, 30.0)]
    assert parent.data.tags["verdict.no_noise"] == "worse"
