"""MLflow: the only file that imports it. A parent run per experiment, a child run per stage of a generation.

The store is mlflow.db in the main checkout (what a plain `mlflow ui` shows there), or MLFLOW_TRACKING_URI.
Sending the same record again changes nothing. Run as a module, this is the process behind `outbox.Sender`.
"""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from stonezero.config import RunPaths, paths
from stonezero.config.generations import generation_number
from stonezero.declaration import STAGES, read_declaration
from stonezero.doctor.checks import diagnose
from stonezero.doctor.facts import Finding
from stonezero.doctor.loading import load_facts
from stonezero.doctor.telling import figures_of, line_of, summary_of
from stonezero.errors import UserError
from stonezero.files import file_digest
from stonezero.metrics import Metric
from stonezero.outbox import check_finite, make_record, waiting
from stonezero.plan import read_plan

# The defaults would retry a dead server for minutes.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "5")
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")

import mlflow
from mlflow.entities import Metric as MlflowMetric
from mlflow.entities import Param, Run
from mlflow.entities.model_registry import ModelVersion
from mlflow.exceptions import MlflowException
from sqlalchemy.exc import SQLAlchemyError

DATABASE = "mlflow.db"
KEY, PARENT, DOCTOR = "stonezero.key", "mlflow.parentRunId", "doctor"
METRICS_A_BATCH, PARAMS_A_BATCH, LONGEST_PARAM = 1000, 100, 500  # limits of MLflow's log_batch


def store_uri(root: Path) -> str:
    """The tracking server or database in use."""
    return os.environ.get("MLFLOW_TRACKING_URI") or default_uri(root)


def default_uri(root: Path) -> str:
    """The database in the main checkout."""
    return f"sqlite:///{root / DATABASE}"


