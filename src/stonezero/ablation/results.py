"""What a cell leaves behind for the comparison, taken out of DVC's cache: champions and figures.

Wall times are no outputs: they come from the records that the stages left outside the temporary checkouts.
A stage that came from DVC's cache has the record of the cell that ran it.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from dvc.api import DVCFileSystem

from stonezero.ablation.folders import Folders
from stonezero.ablation.grid import Cell
from stonezero.config.generations import generation_name
from stonezero.config.paths import RunPaths
from stonezero.declaration import STAGES
from stonezero.errors import UserError
from stonezero.files import file_digest, write_bytes, write_text
from stonezero.outbox import SPEED, Metric

RESULT = "result.json"


class GenerationResult(NamedTuple):
    """One generation of a cell."""

    generation: str
    champion: Path
    champion_digest: str
    evaluations: int  #: network evaluations of its self-play
    metrics: dict[str, list[Metric]]  #: by stage


class CellResult(NamedTuple):
    """What is compared of a cell."""

    cell: Cell
    generations: list[GenerationResult]  #: g000, the untrained net, first
    seconds: list[float]  #: wall time of each generation's stages; NaN where no record tells

    @property
    def evaluations(self) -> int:
        """Network evaluations of all self-play."""
        return sum(generation.evaluations for generation in self.generations)


def has_result(root: Path, cell: Cell) -> bool:
    return (Folders(root).cell(cell.name) / RESULT).exists()


def collect(root: Path, cell: Cell, revision: str) -> None:
    """Copy out of the experiment at `revision` what is compared of the cell."""
    source, target = DVCFileSystem(str(root), rev=revision), Folders(root).cell(cell.name)
    paths = RunPaths()
    names = [generation_name(number) for number in range(int(cell.params["iterations"]) + 1)]
    generations = []
    try:
        for name in names:
            write_bytes(target / f"{name}.safetensors", source.read_bytes(paths.champion(name).as_posix()))
            is_first = name == names[0]
            health = {} if is_first else json.loads(source.read_text(paths.health(name).as_posix()))
            metrics = {
                stage: json.loads(source.read_text(f"{paths.folder(name).as_posix()}/metrics/{stage}.json"))
                for stage in (() if is_first else STAGES)
            }
            generations.append(
                {"generation": name, "evaluations": health.get("evaluations", 0), "metrics": metrics}
            )
    except FileNotFoundError as error:
        raise UserError(
            f"the experiment {cell.name} has no {error.filename or error} in DVC's cache"
        ) from error
    write_text(target / RESULT, json.dumps({"revision": revision, "generations": generations}))


def read_result(root: Path, cell: Cell, seconds: dict[tuple[str, str, str], float]) -> CellResult:
    """The result of a cell that has been collected; `seconds` from `wall_seconds`."""
    folder = Folders(root).cell(cell.name)
    found = json.loads((folder / RESULT).read_text())
    generations, times = [], []
    for entry in found["generations"]:
        champion = folder / f"{entry['generation']}.safetensors"
        metrics: dict[str, list[Metric]] = entry["metrics"]
        generations.append(
            GenerationResult(
                entry["generation"], champion, file_digest(champion), entry["evaluations"], metrics
            )
        )
        keys = [(stage, entry["generation"], _canonical(of_stage)) for stage, of_stage in metrics.items()]
        times.append(sum(seconds.get(key, float("nan")) for key in keys))
    return CellResult(cell, generations, times)


def wall_seconds(root: Path) -> dict[tuple[str, str, str], float]:
    """Wall times out of all records, by stage, generation and metrics: the work done tells itself apart."""
    found = {}
    for file in sorted(Folders(root).records.glob("[!.]*.json")):
        record: dict[str, Any] = json.loads(file.read_text())
        kept = [metric for metric in record["metrics"] if not metric[0].startswith(SPEED)]
        key = (record["stage"], record["generation"], _canonical(kept))
        found[key] = float(record["lineage"]["wall_seconds"])
    return found


def _canonical(metrics: list[Metric]) -> str:
    return json.dumps([list(metric) for metric in metrics])
