"""MLflow: every record arrives once, and nothing is lost when the store is dead, locked, new or shared."""

import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stonezero import outbox
from stonezero.declaration import Declaration
from stonezero.errors import UserError
from stonezero.files import file_digest
from stonezero.plan import read_plan
from stonezero.tracking import Tracker, send_waiting, store_uri, sync
from tests.doctor.runs import Play
from tests.doctor.test_loading import write_run

ROOT = Path(__file__).resolve().parents[1]
DEAD_SERVER = "http://127.0.0.1:9"


def record(
    stage: str = "train", generation: str = "g001", key: str = "0123456789abcdef", **changes: Any
) -> dict[str, Any]:
    return {
        "key": key,
        "stage": stage,
        "generation": generation,
        "experiment": "quick",
        "run": "quick-none-seed1-abcdef",
        "time_ms": 1_700_000_000_000 + int(generation[1:]),
        "metrics": [["train/loss", 10, 2.0], ["train/loss", 20, 1.0]],
        "params": {"train.lr": 0.002, "gate.anchors": ["random"]},
        "config": "seed: 1\n",
        "lineage": {"cpu": "a processor", "commit": "c0ffee"},
        "folder": "/nowhere",
        **changes,
    }


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store: making one takes seconds."""
    root = tmp_path_factory.mktemp("database")
    Tracker(root)
    return root / "mlflow.db"


@pytest.fixture
def root(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    shutil.copy(database, tmp_path / "mlflow.db")
    return tmp_path


def runs(tracker: Tracker) -> dict[str, Any]:
    experiment = tracker.client.get_experiment_by_name("quick")
    assert experiment is not None
    return {run.info.run_name: run for run in tracker.client.search_runs([experiment.experiment_id])}


def mlflow_text(tracker: Tracker, run: Any, name: str) -> str:
    return Path(tracker.client.download_artifacts(run.info.run_id, name)).read_text()


def points(tracker: Tracker, run: Any, key: str) -> list[tuple[int, float]]:
    return sorted(
        (point.step, point.value) for point in tracker.client.get_metric_history(run.info.run_id, key)
    )


def test_a_record_becomes_a_child_run_of_the_experiment_s_run(root: Path) -> None:
    tracker = Tracker(root)
    tracker.send(record())
    found = runs(tracker)
    child, parent = found["g001 train"], found["quick-none-seed1-abcdef"]
    assert child.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert child.info.status == "FINISHED"
    assert child.data.params == {"train.lr": "0.002", "gate.anchors": "['random']"}
    assert points(tracker, child, "train/loss") == [(10, 2.0), (20, 1.0)]
    artifacts = {file.path for file in tracker.client.list_artifacts(child.info.run_id)}
    assert artifacts == {"lineage.json", "params.yaml"}


def test_the_parent_has_a_curve_over_the_generations(root: Path) -> None:
    tracker = Tracker(root)
    for generation in ("g001", "g002"):
        tracker.send(record(generation=generation, key=generation))
    assert points(tracker, runs(tracker)["quick-none-seed1-abcdef"], "train/loss") == [(1, 1.0), (2, 1.0)]


def test_a_later_report_adds_the_new_generations_ratings(root: Path) -> None:
    tracker = Tracker(root)
    for last in (2, 3):
        elo = [["elo/elo", generation, 100.0 * generation + last] for generation in range(1, last + 1)]
        tracker.send(record("elo-report", f"g{last:03d}", key=f"key{last}", metrics=elo))
    parent = runs(tracker)["quick-none-seed1-abcdef"]
    assert points(tracker, parent, "elo/elo") == [(1, 102.0), (2, 202.0), (3, 303.0)]


def test_sending_again_changes_nothing(root: Path) -> None:
    tracker = Tracker(root)
    tracker.send(record())
    tracker.send(record())
    Tracker(root).send(record(time_ms=1_800_000_000_000))
    assert len(runs(tracker)) == 2
    assert points(tracker, runs(tracker)["g001 train"], "train/loss") == [(10, 2.0), (20, 1.0)]


def test_an_interrupted_sending_is_finished(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracker = Tracker(root)
    monkeypatch.setattr(tracker, "_log_files", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tracker.send(record())
    monkeypatch.undo()
    Tracker(root).send(record())
    child = runs(tracker)["g001 train"]
    assert child.info.status == "FINISHED"
    assert points(tracker, child, "train/loss") == [(10, 2.0), (20, 1.0)]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_refused(root: Path, value: float) -> None:
    with pytest.raises(UserError, match=rf"train/loss is {value} at step 10"):
        Tracker(root).send(record(metrics=[["train/loss", 10, value]]))


def test_many_metrics_many_params_and_a_long_one_arrive(root: Path) -> None:
    tracker = Tracker(root)
    metrics = [
        [f"train/{name}", step, 1.0 * step] for step in range(700) for name in ("loss", "policy_loss", "lr")
    ]
    params = {f"section.param{number}": number for number in range(250)}
    text = "plane, " * 1000
    tracker.send(record(metrics=metrics, params=params | {"network.planes": text}, config=text))
    child = runs(tracker)["g001 train"]
    assert len(child.data.params) == 251
    assert child.data.params["network.planes"] == text[:500]
    assert len(points(tracker, child, "train/loss")) == 700
    assert tracker.client.download_artifacts(child.info.run_id, "params.yaml")


def left_in(folder: Path, file: Path) -> dict[str, Any]:
    """The part of a record that tells where the stage left the file."""
    return {"folder": str(folder), "files": {file.relative_to(folder).as_posix(): file_digest(file)}}


def accepted_gate(folder: Path) -> tuple[dict[str, Any], Path]:
    champion = folder / "runs" / "g001" / "champion.safetensors"
    champion.parent.mkdir(parents=True)
    champion.write_text("net")
    return record("gate", metrics=[["gate/accepted", 1, 1.0]], **left_in(folder, champion)), champion


def test_a_champion_that_a_later_plan_replaced_is_not_registered(root: Path, tmp_path: Path) -> None:
    gate, champion = accepted_gate(tmp_path)
    champion.write_text("the net of another plan")
    tracker = Tracker(root)
    tracker.send(gate)
    assert runs(tracker)["g001 gate"].info.status == "FINISHED"
    assert tracker.client.search_model_versions() == []


def test_sending_a_gate_once_more_makes_no_second_version(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, _ = accepted_gate(tmp_path)
    tracker = Tracker(root)
    monkeypatch.setattr(tracker.client, "set_registered_model_alias", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tracker.send(gate)
    monkeypatch.undo()
    tracker.send(gate)
    (version,) = tracker.client.search_model_versions()
    found = tracker.client.get_model_version_by_alias("quick-none-seed1-abcdef", "champion")
    assert found.version == version.version


def test_the_champion_alias_follows_accepted_gates(root: Path, tmp_path: Path) -> None:
    tracker = Tracker(root)
    for generation, is_accepted in (("g001", 1.0), ("g002", 0.0), ("g003", 1.0), ("g004", 0.0)):
        champion = tmp_path / "runs" / generation / "champion.safetensors"
        champion.parent.mkdir(parents=True)
        champion.write_text(generation)
        metrics = [["gate/accepted", int(generation[1:]), is_accepted]]
        gate = record("gate", generation, key=generation, metrics=metrics, **left_in(tmp_path, champion))
        tracker.send(gate)
        tracker.send(gate)
    version = tracker.client.get_model_version_by_alias("quick-none-seed1-abcdef", "champion")
    assert version.tags["generation"] == "g003"
    versions = tracker.client.search_model_versions("name='quick-none-seed1-abcdef'")
    assert {version.tags["generation"] for version in versions} == {"g001", "g003"}


def test_the_report_hangs_at_the_experiment_s_run(root: Path, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "report.html").write_text("<html>")
    tracker = Tracker(root)
    report = tmp_path / "reports" / "report.html"
    tracker.send(record("elo-report", metrics=[], **left_in(tmp_path, report)))
    parent = runs(tracker)["quick-none-seed1-abcdef"]
    assert parent.info.status == "FINISHED"
    assert "report.html" in {file.path for file in tracker.client.list_artifacts(parent.info.run_id)}


@pytest.fixture
def examined(tmp_path: Path) -> dict[str, Any]:
    """The record of g006's gate, in a run whose last five candidates were rejected."""
    paths = write_run(tmp_path, [1, 0, 0, 0, 0, 0], Play())
    witnesses = {paths.gate("g006"): '{"accepted": 0}', paths.health("g006"): "{}"}
    for file, text in witnesses.items():
        file.write_text(text)
    digests = {file.relative_to(tmp_path).as_posix(): file_digest(file) for file in witnesses}
    metrics = [["gate/accepted", 6, 0.0]]
    params = {"train.batch_size": 128}
    return record("gate", "g006", metrics=metrics, params=params, folder=str(tmp_path), witnesses=digests)


