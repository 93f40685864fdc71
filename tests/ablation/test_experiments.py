"""Whole grids of real cells on a tiny board: cached, interrupted, failing."""

import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from tests.pipeline.conftest import Checkout, make_checkout
from tests.pipeline.test_smoke import TINY

GRID = (*TINY, "iterations=1", "selfplay.evaluations=300", "ablation=none,no_noise", "seed=1,2")
GRID = tuple(text for text in GRID if text != "iterations=2")
LAUNCHER = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2")
ABLATE = ("python", "-m", "stonezero", "ablate", "-m")


def records(checkout: Checkout) -> int:
    """Stages that have run, in whatever temporary checkout."""
    return len(list((checkout.root / ".scratch/ablation/records").glob("*.json")))


@pytest.fixture(scope="module")
def interrupted_and_finished(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout in which a grid was stopped by ctrl-C and then run to its end."""
    checkout = make_checkout(tmp_path_factory.mktemp("ablation") / "checkout", fake=False)
    with (checkout.root / "params.yaml").open("a") as file:
        file.write("# a change that is not committed\n")
    process = subprocess.Popen(
        [*ABLATE, *GRID, *LAUNCHER],
        cwd=checkout.root,
        env=checkout.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a shell's background jobs ignore SIGINT, and so would a test suite started as one
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 300
    while not records(checkout) and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "the same command goes on from here" in errors
    assert "Traceback" not in errors
    checkout.first_run = [checkout.run(*ABLATE, *GRID, *LAUNCHER).stdout]
    return checkout


@pytest.mark.slow
def test_a_second_start_finishes_the_grid(interrupted_and_finished: Checkout) -> None:
    checkout = interrupted_and_finished
    assert "4 cells" in checkout.first_run[0]
    table = pd.read_csv(checkout.root / "reports/ablation.csv")
    assert table["variant"].tolist() == ["none", "no_noise"]
    assert table["seeds"].tolist() == [2, 2]
    assert (table["evaluations"] >= 300).all()
    assert (table["seconds"] > 0).all(), "wall times outlive the temporary checkouts"
    assert (checkout.root / "reports/ablation.html").stat().st_size > 1000
    assert checkout.read("params.yaml").endswith("# a change that is not committed\n")
    assert not list((checkout.root / ".dvc/tmp/exps/standalone").glob("tmp*"))


@pytest.mark.slow
def test_the_same_grid_again_runs_nothing(interrupted_and_finished: Checkout) -> None:
    checkout = interrupted_and_finished
    before, tables = records(checkout), checkout.read("reports/ablation-cells.csv")
    checkout.run("git", "commit", "-q", "--allow-empty", "-m", "Another commit")
    done = checkout.run(*ABLATE, *GRID, *LAUNCHER)
    assert "4 cells: 4 cached" in done.stdout
    assert records(checkout) == before
    assert checkout.read("reports/ablation-cells.csv") == tables
    scratch = checkout.root / ".scratch/ablation/cells"
    scratch.rename(scratch.with_name("away"))
    done = checkout.run(*ABLATE, *GRID)
    assert "4 cells: 4 cached" in done.stdout
    assert checkout.read("reports/ablation-cells.csv") == tables


@pytest.mark.slow
def test_a_cell_that_fails_is_named_with_its_reason_and_the_others_are_rated(
    interrupted_and_finished: Checkout,
) -> None:
    checkout = interrupted_and_finished
    sweep = [text for text in GRID if not text.startswith(("ablation", "seed"))]
    command = [*ABLATE, *sweep, "train.lr=0.004,1e+30", "train.gradient_clip=0", "seed=1"]
    done = checkout.run(*command, check=False)
    assert done.returncode == 1
    assert "failed: train.lr=1e+30 seed 1: train g001: training: the " in done.stdout
    assert "not finite" in done.stdout
    assert "train.lr=0.004" in checkout.read("reports/ablation.csv")


@pytest.mark.slow
def test_uncommitted_code_is_refused(interrupted_and_finished: Checkout, tmp_path: Path) -> None:
    copy = interrupted_and_finished.copy(tmp_path / "copy")
    with (copy.root / "src/stonezero/jit.py").open("a") as file:
        file.write("# edited\n")
    done = copy.run(*ABLATE, *GRID, check=False)
    assert done.returncode == 1
    assert "src/stonezero/jit.py is not committed" in done.stderr


@pytest.mark.slow
def test_training_alone_needs_records_and_is_rated(
    interrupted_and_finished: Checkout, tmp_path: Path
) -> None:
    checkout = interrupted_and_finished.copy(tmp_path / "copy")
    tiny = [text for text in GRID if not text.startswith(("ablation", "seed"))]
    sweep = [*tiny, "buffer.held_out_fraction=0.4"]
    command = [*ABLATE, "--train-only", *sweep, "ablation=none,no_symmetry", "seed=1,2"]
    done = checkout.run(*command, check=False)
    assert done.returncode == 1
    assert "there are no records in" in done.stderr
    checkout.plan(*sweep)
    checkout.repro("buffer@g001")
    first = checkout.run(*command).stdout
    assert "4 cells: 4 ran" in first
    table = pd.read_csv(checkout.root / "reports/ablation.csv")
    assert {"policy_loss", "value_loss", "policy_top1"} <= set(table)
    assert "4 cells: 4 cached" in checkout.run(*command).stdout