class Tracker:
    """Writes records into the store of the checkout `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._uri = store_uri(root)
        self._is_default = self._uri == default_uri(root)
        with locked(root):  # several processes at once would make the tables of a new database
            if self._is_default:
                self._create_database()
            self.client = mlflow.MlflowClient(self._uri, registry_uri=self._uri)
            self.client.search_experiments(max_results=1)

    def _create_database(self) -> None:
        """Make the tables under another name: no kill leaves a half-made database."""
        database = self._root / DATABASE
        if not database.exists():
            new = database.with_name(f".{os.getpid()}-{DATABASE}")
            mlflow.MlflowClient(f"sqlite:///{new}").search_experiments(max_results=1)
            new.replace(database)

    def send(self, record: dict[str, Any]) -> None:
        """Log one record, or finish what an interrupted sending began."""
        if record.get("kind") == "grid":
            self._send_grid(record)
            return
        metrics: list[Metric] = [(key, step, value) for key, step, value in record["metrics"]]
        check_finite(metrics)
        experiment = self._experiment(record["experiment"])
        parent = self._run(experiment, record["run"], {"mlflow.runName": record["run"]})
        tags = {
            "mlflow.runName": f"{record['generation']} {record['stage']}",
            PARENT: parent.info.run_id,
            "stage": record["stage"],
            "generation": record["generation"],
            "mlflow.source.git.commit": record["lineage"].get("commit", ""),
        }
        child = self._run(experiment, f"{record['run']}/{record['stage']}/{record['key']}", tags)
        if child.info.status == "FINISHED":
            return
        findings = findings_at(record)
        metrics += figures_of(findings, generation_number(record["generation"])) if findings else []
        self._log(parent, record, self._of_parent(parent, record, metrics))
        self._log(child, record, metrics)
        self.client.log_text(child.info.run_id, json.dumps(record["lineage"], indent=1), "lineage.json")
        if findings:
            self._log_findings(record, parent, child, findings)
        self._log_files(record, parent, child)
        self.client.set_terminated(child.info.run_id)

    def _send_grid(self, record: dict[str, Any]) -> None:
        """An ablation: a run for the grid, under it one for each cell with its parameters and curves."""
        experiment = self._experiment(record["experiment"])
        parent = self._run(experiment, record["key"], {"mlflow.runName": record["run"], **record["tags"]})
        if parent.info.status == "FINISHED":
            return
        for cell in record["cells"]:
            tags = {"mlflow.runName": cell["name"], PARENT: parent.info.run_id, **cell["tags"]}
            child = self._run(experiment, f"{record['key']}/{cell['key']}", tags)
            if child.info.status != "FINISHED":
                self._log_values(child, {**cell, "time_ms": record["time_ms"]}, cell["metrics"])
                self.client.set_terminated(child.info.run_id)
        self._log_values(parent, record, record["metrics"])
        if page := unchanged_file(record, "ablation.html"):
            self.client.log_artifact(parent.info.run_id, str(page))
        self.client.set_terminated(parent.info.run_id)

    def _experiment(self, name: str) -> str:
        if found := self.client.get_experiment_by_name(name):
            return found.experiment_id
        with locked(self._root):
            if found := self.client.get_experiment_by_name(name):
                return found.experiment_id
            location = (self._root / "mlartifacts" / name).as_uri() if self._is_default else None
            return self.client.create_experiment(name, artifact_location=location)

    def _run(self, experiment: str, key: str, tags: dict[str, str]) -> Run:
        with locked(self._root):
            return self._find(experiment, key) or self.client.create_run(experiment, tags={**tags, KEY: key})

    def _find(self, experiment: str, key: str) -> Run | None:
        found = self.client.search_runs([experiment], f"tags.`{KEY}` = '{key}'", max_results=1)
        return found[0] if found else None

    def _of_parent(self, parent: Run, record: dict[str, Any], metrics: list[Metric]) -> list[Metric]:
        """Curves over the generations: each metric's last value; of ratings those not yet there."""
        if record["stage"] != "elo-report":
            return [
                (key, generation_number(record["generation"]), value) for key, value in last(metrics).items()
            ]
        known = {key: self.client.get_metric_history(parent.info.run_id, key) for key in last(metrics)}
        return [
            metric for metric in metrics if metric[1] > max((p.step for p in known[metric[0]]), default=-1)
        ]

    def _log(self, run: Run, record: dict[str, Any], metrics: list[Metric]) -> None:
        """Params, metrics and the configuration."""
        self._log_values(run, record, metrics)
        self.client.log_text(run.info.run_id, record["config"], "params.yaml")

    def _log_values(self, run: Run, record: dict[str, Any], metrics: list[Metric]) -> None:
        """Params that the run lacks and metrics, in as few batches as MLflow allows."""
        known = run.data.params
        params = [
            Param(key, str(value)[:LONGEST_PARAM])
            for key, value in record["params"].items()
            if key not in known
        ]
        points = [MlflowMetric(key, value, record["time_ms"], step) for key, step, value in metrics]
        for batch in zip_longest(_cut(points, METRICS_A_BATCH), _cut(params, PARAMS_A_BATCH)):
            self.client.log_batch(run.info.run_id, metrics=batch[0] or (), params=batch[1] or ())

    def _log_files(self, record: dict[str, Any], parent: Run, child: Run) -> None:
        """The report, and a new champion for the registry, where they still lie as the stage left them."""
        if record["stage"] == "elo-report":
            if report := unchanged_file(record, "report.html"):
                self.client.log_artifact(parent.info.run_id, str(report))
            self.client.set_terminated(parent.info.run_id)
        is_new_champion = record["stage"] == "gate" and last(record["metrics"]).get("gate/accepted")
        if is_new_champion and (champion := unchanged_file(record, "champion.safetensors")):
            self._register(record, child, champion)

    def _log_findings(self, record: dict[str, Any], parent: Run, child: Run, findings: list[Finding]) -> None:
        """What the doctor says: all of it as text, the faults' names as tags that lists of runs show."""
        self.client.log_text(child.info.run_id, "\n".join(map(line_of, findings)) + "\n", "doctor.txt")
        summary = summary_of(findings)
        self.client.set_tag(child.info.run_id, DOCTOR, summary)
        self.client.set_tag(parent.info.run_id, DOCTOR, f"{record['generation']} {summary}")

    def _register(self, record: dict[str, Any], run: Run, champion: Path) -> None:
        """Make the new champion a version of the run's model, and the alias `champion` point at it."""
        name = record["run"]
        try:
            self.client.create_registered_model(name)
        except MlflowException as error:
            if error.error_code != "RESOURCE_ALREADY_EXISTS":
                raise
        known = self.client.search_model_versions(f"name='{name}' and run_id='{run.info.run_id}'")
        version = known[0] if known else self._new_version(record, run, champion)
        self.client.set_registered_model_alias(name, "champion", version.version)

    def _new_version(self, record: dict[str, Any], run: Run, champion: Path) -> ModelVersion:
        self.client.log_artifact(run.info.run_id, str(champion))
        source = f"{run.info.artifact_uri}/{champion.name}"
        tags = {"generation": record["generation"]}
        return self.client.create_model_version(record["run"], source, run.info.run_id, tags=tags)


