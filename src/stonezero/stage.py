"""The stage runner: one Hydra script's life from params.yaml to outputs, lineage and tracking.

A stage's body is a function `run(params, generation, scratch)`: the typed params (`StageParams`), the
generation's name and a folder for what a killed stage would lose, found again when nothing that the stage
depends on has changed. It writes the stage's outputs and returns metrics (key, step, value). Metrics are an
output too, so they must not depend on the machine; those that do (games per second) begin with `speed/`.
"""

import errno
import hashlib
import json
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import hydra
from filelock import FileLock, Timeout
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from stonezero import outbox
from stonezero.config.composition import register, sentence
from stonezero.config.generations import FIRST
from stonezero.declaration import Declaration, read_declaration
from stonezero.errors import UserError
from stonezero.files import WriteError, write_text
from stonezero.lineage import lineage, versions
from stonezero.metrics import Metric
from stonezero.processes import die_with_parent, num_workers

Body = Callable[[DictConfig, str, Path], list[Metric]]

SCRATCH = Path(".scratch")
LOCK_SECONDS = 10  #: a killed stage may need a moment to let go
SENDING_STAGES = ("gate", "elo-report")  #: quick stages leave their metrics to these
LONG_SECONDS = 60  #: a stage that took this long sends its metrics itself


def stage_main(name: str, body: Body) -> None:
    """Entry of the script of stage `name`: run `body`; a user's error is one line and exit status 1."""
    if "DVC_ROOT" in os.environ:
        die_with_parent()
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    logging.getLogger("stonezero").setLevel(logging.INFO)
    register()
    wants_traceback = os.environ.get("HYDRA_FULL_ERROR") == "1"
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra would print and exit; errors come here instead
    script = hydra.main(version_base="1.3", config_path=str(Path.cwd()), config_name="stage")
    try:
        script(partial(_run_one_line, name, body))()
    except (HydraException, OmegaConfBaseException, YAMLError) as error:
        if wants_traceback:
            raise
        sys.exit(f"{name}: params.yaml: {sentence(error)}")


def _run_one_line(name: str, body: Body, params: DictConfig) -> None:
    """Hydra's job: it lets SystemExit through and decorates everything else."""
    if missing := OmegaConf.missing_keys(params):
        sys.exit(f"{name}: {min(missing)} has no value in params.yaml or on the command line")
    try:
        run_stage(name, body, params)
    except UserError as error:
        sys.exit(f"{name} {params.gen}: {error}")
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        sys.exit(f"{name} {params.gen}: the disk is full ({error.filename or 'writing the outputs'})")
    except KeyboardInterrupt:
        print(f"{name} {params.gen}: interrupted; run again to go on from here", file=sys.stderr)
        sys.exit(130)


def run_stage(name: str, body: Body, params: DictConfig) -> None:
    """Run `body` under the stage's lock, with its inputs watched; then lineage, metrics and tracking."""
    num_workers()  # refuses an impossible setting before any work is done
    stage = _declared(name, params)
    with _lock(stage):
        digests = stage.input_digests()
        key = stage.key(digests)
        scratch = SCRATCH / f"{stage.label}-{_resume_key(key)}"
        scratch.mkdir(parents=True, exist_ok=True)
        sender = _early_sender(stage)
        start = time.monotonic()
        metrics = body(params, stage.generation, scratch)
        outbox.check_finite(metrics)
        _check_unchanged(stage, digests)
        if stage.metrics_file:
            kept = [json.dumps(metric) for metric in metrics if not metric[0].startswith(outbox.SPEED)]
            write_text(stage.metrics_file, "[\n" + ",\n".join(kept) + "\n]\n")
            _track(params, stage, key, metrics, time.monotonic() - start, sender)
        for folder in SCRATCH.glob(f"{stage.label}-*"):  # resume points of other params and inputs, too
            shutil.rmtree(folder, ignore_errors=True)


def _resume_key(key: str) -> str:
    """The stage's key with the libraries' versions: an upgrade starts a killed stage anew."""
    return hashlib.sha256(json.dumps([key, versions()]).encode()).hexdigest()[:16]


def _declared(name: str, params: DictConfig) -> Declaration:
    if params.gen != FIRST and params.gen not in params.generations:
        raise UserError(f"there is no generation {params.gen}: this plan has g001 to {params.last}")
    return read_declaration(name, params, params.gen)


def _lock(stage: Declaration) -> FileLock:
    """The stage's lock, taken: it goes when the process ends, however that ends."""
    file = SCRATCH / "locks" / f"{stage.label}.lock"
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(file)
    try:
        lock.acquire(timeout=LOCK_SECONDS)
    except Timeout:
        raise UserError(f"{stage.label} is being run by another process; wait for it or stop it") from None
    return lock


def _check_unchanged(stage: Declaration, before: dict[str, str]) -> None:
    """DVC would note the changed input as what the outputs were made from."""
    after = stage.input_digests()
    if changed := [path for path in stage.inputs if after[path] != before[path]]:
        raise UserError(f"{', '.join(changed)} changed while the stage ran, so its outputs do not count")


def _early_sender(stage: Declaration) -> outbox.Sender | None:
    """For stages that send for sure: its start costs seconds, which pass while the stage works."""
    if outbox.is_off() or not stage.metrics_file:
        return None
    is_sending = stage.stage in SENDING_STAGES or os.environ.get("MLFLOW_TRACKING_URI")
    return outbox.Sender(outbox.main_checkout()) if is_sending else None


def _track(
    params: DictConfig,
    stage: Declaration,
    key: str,
    metrics: list[Metric],
    seconds: float,
    sender: outbox.Sender | None,
) -> None:
    facts = lineage(params, seconds)
    file = Path("runs") / stage.generation / "lineage" / f"{stage.stage}.json"
    metrics = [*metrics, (f"{outbox.SPEED}{stage.stage}_seconds", 0, seconds)]
    root = outbox.main_checkout()
    try:
        write_text(file, json.dumps({"key": key, **facts}, indent=1) + "\n")
        outbox.put(root, outbox.make_record(params, stage, key, metrics, facts))
    except WriteError as error:  # the outputs are whole: no reason to do the work again
        print(
            f"warning: {error}; `stonezero track sync` tells MLflow of {stage.label} later", file=sys.stderr
        )
    if sender or (seconds > LONG_SECONDS and not outbox.is_off()):
        (sender or outbox.Sender(root)).send()
