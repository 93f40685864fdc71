"""Numbers that change with the ply: move temperature, prior temperature, root noise.

Change over generations is another matter, see `stonezero.config.generations`.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PlySchedule:
    """A value for every ply, from points (ply, value) whose plies ascend from 0.

    shape: step (a value holds until the next point), linear or exponential (straight or geometric from
    point to point; exponential needs values above 0). The last value holds for good.
    """

    plies: tuple[int, ...]
    values: tuple[float, ...]
    shape: str = "step"

    def at(self, ply: int) -> float:
        """The value at `ply` (>= 0)."""
        after = bisect_right(self.plies, ply)
        if self.shape == "step" or after == len(self.plies):
            return self.values[after - 1]
        begin, end = self.plies[after - 1], self.plies[after]
        first, last = self.values[after - 1], self.values[after]
        share = (ply - begin) / (end - begin)
        if self.shape == "linear":
            return first + share * (last - first)
        return float(first * (last / first) ** share)


def two_values(first: float, until: int, last: float, shape: str) -> PlySchedule:
    """`first` at ply 0 and `last` from ply `until` on."""
    if until == 0:
        return PlySchedule((0,), (last,), shape)
    return PlySchedule((0, until), (first, last), shape)


def schedule_of(points: Sequence[tuple[int, float]], shape: str = "step") -> PlySchedule:
    """The schedule through these points (ply, value), at least one, the first at ply 0."""
    plies, values = zip(*points, strict=True)
    return PlySchedule(plies, values, shape)