def test_a_gate_brings_what_the_doctor_finds_in_its_generation(root: Path, examined: dict[str, Any]) -> None:
    tracker = Tracker(root)
    tracker.send(examined)
    tracker.send(examined)
    child, parent = runs(tracker)["g006 gate"], runs(tracker)["quick-none-seed1-abcdef"]
    for run in (child, parent):
        assert points(tracker, run, "doctor/alarms") == [(6, 1.0)]
        assert points(tracker, run, "doctor/warnings") == [(6, 0.0)]
    assert child.data.tags["doctor"] == "alarm: gate streak"
    assert parent.data.tags["doctor"] == "g006 alarm: gate streak"
    text = mlflow_text(tracker, child, "doctor.txt")
    assert text.startswith("alarm    gate streak: 5 candidates in a row were rejected. A fault: above 4.\n")
    assert "\nok       value sign: " in text


@pytest.mark.parametrize("name", ["gate.json", "health.json", "games/shard-00000.parquet"])
def test_of_another_plan_s_or_damaged_files_nothing_is_found(
    root: Path, tmp_path: Path, examined: dict[str, Any], name: str
) -> None:
    (tmp_path / "runs" / "g006" / name).write_text("others")
    tracker = Tracker(root)
    tracker.send(examined)
    child = runs(tracker)["g006 gate"]
    assert child.info.status == "FINISHED"
    assert child.data.metrics == {"gate/accepted": 0.0}
    assert "doctor" not in child.data.tags


