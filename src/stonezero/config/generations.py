"""The unrolled generations: what each differs in, and the sections that result.

`schedule` says from which generation on a parameter has another value, `ramp` which ones move from value to
value (see `ramps.py`); `unroll` turns both into compact per-generation overrides, so that a change from
generation 3 on leaves the params of 1 and 2 as they were.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from stonezero.errors import UserError

SECTIONS = ("search", "selfplay", "buffer", "train", "gate")  #: what a schedule may change
MOST = 200  #: generations of a plan
FIRST = "g000"  #: the generation before the first: what stage init makes

Section = TypeVar("Section")


def generation_name(number: int) -> str:
    """`g007` for 7."""
    return f"g{number:03d}"


def generation_number(name: str) -> int:
    """7 for `g007`."""
    return int(name[1:])


def previous_generation(params: DictConfig) -> str:
    """Name of the generation before the one that `params.gen` names."""
    return str(params.generations[params.gen].prev)


def generation_section(params: DictConfig, section: str) -> DictConfig:
    """The typed section (`train`, `selfplay`, ...) as it holds in generation `params.gen`."""
    return section_of(params, params.gen, section)


def section_of(params: DictConfig, generation: str, section: str) -> DictConfig:
    """The typed section as it holds in `generation`; in g000 and for game, network, ... as it is written."""
    if section not in SECTIONS or generation not in params.generations:
        return params[section]
    return merged(params[section], params.generations[generation][section])


def typed_section(params: DictConfig, name: str, kind: type[Section]) -> Section:
    """Section `name` as it holds in generation `params.gen`, as a plain object of its schema class `kind`."""
    section = OmegaConf.to_object(generation_section(params, name))
    assert isinstance(section, kind)
    return section


def merged(section: DictConfig, overrides: Any) -> DictConfig:
    """The typed `section` with `overrides`, each checked and converted to its type."""
    result = OmegaConf.merge(section, overrides)
    assert isinstance(result, DictConfig)
    return result


def unroll(root: DictConfig, ramped: Callable[[int], Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Overrides of every generation by name, each value converted to its type in the schema.

    `ramped` gives the ramped parameters' values in a generation, by dotted path.

    Raises
    ------
    UserError
        If there are too many generations, or the schedule names an unknown parameter or generation, has a
        value of another type, runs backwards or repeats itself.
    """
    if not 1 <= root.iterations <= MOST:
        raise UserError(f"iterations is {root.iterations}, but must lie between 1 and {MOST}")
    _check_schedule(root)
    sections = {name: root[name] for name in SECTIONS}
    generations = {}
    for number in range(1, root.iterations + 1):
        for entry, change in enumerate(root.schedule, start=1):
            if change.start == number:
                for path, value in change.set.items():
                    section, key = path.split(".")
                    sections[section] = _changed(
                        sections[section], key, value, f"schedule entry {entry}: {path}"
                    )
        for path, value in ramped(number).items():
            section, key = path.split(".")
            sections[section] = _changed(sections[section], key, value, f"ramp: {path}")
        overrides = {name: _differences(root[name], sections[name]) for name in SECTIONS}
        generations[generation_name(number)] = {"prev": generation_name(number - 1), **overrides}
    return generations


def _changed(section: DictConfig, key: str, value: Any, where: str) -> DictConfig:
    try:
        return merged(section, {key: value})
    except OmegaConfBaseException as error:
        raise UserError(f"{where}: {str(error.msg).partition(chr(10))[0]}") from error


def _check_schedule(root: DictConfig) -> None:
    latest = 1
    seen = set()
    for entry, change in enumerate(root.schedule, start=1):
        where = f"schedule entry {entry}"
        if OmegaConf.is_missing(change, "start"):
            raise UserError(f"{where}: start, the first generation of the change, has no value")
        if not 1 <= change.start <= root.iterations:
            raise UserError(
                f"{where}: start {change.start} is outside this plan's generations 1 to {root.iterations}"
            )
        if change.start < latest:
            raise UserError(f"{where}: start {change.start} comes after {latest}; starts must ascend")
        latest = change.start
        for path in change.set:
            section, _, key = str(path).partition(".")
            if section not in SECTIONS or key not in root[section]:
                raise UserError(f"{where}: {path} is no parameter of {', '.join(SECTIONS)}")
            if (latest, path) in seen:
                raise UserError(f"{where}: {path} is set twice at generation {latest}")
            seen.add((latest, path))


def _differences(base: DictConfig, changed: DictConfig) -> dict[str, Any]:
    plain: Any = OmegaConf.to_container(changed)
    return {key: value for key, value in plain.items() if base[key] != changed[key]}
