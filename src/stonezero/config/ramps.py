"""Parameters that move from one value to another over generations: `ramp` in params.yaml.

    ramp: [{parameter: selfplay.simulations, start: 1, end: 10, first: 100, last: 400}]

gives 100 up to generation 1, 400 from generation 10 on, and even steps (or even factors) between.
"""

from typing import Any

from omegaconf import DictConfig, OmegaConf

from stonezero.config.generations import SECTIONS
from stonezero.errors import UserError

FIELDS = ("parameter", "start", "end", "first", "last")


def ramped_values(root: DictConfig, generation: int) -> dict[str, float | int]:
    """The value of every ramped parameter in a generation, by dotted path; whole numbers are rounded."""
    values = {}
    for ramp in root.ramp:
        share = min(max((generation - ramp.start) / (ramp.end - ramp.start), 0.0), 1.0)
        if ramp.shape == "exponential":
            value = ramp.first * (ramp.last / ramp.first) ** share
        else:
            value = ramp.first + share * (ramp.last - ramp.first)
        is_whole = isinstance(OmegaConf.select(root, ramp.parameter), int)
        values[ramp.parameter] = round(value) if is_whole else round(float(value), 12)
    return values


def check_ramps(root: DictConfig) -> None:
    """Raise UserError, one sentence, for a ramp of no number, backwards, or over another."""
    scheduled = {path for change in root.schedule for path in change.set}
    ramped: set[str] = set()
    for entry, ramp in enumerate(root.ramp, start=1):
        where = f"ramp entry {entry}"
        for name in FIELDS:
            if OmegaConf.is_missing(ramp, name):
                raise UserError(f"{where}: {name} has no value")
        path = ramp.parameter
        section, _, key = path.partition(".")
        if section not in SECTIONS or key not in root[section]:
            raise UserError(f"{where}: {path} is no parameter of {', '.join(SECTIONS)}")
        value: Any = root[section][key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError(f"{where}: {path} is no number, so it has no values in between")
        if path in scheduled or path in ramped:
            raise UserError(
                f"{where}: {path} is set by another {'ramp' if path in ramped else 'schedule'}, too"
            )
        ramped.add(path)
        if ramp.start < 1 or ramp.end <= ramp.start:
            raise UserError(
                f"{where}: it runs from generation {ramp.start} to {ramp.end}: "
                "start must be at least 1, and end come after it"
            )
        if ramp.shape not in ("linear", "exponential"):
            raise UserError(f"{where}: shape is {ramp.shape}, but must be linear or exponential")
        if ramp.shape == "exponential" and min(ramp.first, ramp.last) <= 0:
            raise UserError(f"{where}: an exponential ramp needs a first and a last value above 0")
