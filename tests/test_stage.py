"""The stage runner on a stage of its own, in this process."""

import errno
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from omegaconf import DictConfig

from stonezero import outbox, stage
from stonezero.config.composition import stage_params
from stonezero.errors import UserError
from stonezero.plan import make_plan

ROOT = Path(__file__).resolve().parents[1]
DVC_YAML = """
stages:
  train:
    foreach: ${generations}
    do:
      cmd: none
      deps: ["runs/${item.prev}/champion.txt", code]
      params: [seed, train, "generations.${key}.train"]
      outs: ["runs/${key}/candidate.txt", "runs/${key}/metrics/train.json"]
"""


@pytest.fixture(scope="module")
def plan() -> DictConfig:
    return make_plan(ROOT, [])


@pytest.fixture
def params(plan: DictConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DictConfig:
    """Params of generation 1, in a working directory with all that the stage reads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DVC_ROOT", raising=False)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    Path("dvc.yaml").write_text(DVC_YAML)
    for file in ("runs/g000/champion.txt", "code/rules.py"):
        Path(file).parent.mkdir(parents=True)
        Path(file).write_text("old")
    return stage_params(plan, "g001")


def body(*metrics: tuple[str, int, float], then: Callable[[], object] = lambda: None) -> stage.Body:
    def run(params: DictConfig, generation: str, scratch: Path) -> list[tuple[str, int, float]]:
        write = Path("runs") / generation / "candidate.txt"
        write.parent.mkdir(exist_ok=True)
        write.write_text("net")
        (scratch / "half.txt").write_text("half")
        then()
        return list(metrics)

    return run


def watcher(seen: list[list[str]]) -> stage.Body:
    """A body that notes what it finds in the scratch folder."""

    def run(params: DictConfig, generation: str, scratch: Path) -> list[tuple[str, int, float]]:
        seen.append([file.name for file in scratch.iterdir()])
        return []

    return run


def failure(params: DictConfig, run: stage.Body, capsys: pytest.CaptureFixture[str]) -> str:
    """What the user is told."""
    with pytest.raises(SystemExit) as stop:
        stage._run_one_line("train", run, params)
    assert isinstance(stop.value.code, str), "exit status 1, and the message on standard error"
    assert "\n" not in stop.value.code
    return stop.value.code


def test_metrics_are_an_output_except_those_that_depend_on_the_machine(params: DictConfig) -> None:
    stage.run_stage("train", body(("train/loss", 3, 0.5), ("speed/steps_per_second", 0, 77.0)), params)
    assert json.loads(Path("runs/g001/metrics/train.json").read_text()) == [["train/loss", 3, 0.5]]
    (record,) = [json.loads(file.read_text()) for file in outbox.waiting(Path())]
    assert [metric[0] for metric in record["metrics"]] == [
        "train/loss",
        "speed/steps_per_second",
        "speed/train_seconds",
    ]


def test_lineage_lies_beside_the_outputs(params: DictConfig) -> None:
    stage.run_stage("train", body(), params)
    lineage = json.loads(Path("runs/g001/lineage/train.json").read_text())
    assert {"cpu", "wall_seconds", "backend", "versions", "workers"} <= lineage.keys()
    assert lineage["versions"]["numpy"]


def test_scratch_is_found_again_until_the_stage_is_done(params: DictConfig) -> None:
    with pytest.raises(ZeroDivisionError):
        stage.run_stage("train", body(then=lambda: 1 / 0), params)
    seen: list[list[str]] = []
    stage.run_stage("train", watcher(seen), params)
    assert seen == [["half.txt"]]
    stage.run_stage("train", watcher(seen), params)
    assert seen[1] == []


@pytest.mark.parametrize("change", ["param", "file", "code"])
def test_scratch_of_other_params_or_inputs_is_not_used(params: DictConfig, change: str) -> None:
    with pytest.raises(ZeroDivisionError):
        stage.run_stage("train", body(then=lambda: 1 / 0), params)
    if change == "param":
        params.generations.g001.train = {"lr": 0.5}
    else:
        Path({"file": "runs/g000/champion.txt", "code": "code/rules.py"}[change]).write_text("new")
    seen: list[list[str]] = []
    stage.run_stage("train", watcher(seen), params)
    assert seen == [[]]


def test_scratch_of_other_library_versions_is_not_used(
    params: DictConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ZeroDivisionError):
        stage.run_stage("train", body(then=lambda: 1 / 0), params)
    monkeypatch.setattr(stage, "versions", lambda: {"numpy": "99"})
    seen: list[list[str]] = []
    stage.run_stage("train", watcher(seen), params)
    assert seen == [[]]


def test_a_stage_that_ends_well_leaves_no_scratch_folder_of_its_own(params: DictConfig) -> None:
    for name in ("train@g001-0123", "train@g002-0123"):
        (stage.SCRATCH / name).mkdir(parents=True)
    stage.run_stage("train", body(), params)
    assert [folder.name for folder in stage.SCRATCH.glob("train@*")] == ["train@g002-0123"]


def test_an_impossible_number_of_workers_is_refused_before_any_work(
    params: DictConfig, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STONEZERO_WORKERS", "0")
    assert "STONEZERO_WORKERS is '0'" in failure(params, body(), capsys)
    assert not Path("runs/g001").exists()


def test_an_outbox_that_cannot_be_written_costs_a_warning(
    params: DictConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    outbox.outbox_folder(Path()).parent.mkdir(parents=True)
    outbox.outbox_folder(Path()).write_text("no folder")
    stage.run_stage("train", body(("train/loss", 3, 0.5)), params)
    (warning,) = capsys.readouterr().err.splitlines()
    assert warning.startswith("warning: cannot write")
    assert Path("runs/g001/metrics/train.json").exists()


def test_params_of_other_stages_and_compiled_files_do_not_count(params: DictConfig) -> None:
    with pytest.raises(ZeroDivisionError):
        stage.run_stage("train", body(then=lambda: 1 / 0), params)
    params.gate.max_pairs = 77
    params.iterations = 9
    Path("code/__pycache__").mkdir()
    Path("code/__pycache__/rules.pyc").write_text("compiled")
    seen: list[list[str]] = []
    stage.run_stage("train", watcher(seen), params)
    assert seen == [["half.txt"]]


@pytest.mark.parametrize("path", ["runs/g000/champion.txt", "code/rules.py"])
def test_an_input_that_changes_while_the_stage_runs_is_an_error(
    params: DictConfig, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    message = failure(params, body(then=lambda: Path(path).write_text("new")), capsys)
    assert "changed while the stage ran" in message
    assert path.split("/")[0] in message
    assert not outbox.waiting(Path())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_metrics_that_are_no_numbers_are_an_error(
    params: DictConfig, value: float, capsys: pytest.CaptureFixture[str]
) -> None:
    message = failure(params, body(("train/loss", 7, value)), capsys)
    assert message == f"train g001: train/loss is {value} at step 7"
    assert not Path("runs/g001/metrics").exists()


def test_a_full_disk_is_one_line(params: DictConfig, capsys: pytest.CaptureFixture[str]) -> None:
    def fill() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "runs/g001/candidate.txt")

    assert (
        failure(params, body(then=fill), capsys) == "train g001: the disk is full (runs/g001/candidate.txt)"
    )


def test_a_missing_input_is_one_line(params: DictConfig, capsys: pytest.CaptureFixture[str]) -> None:
    Path("runs/g000/champion.txt").unlink()
    assert failure(params, body(), capsys).startswith("train g001: runs/g000/champion.txt is missing")


def test_an_unknown_generation_is_one_line(params: DictConfig, capsys: pytest.CaptureFixture[str]) -> None:
    params.gen = "g009"
    assert failure(params, body(), capsys) == (
        "train g009: there is no generation g009: this plan has g001 to g003"
    )


def test_a_second_process_does_not_run_the_same_stage(
    params: DictConfig, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "LOCK_SECONDS", 0)
    Path(".scratch/locks").mkdir(parents=True)
    with FileLock(".scratch/locks/train@g001.lock"):
        assert "train@g001 is being run by another process" in failure(params, body(), capsys)


def test_an_interruption_keeps_the_scratch_folder(
    params: DictConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as stop:
        stage._run_one_line("train", body(then=interrupt), params)
    assert stop.value.code == 130
    assert "interrupted" in capsys.readouterr().err
    assert list(Path(".scratch").glob("train@g001-*/half.txt"))


def test_a_bug_keeps_its_traceback(params: DictConfig) -> None:
    with pytest.raises(ZeroDivisionError):
        stage._run_one_line("train", body(then=lambda: 1 / 0), params)


def test_a_stage_script_imports_neither_mlflow_nor_pandas() -> None:
    code = "import sys, stonezero.stage; print({'mlflow', 'pandas', 'torch'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def script(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "script.py"
    file.write_text("from stonezero.stage import stage_main\nstage_main('train', lambda p, g, s: [])\n")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, str(file), *arguments],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("train: {lrr: 1}", ["gen=g001"], "train: params.yaml: train.lrr: Key 'lrr' not in 'TrainConfig'"),
        ("train: {lr: fast}", ["gen=g001"], "could not be converted to Float"),
        (
            "seed: 1",
            ["gen=g001", "train.lrr=2"],
            "train: params.yaml: train.lrr: Key 'lrr' not in 'TrainConfig'",
        ),
        (None, ["gen=g001"], "train: params.yaml: In 'stage': Could not load 'params'."),
        ("seed: 1", [], "has no value in params.yaml or on the command line"),
        ("a: [", ["gen=g001"], "params.yaml"),
    ],
)
def test_unreadable_params_are_one_line_and_exit_1(
    tmp_path: Path, text: str | None, arguments: list[str], message: str
) -> None:
    if text is not None:
        (tmp_path / "params.yaml").write_text(text)
    (tmp_path / "dvc.yaml").write_text(DVC_YAML)
    done = script(tmp_path, *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_errors_name_no_class(params: DictConfig, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> None:
        raise UserError("the shard is damaged")

    assert failure(params, body(then=refuse), capsys) == "train g001: the shard is damaged"
    logging.getLogger("stonezero").setLevel(logging.NOTSET)