def test_a_gate_s_record_knows_its_generation_s_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = read_plan(ROOT)
    monkeypatch.chdir(tmp_path)
    health, gate = Path("runs/g001/health.json"), Path("runs/g001/gate.json")
    health.parent.mkdir(parents=True)
    health.write_text("{}")
    gate.write_text("[]")
    stage = Declaration("gate", "g001", (str(health),), {}, (str(gate), "runs/g001/history"))
    made = outbox.make_record(params, stage, "key", [], {})
    assert made["witnesses"] == {str(file): file_digest(file) for file in (health, gate)}
    assert made["files"] == {}
    assert made["params"]["train.batch_size"] == params.train.batch_size
    selfplay = Declaration("selfplay", "g001", (), {}, (str(health),))
    assert outbox.make_record(params, selfplay, "key", [], {})["witnesses"] == {}


def test_the_outbox_empties_in_order_and_only_when_sent(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (2, 1, 3):
        outbox.put(root, record(generation=f"g{number:03d}", key=f"key{number}"))
    sent = []
    tracker = Tracker(root)

    def send(one: dict[str, Any]) -> None:
        sent.append(one["generation"])
        if len(sent) == 3:
            raise OSError("gone")

    monkeypatch.setattr(tracker, "send", send)
    with pytest.raises(OSError, match="gone"):
        send_waiting(root, tracker)
    assert sent == ["g001", "g002", "g003"]
    assert [json.loads(file.read_text())["generation"] for file in outbox.waiting(root)] == ["g003"]


def test_a_dead_server_costs_a_warning_and_no_record(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", DEAD_SERVER)
    outbox.put(root, record())
    outbox.Sender(root).send()
    (warning,) = capfd.readouterr().err.strip().splitlines()
    assert warning.startswith(f"warning: MLflow: {DEAD_SERVER}: ")
    assert warning.endswith("`stonezero track sync` sends the metrics later")
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    assert send_waiting(root) == 1
    assert "g001 train" in runs(Tracker(root))
    assert outbox.waiting(root) == []


def test_a_locked_database_costs_a_warning_and_no_record(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(outbox, "PATIENCE_SECONDS", 8)
    outbox.put(root, record())
    with sqlite3.connect(root / "mlflow.db", isolation_level=None) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        outbox.Sender(root).send()
    connection.close()
    (warning,) = capfd.readouterr().err.strip().splitlines()
    assert warning.startswith("warning: MLflow: ")
    assert len(outbox.waiting(root)) == 1
    assert send_waiting(root) == 1


def test_a_file_that_is_no_database_costs_a_warning(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(outbox, "PATIENCE_SECONDS", 120)  # MLflow tries again, and this machine may be busy
    (root / "mlflow.db").write_text("not a database" * 100)
    outbox.put(root, record())
    outbox.Sender(root).send()
    (warning,) = capfd.readouterr().err.strip().splitlines()
    assert "not a database" in warning
    assert len(outbox.waiting(root)) == 1


def test_sync_says_in_one_sentence_that_no_server_answers(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", DEAD_SERVER)
    outbox.put(root, record())
    with pytest.raises(UserError, match=rf"^MLflow: {DEAD_SERVER}: [^\n]*$"):
        sync(root)


def test_sync_says_in_one_sentence_that_the_database_is_none(root: Path) -> None:
    (root / "mlflow.db").write_text("not a database" * 100)
    with pytest.raises(UserError, match=r"^MLflow: sqlite:[^\n]*not a database$"):
        sync(root)


@pytest.mark.slow
def test_four_processes_on_no_database_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    metrics = [["train/loss", step, float(step)] for step in range(100)]
    for number in range(4):
        outbox.put(tmp_path, record(generation=f"g{number:03d}", key=f"key{number}", metrics=metrics))
    monkeypatch.setattr(outbox, "PATIENCE_SECONDS", 120)
    senders = [outbox.Sender(tmp_path) for _ in range(4)]
    for sender in senders:
        sender.send()
    tracker = Tracker(tmp_path)
    assert len(runs(tracker)) == 5
    for number in range(4):
        assert len(points(tracker, runs(tracker)[f"g{number:03d} train"], "train/loss")) == 100
    leftovers = [
        path.name for path in tmp_path.iterdir() if path.name not in ("mlflow.db", "mlartifacts", ".scratch")
    ]
    assert leftovers == []


def test_plain_mlflow_in_the_repository_root_shows_the_same_store(root: Path) -> None:
    Tracker(root).send(record())
    code = "import mlflow; print(len(mlflow.search_runs(search_all_experiments=True)))"
    env = {name: value for name, value in os.environ.items() if not name.startswith("MLFLOW")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "2"


def test_the_store_is_the_main_checkout_s_unless_a_server_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    assert store_uri(outbox.main_checkout()) == f"sqlite:///{tmp_path}/mlflow.db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", DEAD_SERVER)
    assert store_uri(outbox.main_checkout()) == DEAD_SERVER
