"""The grid: what a sweep like `ablation=none,no_noise seed=1,2,3` asks for, checked before anything runs.

A *variant* is what is compared (an ablation, or any other values swept), a *cell* one variant with one seed.
A cell is named after its variant, seed and a digest of all that determines its result: its parameters and
the code of the stages. So a cell that has been run is found again, whatever was committed since.
"""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from stonezero.config.composition import flat_params, sentence
from stonezero.config.validation import validate
from stonezero.declaration import STAGES, read_declaration
from stonezero.errors import UserError
from stonezero.files import digest
from stonezero.plan import make_plan

DEFAULT_EXPERIMENT = "experiment=ablation"
MOST_CELLS = 1000
NOT_COMPARED = ("plan", "ablation")  #: parameters that name a cell and change nothing in it


@dataclass(frozen=True)
class Cell:
    """One variant with one seed."""

    variant: str  #: as shown: `no_noise`, or `no_noise train.lr=0.001`
    seed: int
    overrides: tuple[str, ...]  #: of conf/, those of the whole grid included
    params: dict[str, Any]  #: all parameters by dotted path
    digest: str  #: of all that determines the result

    @property
    def name(self) -> str:
        """Of the DVC experiment."""
        word = re.sub(r"[^a-zA-Z0-9]+", "-", self.variant).strip("-")[:60]
        return f"abl-{word}-s{self.seed}-{self.digest[:8]}"

    @property
    def title(self) -> str:
        return f"{self.variant} seed {self.seed}"


@dataclass(frozen=True)
class Grid:
    """All cells of a sweep."""

    cells: list[Cell]
    reference: str  #: the variant that the others are compared with
    params: DictConfig  #: of the reference's first cell: what the cells have in common, and the matches
    overrides: list[str]  #: for Hydra: the sweep, and Hydra's own

    @property
    def variants(self) -> list[str]:
        """In the order of the sweep."""
        return list(dict.fromkeys(cell.variant for cell in self.cells))


def make_grid(root: Path, overrides: list[str], reference: str | None = None) -> Grid:
    """The grid that `overrides` (Hydra's sweep grammar) ask for; by default of `experiment=ablation`.

    Raises
    ------
    UserError
        One sentence: an override that cannot be read, an unknown ablation or parameter, values that cannot
        be, a cell asked for twice, a seed that is no integer, a reference that is no variant.
    """
    parsed = _parse(overrides)
    if not any(override.key_or_group == "experiment" for override in parsed):
        overrides = [DEFAULT_EXPERIMENT, *overrides]
        parsed = _parse(overrides)
    swept = [o for o in parsed if o.is_sweep_override() and not _is_hydra_s(o)]
    for override in swept:
        _check_repeats(override)
    keys = [override.key_or_group for override in swept if override.key_or_group != "seed"]
    cells, params_of = _cells(root, _jobs(parsed), keys or ["ablation"])
    if twins := _twins(cells):
        raise UserError(f"{twins[0].title} and {twins[1].title} are the same cell")
    if other := next((cell for cell in cells if _game(cell) != _game(cells[0])), None):
        raise UserError(
            f"{cells[0].title} and {other.title} play different games, so they cannot be compared"
        )
    variants = list(dict.fromkeys(cell.variant for cell in cells))
    chosen = reference or ("none" if "none" in variants else variants[0])
    if chosen not in variants:
        raise UserError(f"the reference {chosen} is no cell of the grid; there are {', '.join(variants)}")
    first = next(cell for cell in cells if cell.variant == chosen)
    return Grid(cells, chosen, params_of[first.name], overrides)


def _game(cell: Cell) -> dict[str, Any]:
    return {key: value for key, value in cell.params.items() if key.startswith("game.")}


def _parse(overrides: list[str]) -> list[Override]:
    parser = OverridesParser.create()
    parsed = []
    for text in overrides:
        try:
            parsed.append(parser.parse_override(text))
        except HydraException:
            raise UserError(
                f"cannot read the override {text!r}: write key=value or key=value,value"
            ) from None
    for key, times in Counter(override.key_or_group for override in parsed).items():
        if times > 1:
            raise UserError(f"{key} is given twice")
    return parsed


