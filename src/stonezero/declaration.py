"""What dvc.yaml says of a stage: the files and parameters it depends on, the files it makes.

Read from dvc.yaml itself, so that nothing is declared twice; only the few templates used there are known.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf

from stonezero.errors import UserError
from stonezero.files import digest

DVC_FILE = "dvc.yaml"


@dataclass(frozen=True)
class Declaration:
    stage: str  #: name in dvc.yaml
    generation: str
    inputs: tuple[str, ...]
    params: dict[str, Any]  #: values of the parameters that the stage depends on
    outputs: tuple[str, ...]

    @property
    def label(self) -> str:
        """As dvc calls it: `train@g002`, `elo-report`."""
        return self.stage if self.stage in SINGLE_STAGES else f"{self.stage}@{self.generation}"

    @property
    def metrics_file(self) -> str | None:
        """The output that holds what the tracker is told, where the stage has one."""
        return next((path for path in self.outputs if path.endswith(f"/metrics/{self.stage}.json")), None)

    def input_digests(self) -> dict[str, str]:
        """Digest of every input; a UserError where one is missing."""
        digests = {path: digest(path) for path in self.inputs}
        for path, found in digests.items():
            if found == "missing":
                raise UserError(
                    f"{path} is missing; `dvc repro {self.label}` makes what the stage needs first"
                )
        return digests

    def key(self, input_digests: dict[str, str]) -> str:
        """Digest of all that determines the stage's outputs."""
        content = [self.label, self.params, input_digests]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


SINGLE_STAGES = ("check-config", "init", "elo-report")
STAGES = ("selfplay", "buffer", "train", "gate")  #: of every generation, in order


def read_declaration(stage: str, params: DictConfig, generation: str, root: Path = Path()) -> Declaration:
    """The stage's entry in dvc.yaml for one generation."""
    entry = yaml.safe_load((root / DVC_FILE).read_text(encoding="utf-8"))["stages"][stage]
    entry = entry.get("do", entry)
    known = {"key": generation, "last": params.last}
    if generation in params.generations:
        known["item.prev"] = params.generations[generation].prev

    def filled(texts: list[Any]) -> list[str]:
        return [_fill(next(iter(text)) if isinstance(text, dict) else text, known) for text in texts]

    names = filled(entry.get("params", []))
    return Declaration(
        stage=stage,
        generation=generation,
        inputs=tuple(filled(entry.get("deps", []))),
        params={name: _plain(params, name) for name in names if name != "params.yaml"},
        outputs=tuple(filled(entry.get("outs", []) + entry.get("metrics", []))),
    )


def _fill(text: str, known: dict[str, str]) -> str:
    for name, value in known.items():
        text = text.replace("${" + name + "}", value)
    return text


def _plain(params: DictConfig, name: str) -> Any:
    value = OmegaConf.select(params, name)
    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value
