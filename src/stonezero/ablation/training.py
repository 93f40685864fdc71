"""Train-only ablations: nets trained on one fixed set of records, by what a train stage does.

The records are those of the window of this checkout's last generation. Each cell trains a net from scratch on
them; its parameters of search and self-play have no say. What is trained is kept under the cell's name.
"""

import json
import shutil
import time
from pathlib import Path

from stonezero.ablation.folders import Folders
from stonezero.ablation.grid import Cell
from stonezero.ablation.results import RESULT, CellResult, GenerationResult
from stonezero.config import RunPaths, paths
from stonezero.config.composition import compose_params, stage_params
from stonezero.errors import UserError
from stonezero.files import file_digest, write_text
from stonezero.replay.index import read_index
from stonezero.training import run as training

GENERATION = "g001"  #: what the one training is called
SCRATCH = ("train.start=scratch", "iterations=1", "schedule=[]")


def last_window(root: Path) -> Path:
    """The window of the last generation there is; UserError where nothing has been played."""
    found = sorted((root / paths.root).glob("g*/buffer.parquet"))
    if len(found) < 2:  # g000 has an empty one
        raise UserError(f"there are no records in {root / paths.root}: `dvc repro` plays some")
    return found[-1]


def folder(root: Path, cell: Cell) -> Path:
    """Of a cell and the records it is trained on."""
    return Folders(root).cell(f"train-{cell.name}-{file_digest(last_window(root))[:8]}")


def has_trained(root: Path, cell: Cell) -> bool:
    return (folder(root, cell) / RESULT).exists()


def train(root: Path, cell: Cell, is_parallel: bool) -> None:
    """Train a cell's net. Killed, it goes on at its last resume point."""
    target = folder(root, cell)
    own = RunPaths(target / "runs")
    window = last_window(root)
    index = read_index(window)
    for file in index.files:
        place = target / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.symlink_to((root / file.path).resolve())
    own.folder(GENERATION).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(window, own.buffer(GENERATION))
    keys = [text.partition("=")[0] for text in SCRATCH]
    overrides = [text for text in cell.overrides if text.partition("=")[0] not in keys]
    params = stage_params(compose_params(root / "conf", [*overrides, *SCRATCH]), GENERATION)
    scratch = target / "scratch"
    scratch.mkdir(exist_ok=True)
    began = time.monotonic()
    metrics = training.run(params, GENERATION, scratch, own)
    seconds = time.monotonic() - began
    shutil.rmtree(scratch)
    write_text(target / RESULT, json.dumps({"metrics": metrics, "seconds": seconds}))


def read_trained(root: Path, cell: Cell) -> CellResult:
    """The trained net as the only generation of its cell."""
    target = folder(root, cell)
    found = json.loads((target / RESULT).read_text())
    net = RunPaths(target / "runs").candidate(GENERATION)
    generation = GenerationResult(GENERATION, net, file_digest(net), 0, {"train": found["metrics"]})
    return CellResult(cell, [generation], [found["seconds"]])