def findings_at(record: dict[str, Any]) -> list[Finding]:
    """What the doctor finds in a gate's generation; nothing where its files are no longer the record's.

    They are read here, not in the stage: no output of a stage depends on a threshold of the doctor.
    """
    folder, witnesses = Path(record["folder"]), record.get("witnesses", {})
    if not witnesses or not all(is_unchanged(folder / path, digest) for path, digest in witnesses.items()):
        return []
    run = RunPaths(folder / paths.root)
    try:
        return diagnose(load_facts(run, record["generation"], record["params"]["train.batch_size"]))
    except (UserError, OSError):  # damaged files: `stonezero doctor` says which
        return []


def unchanged_file(record: dict[str, Any], name: str) -> Path | None:
    """The output of this name, where it is still the one that the stage wrote: a later plan writes others."""
    for path, digest in record.get("files", {}).items():
        file = Path(record["folder"]) / path
        if file.name == name and is_unchanged(file, digest):
            return file
    return None


def is_unchanged(file: Path, digest: str) -> bool:
    """Whether it is there and has this SHA-256."""
    return file.is_file() and file_digest(file) == digest


def _cut(items: list[Any], size: int) -> list[list[Any]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def last(metrics: list[Metric]) -> dict[str, float]:
    """The last value of each metric."""
    return {key: value for key, _, value in metrics}


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """One process at a time looks for and creates databases, experiments and runs."""
    file = root / ".scratch" / "tracking" / "lock"
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(file, timeout=60):
        yield


def send_waiting(root: Path, tracker: Tracker | None = None) -> int:
    """Send all records of the outbox; the number sent. Raises what the store raises."""
    sent = 0
    for file in waiting(root):
        tracker = tracker or Tracker(root)
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue  # another process has sent it
        tracker.send(record)
        file.unlink(missing_ok=True)
        sent += 1
    return sent


def sync(root: Path) -> str:
    """Send what waits, and the plan's stages that came from DVC's cache; what was done, in words.

    Raises
    ------
    UserError
        If the store does not answer or is damaged.
    """
    logging.disable(logging.ERROR)
    try:
        tracker = Tracker(root)
        sent = send_waiting(root, tracker)
        for record in cached_records(root):
            tracker.send(record)
        return f"{sent} waiting records sent; {store_uri(root)} knows all finished stages of this plan"
    except (MlflowException, SQLAlchemyError, OSError, Timeout) as error:
        raise UserError(f"MLflow: {reason(root, error)}") from error


def cached_records(root: Path) -> Iterator[dict[str, Any]]:
    """Records of the plan's stages whose outputs are there and up to date, whoever made them."""
    params = read_plan(root)
    names = [(stage, generation) for generation in params.generations for stage in STAGES]
    changed = _changed_stages(root)
    for name, generation in [*names, ("elo-report", params.last)]:
        stage = read_declaration(name, params, generation, root)
        if stage.label in changed or not stage.metrics_file or not (root / stage.metrics_file).exists():
            continue
        metrics = json.loads((root / stage.metrics_file).read_text(encoding="utf-8"))
        yield make_record(params, stage, stage.key(stage.input_digests()), metrics, lineage={})


def _changed_stages(root: Path) -> set[str]:
    command = [sys.executable, "-m", "dvc", "status", "--json"]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise UserError(f"`dvc status` failed: {answer.stderr.strip().splitlines()[-1]}")
    return set(json.loads(answer.stdout))


def reason(root: Path, error: BaseException) -> str:
    """One line on why the store did not take the records."""
    lines = str(error).strip().splitlines()
    return f"{store_uri(root)}: {type(error).__name__}: {lines[0][:200] if lines else 'no reason given'}"


def main(root: Path) -> int:
    """Get ready, wait for the word on standard input, send. Prints the reason of a failure."""
    logging.disable(logging.ERROR)
    try:
        tracker = Tracker(root)
        if sys.stdin.readline() == "send\n":
            send_waiting(root, tracker)
    except Exception as error:
        print(reason(root, error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
