"""What the doctor looks at, and what it says. Measures and thresholds are elsewhere."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stonezero.records.schema import RecordTable

OK, WARNING, ALARM = "ok", "warning", "alarm"
"""Levels of a finding."""


@dataclass(frozen=True)
class RunFacts:
    """A run as its files tell it, up to one generation. What is missing is None or empty."""

    generation: str  #: the last one
    table: RecordTable | None  #: its self-play games
    losses: pd.DataFrame  #: of all generations, as in the history
    gates: pd.DataFrame  #: of all generations, as in the history
    staleness: NDArray[np.int16] | None  #: int16[P]: of its window's positions, generations
    batch_size: int  #: of its training
    tactics: dict[str, float] = field(default_factory=dict)
    """Share of the right answers in each tactical test set that its champion was asked."""

    @property
    def last_losses(self) -> pd.DataFrame:
        """The rows of the last generation's training."""
        if self.losses.empty:
            return self.losses
        return self.losses[self.losses["generation"] == self.generation]


class Finding(NamedTuple):
    """What one check found."""

    level: str  #: OK, WARNING or ALARM
    check: str  #: its name
    what: str  #: one plain sentence
    number: str  #: what was measured, as text
    threshold: str  #: where it begins to be a fault, as text
    advice: str  #: what to do, by the names of params; empty where nothing is wrong