def _is_hydra_s(override: Override) -> bool:
    return override.key_or_group.split(".")[0].split("/")[0] == "hydra"


def _check_repeats(override: Override) -> None:
    values = [str(value) for value in override.sweep_string_iterator()]
    repeated = [value for value, times in Counter(values).items() if times > 1]
    if repeated:
        raise UserError(f"{override.key_or_group} names {repeated[0]} twice: each cell is run once")


def _jobs(parsed: list[Override]) -> list[list[str]]:
    """Overrides of each cell, in Hydra's order."""
    own = [override for override in parsed if not _is_hydra_s(override)]
    (batch,) = BasicSweeper.split_arguments(own, max_batch_size=None)
    jobs = [list(job) for job in batch]
    if len(jobs) > MOST_CELLS:
        raise UserError(f"the grid has {len(jobs)} cells; at most {MOST_CELLS}")
    return jobs


def _cells(root: Path, jobs: list[list[str]], keys: list[str]) -> tuple[list[Cell], dict[str, DictConfig]]:
    """Cells of the jobs, and their params by name. Each variant is composed once, with its first seed."""
    composed: dict[tuple[str, ...], DictConfig] = {}
    code: dict[str, str] = {}
    cells, params_of = [], {}
    for job in jobs:
        others = tuple(text for text in job if not text.startswith("seed="))
        seeds = [text for text in job if text.startswith("seed=")]
        if others not in composed:
            composed[others] = make_plan(root, list(others))
        params = _with_seed(composed[others], seeds)
        params.plan = job
        code = code or code_digests(root, params)
        cell = Cell(
            variant=_variant(job, keys, params),
            seed=params.seed,
            overrides=tuple(job),
            params={key: value for key, value in flat_params(params).items() if key != "plan"},
            digest=cell_digest(params, code),
        )
        cells.append(cell)
        params_of[cell.name] = params
    return cells, params_of


def _with_seed(params: DictConfig, seeds: list[str]) -> DictConfig:
    """A copy of `params` with the seed of the override, checked."""
    result = params.copy()
    if not seeds:
        return result
    text = seeds[0].partition("=")[2]
    if not re.fullmatch(r"[+-]?\d+", text):
        raise UserError(f"seed is {text}, but must be an integer")
    try:
        result.seed = int(text)
    except OmegaConfBaseException as error:
        raise UserError(sentence(error)) from error
    validate(result)
    return result


def _variant(job: list[str], keys: list[str], params: DictConfig) -> str:
    """What is swept, in words: an ablation by its name alone, other parameters with theirs."""
    values = dict(text.partition("=")[::2] for text in job)
    values.setdefault("ablation", params.ablation)
    return " ".join(values[key] if key == "ablation" else f"{key}={values[key]}" for key in keys)


def code_digests(root: Path, params: DictConfig) -> dict[str, str]:
    """Digest of each file and folder of code that the learning stages depend on."""
    stages = [read_declaration("init", params, "g000", root)]
    stages += [read_declaration(name, params, params.last, root) for name in STAGES]
    paths = sorted(
        {path for stage in stages for path in stage.inputs if path.startswith(("src/", "stages/"))}
    )
    return {path: digest(root / path) for path in paths}


def cell_digest(params: DictConfig, code: dict[str, str]) -> str:
    """Of the parameters that change something, and the code."""
    plain: Any = OmegaConf.to_container(params)
    values = {key: value for key, value in plain.items() if key not in NOT_COMPARED}
    return hashlib.sha256(json.dumps([values, code], sort_keys=True).encode()).hexdigest()


def _twins(cells: list[Cell]) -> tuple[Cell, Cell] | None:
    """Two cells with one name, or that do the same under two names."""
    seen: dict[str, Cell] = {}
    for cell in cells:
        if cell.digest in seen:
            return seen[cell.digest], cell
        seen[cell.digest] = cell
    return None
