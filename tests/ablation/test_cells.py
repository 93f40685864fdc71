"""Dealing cells to jobs, without DVC: what runs, what does not, and how a failure reads."""

from pathlib import Path

import pytest
import yaml
from filelock import FileLock
from hydra.core.override_parser.overrides_parser import OverridesParser
from joblib.externals.loky import get_reusable_executor

from stonezero.ablation.cells import (
    FAILED,
    check_committed,
    failure,
    quoted,
    remove_leftovers,
    run_cells,
    run_experiment,
)
from stonezero.ablation.folders import Folders
from stonezero.ablation.grid import Cell, make_grid
from stonezero.errors import UserError

SWEEP = ["ablation=none,no_noise,no_symmetry", "seed=1,2"]


def mark(root: Path, cell: Cell) -> Path:
    return Folders(root).cell(cell.name) / "ran"


def run(root: Path, cell: Cell, is_parallel: bool) -> None:
    """Fails for one cell in a way users can mend, and for another in a way they cannot."""
    if cell.title == "no_noise seed 1":
        raise UserError("train g001: the loss is not finite")
    if cell.title == "no_noise seed 2":
        raise ZeroDivisionError("by zero")
    mark(root, cell).parent.mkdir(parents=True)
    mark(root, cell).write_text(str(is_parallel))


def has_run(root: Path, cell: Cell) -> bool:
    return mark(root, cell).exists()


@pytest.mark.parametrize("launcher", [[], ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]])
def test_failed_cells_do_not_stop_the_others_and_done_ones_do_not_run_again(
    checkout: Path, launcher: list[str]
) -> None:
    get_reusable_executor().shutdown()  # joblib would take over one that an earlier test left
    grid = make_grid(checkout, [*SWEEP, *launcher])
    outcomes = run_cells(checkout, grid, run, has_run)
    assert list(outcomes) == [cell.name for cell in grid.cells]
    states = [outcome.state for outcome in outcomes.values()]
    assert states == ["ran", "ran", "failed", "failed", "ran", "ran"]
    reasons = [outcome.reason for outcome in outcomes.values() if outcome.state == FAILED]
    assert reasons == ["train g001: the loss is not finite", "ZeroDivisionError: by zero"]
    assert mark(checkout, grid.cells[0]).read_text() == str(bool(launcher))
    again = run_cells(checkout, grid, run, has_run)
    assert [outcome.state for outcome in again.values()] == ["cached"] * 2 + ["failed"] * 2 + ["cached"] * 2


def test_a_job_that_dies_without_a_word_is_a_failure(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = make_grid(checkout, ["seed=1"])
    monkeypatch.setattr("stonezero.ablation.cells._launch", lambda *_: None)
    (outcome,) = run_cells(checkout, grid, run, has_run).values()
    assert outcome == (FAILED, "its job ended without a word")


def test_a_launcher_that_is_not_there_is_one_sentence(checkout: Path) -> None:
    grid = make_grid(checkout, ["seed=1", "hydra/launcher=joblob"])
    with pytest.raises(UserError, match="joblob"):
        run_cells(checkout, grid, run, has_run)


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        (
            "Running stage 'train@g001':\n> exec ...\ntrain g001: the loss is not finite\n"
            "ERROR: failed to reproduce 'train@g001': failed to run: exec ..., exited with 1\n",
            "train g001: the loss is not finite",
        ),
        ("ERROR: Unable to acquire lock\n", "Unable to acquire lock"),
        ("Killed\n", "Killed"),
        ("", "dvc said nothing"),
    ],
)
def test_the_reason_of_a_failure_is_the_stage_s_own(log: str, reason: str) -> None:
    assert failure(log) == reason


@pytest.mark.parametrize(
    "text", ["seed=1", "schedule=[{start: 2, set: {train.lr: 0.1}}]", r"a=it\'s \\ so", "a=it's", "a=end\\"]
)
def test_overrides_survive_as_elements_of_a_list(text: str) -> None:
    override = OverridesParser.create().parse_override(f"plan=[{quoted(text)},{quoted('b=2')}]")
    assert override.value() == [text, "b=2"]


def test_only_a_cell_s_own_leftover_checkouts_are_removed(checkout: Path) -> None:
    cells = make_grid(checkout, ["seed=1,2"]).cells
    folders = [checkout / f".dvc/tmp/exps/standalone/tmp{cell.seed}" for cell in cells]
    for cell, folder in zip(cells, folders, strict=True):
        folder.mkdir(parents=True)
        (folder / "params.yaml").write_text(yaml.safe_dump({"plan": list(cell.overrides)}))
    remove_leftovers(checkout, cells[0])
    assert [folder.exists() for folder in folders] == [False, True]


def test_a_cell_that_another_process_runs_is_left_to_it(checkout: Path) -> None:
    (cell,) = make_grid(checkout, ["seed=1"]).cells
    lock = Folders(checkout).lock(cell.name)
    lock.parent.mkdir(parents=True)
    with FileLock(lock), pytest.raises(UserError, match="another process runs it"):
        run_experiment(checkout, cell, is_parallel=False)


def test_a_folder_that_git_does_not_know_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no git checkout"):
        check_committed(tmp_path)
