"""What stages tell the tracker: records in a folder until they are sent. Imports no mlflow.

A stage writes its outputs, then its record, and only then is a process asked to send the folder's records
(`python -m stonezero.tracking`). So nothing is lost when a server is down, a slow one costs no more than
`PATIENCE_SECONDS`, and no stage pays for importing mlflow.
"""

import hashlib
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from stonezero.config.composition import flat_params, to_yaml
from stonezero.config.generations import SECTIONS, section_of
from stonezero.declaration import Declaration
from stonezero.errors import UserError
from stonezero.files import file_digest, write_text
from stonezero.metrics import Metric

PATIENCE_SECONDS = 20  #: given to sending at a stage's end; records not sent by then wait
OFF_VARIABLE = "STONEZERO_TRACKING"  #: `off` leaves records unsent
FOLDER_VARIABLE = "STONEZERO_RECORDS"  #: a folder that takes the stages' records in the outbox's place
NOT_IDENTITY = ("iterations", "plan", "generations", "last", "gen")
SHOWN_FILES = (
    "champion.safetensors",
    "report.html",
    "ablation.html",
)  #: outputs that go to MLflow themselves
WITNESSES = ("gate.json", "health.json")
"""Files of a gate by which it is known later whether its generation still lies in the checkout."""

SPEED = "speed/"  #: metrics that depend on the machine begin like this


def main_checkout() -> Path:
    """The checkout that the user works in, also from a temporary one of `dvc exp run --temp`."""
    return Path(os.environ.get("DVC_ROOT") or ".").resolve()


def outbox_folder(root: Path) -> Path:
    return root / ".scratch" / "tracking" / "outbox"


def check_finite(metrics: Iterable[Metric]) -> None:
    """Raise UserError at a NaN or an infinity: neither is ever logged."""
    for key, step, value in metrics:
        if not math.isfinite(value):
            raise UserError(f"{key} is {value} at step {step}")


def experiment_run(params: DictConfig) -> str:
    """Name of the parent run: the same for all generations of one set of parameters, however many."""
    identity = {key: value for key, value in _container(params).items() if key not in NOT_IDENTITY}
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:6]
    return f"{params.experiment}-{params.ablation}-seed{params.seed}-{digest}"


def make_record(
    params: DictConfig, stage: Declaration, key: str, metrics: list[Metric], lineage: dict[str, Any]
) -> dict[str, Any]:
    """All that the tracker needs to know of one finished stage, as plain JSON values."""
    here = {section: section_of(params, stage.generation, section) for section in SECTIONS}
    flat = flat_params(params)
    in_generation = {
        name: value for name, value in flat.items() if name.split(".")[0] not in (*NOT_IDENTITY, *SECTIONS)
    }
    return {
        "key": key,
        "stage": stage.stage,
        "generation": stage.generation,
        "experiment": params.experiment,
        "run": experiment_run(params),
        "time_ms": time.time_ns() // 1_000_000,
        "metrics": metrics,
        "params": in_generation | flat_params(OmegaConf.create(here)),
        "config": to_yaml(params),
        "lineage": lineage,
        "folder": str(Path.cwd()),
        "files": shown_files(stage.outputs),
        "witnesses": _digests_of([*stage.inputs, *stage.outputs], WITNESSES) if stage.stage == "gate" else {},
    }


def shown_files(paths: Iterable[str], root: Path = Path()) -> dict[str, str]:
    """Digests of those files below `root` that go to MLflow themselves."""
    return _digests_of(paths, SHOWN_FILES, root)


def _digests_of(paths: Iterable[str], names: Iterable[str], root: Path = Path()) -> dict[str, str]:
    found = [path for path in paths if Path(path).name in names and (root / path).is_file()]
    return {path: file_digest(root / path) for path in found}


def put(root: Path, record: dict[str, Any]) -> None:
    """Add a record to the outbox, in the order of sending."""
    name = f"{record['time_ms']}-{record['generation']}-{record['stage']}-{record['key']}.json"
    folder = os.environ.get(FOLDER_VARIABLE)
    write_text((Path(folder) if folder else outbox_folder(root)) / name, json.dumps(record))


def waiting(root: Path) -> list[Path]:
    """Files of the records not yet sent, oldest first."""
    return sorted(outbox_folder(root).glob("[!.]*.json"))


class Sender:
    """A process that makes itself ready to send while the stage still works."""

    def __init__(self, root: Path) -> None:
        self._root = root
        command = [sys.executable, "-m", "stonezero.tracking", str(root)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def send(self) -> None:
        """Send what waits. Prints one warning where that fails; never raises."""
        try:
            answer, _ = self._process.communicate("send\n", timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            answer = f"no answer within {PATIENCE_SECONDS} s"
        except OSError as error:
            answer = str(error)
        if waiting(self._root):
            reason = (answer or "the sending process ended").strip().splitlines()[-1]
            print(
                f"warning: MLflow: {reason}; `stonezero track sync` sends the metrics later", file=sys.stderr
            )


def is_off() -> bool:
    return os.environ.get(OFF_VARIABLE, "").lower() == "off"


def _container(params: DictConfig) -> dict[str, Any]:
    plain: Any = OmegaConf.to_container(params)
    return plain
