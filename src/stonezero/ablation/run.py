"""`stonezero ablate`: run the cells that are missing, play the round, judge, report and track."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stonezero import outbox
from stonezero.ablation import training
from stonezero.ablation.cells import (
    FAILED,
    Outcome,
    check_committed,
    has_experiment,
    run_cells,
    run_experiment,
)
from stonezero.ablation.contest import rate_champions
from stonezero.ablation.grid import Cell, Grid, make_grid
from stonezero.ablation.report import table, write_report
from stonezero.ablation.results import CellResult, read_result, wall_seconds
from stonezero.ablation.summary import Summary, summarise
from stonezero.errors import UserError
from stonezero.lineage import git_commit

PAIRS = 2  #: colour-swapped pairs of each match


class Options(NamedTuple):
    """What `stonezero ablate` may be told beside the sweep."""

    reference: str | None = None  #: variant that the others are compared with; default none, else the first
    pairs: int = PAIRS
    is_train_only: bool = False


def ablate(root: Path, overrides: list[str], options: Options, reports: Path = Path("reports")) -> Summary:
    """Run a grid and write its report; what it says is printed.

    Raises
    ------
    UserError
        Where nothing can be run, and at the end where no cell was done.
    """
    grid = make_grid(root, overrides, options.reference)
    if options.is_train_only:
        training.last_window(root)
        outcomes = run_cells(root, grid, training.train, training.has_trained)
    else:
        check_committed(root)
        outcomes = run_cells(root, grid, run_experiment, has_experiment)
    results = _results(root, grid, outcomes, options.is_train_only)
    print(_counts(outcomes), flush=True)
    for cell in grid.cells:
        if outcomes[cell.name].state == FAILED:
            print(f"failed: {cell.title}: {outcomes[cell.name].reason}")
    if not results:
        raise UserError("no cell was done, so there is nothing to compare")
    sender = None if outbox.is_off() else outbox.Sender(root)  # its start costs seconds, which pass meanwhile
    ratings, names = rate_champions(root, grid, results, options.pairs)
    summary = summarise(grid, results, outcomes, ratings, names)
    page = write_report(summary, root / reports, is_loop=not options.is_train_only)
    print(f"{table(summary)}\nsee {page.relative_to(root)}")
    outbox.put(root, make_record(root, summary, results, page))
    if sender:
        sender.send()
    return summary


def _results(
    root: Path, grid: Grid, outcomes: Mapping[str, Outcome], is_train_only: bool
) -> list[CellResult]:
    done = [cell for cell in grid.cells if outcomes[cell.name].state != FAILED]
    if is_train_only:
        return [training.read_trained(root, cell) for cell in done]
    seconds = wall_seconds(root)
    return [read_result(root, cell, seconds) for cell in done]


def _counts(outcomes: Mapping[str, Outcome]) -> str:
    states = [outcome.state for outcome in outcomes.values()]
    counts = {state: states.count(state) for state in dict.fromkeys(states)}
    return f"{len(states)} cells: " + ", ".join(f"{count} {state}" for state, count in counts.items())


# ------------------------------------------------------------------ tracking


def make_record(root: Path, summary: Summary, results: Sequence[CellResult], page: Path) -> dict[str, Any]:
    """A grid for the tracker: a run for the grid and one for each cell. The same results, the same key."""
    params = summary.grid.params
    cells = [_cell(result, summary) for result in results]
    content = json.dumps([cells, summary.variants.to_csv()], sort_keys=True, default=str)
    key = hashlib.sha256(content.encode()).hexdigest()[:16]
    own = ("experiment", "iterations", "game.", "selfplay.evaluations", "selfplay.games")
    flat = next(result.cell for result in results).params
    variants = summary.variants.to_dict("records")
    return {
        "kind": "grid",
        "key": key,
        "generation": "all",
        "stage": "ablation",
        "experiment": f"{params.experiment}-ablations",
        "run": f"{params.experiment} {len(variants)} variants {len(cells)} cells {key[:6]}",
        "time_ms": time.time_ns() // 1_000_000,
        "params": {name: value for name, value in flat.items() if name.startswith(own)},
        "metrics": _finite(
            (f"difference/{metric_name(row['variant'])}", 0, row["difference"]) for row in variants
        ),
        "tags": {
            "reference": summary.grid.reference,
            "mlflow.source.git.commit": git_commit(),
            **{f"verdict.{metric_name(row['variant'])}": row["verdict"] for row in variants},
        },
        "cells": cells,
        "folder": str(root.resolve()),
        "files": outbox.shown_files([str(page.relative_to(root))], root),
    }


def _cell(result: CellResult, summary: Summary) -> dict[str, Any]:
    cell = result.cell
    points = summary.points
    mine = points[(points["variant"] == cell.variant) & (points["seed"] == cell.seed)].to_dict("records")
    last = mine[-1]
    curves = [("curve/elo", int(row["evaluations"]), row["elo"]) for row in mine]
    finals = [(name, 0, last[name]) for name in ("elo", "evaluations", "seconds")]
    of_stages = [
        (key, number, value)
        for number, generation in enumerate(result.generations)
        for metrics in generation.metrics.values()
        for key, value in {key: value for key, _, value in metrics}.items()
    ]
    return {
        "key": cell.name,
        "name": cell.title,
        "params": {"variant": cell.variant, **_shown(cell)},
        "metrics": _finite([*finals, *curves, *of_stages]),
        "tags": {"variant": cell.variant, "seed": str(cell.seed), "dvc_experiment": cell.name},
    }


def _shown(cell: Cell) -> dict[str, Any]:
    """A cell's parameters without the unrolled generations."""
    return {name: value for name, value in cell.params.items() if name.split(".")[0] != "generations"}


def _finite(metrics: Any) -> list[outbox.Metric]:
    return [(key, step, float(value)) for key, step, value in metrics if abs(value) < float("inf")]


def metric_name(variant: str) -> str:
    """A variant's name as MLflow takes it."""
    return "".join(letter if letter.isalnum() or letter in "_-. /" else "_" for letter in variant)
