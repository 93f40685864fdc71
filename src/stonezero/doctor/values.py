"""Measures of the value: the search's value of each root against how its game ended, in thirds of the game.

Both are for the side to move, in [-1, 1]. Values of the net alone are not in the records; the search's are
averages of them and of finished games.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.doctor.facts import RunFacts
from stonezero.doctor.rows import PHASES, games_of, phase, searched
from stonezero.records.schema import RecordTable

SATURATED = 0.95
CONFIDENT = 0.5
FEWEST_GAMES = 20
FEWEST_POSITIONS = 60
BIN_EDGES = (-1.0, -0.6, -0.2, 0.2, 0.6, 1.0)


class Calibration(NamedTuple):
    """How values and outcomes agree in one phase."""

    phase: str
    positions: int
    brier: float  #: mean squared error of the expected score in 0..1, so 0.25 for a coin's values
    baseline: float  #: the same of a value that knows the colour to move alone
    overconfidence: float | None  #: mean |value| minus what it earned, where |value| is CONFIDENT; or too few
    curve: list[tuple[int, float, float]]  #: per bin of BIN_EDGES: positions, mean value, mean outcome


def saturation(facts: RunFacts) -> float | None:
    """Share of the positions in the first third whose value is beyond ±0.95."""
    rows = _judged(facts.table)
    if facts.table is None or rows is None:
        return None
    early = rows[phase(facts.table)[rows] == 0]
    return float((np.abs(facts.table.root_value[early]) > SATURATED).mean()) if len(early) else None


def spread(facts: RunFacts) -> float | None:
    """Standard deviation of all values; None where the outcomes themselves are all but the same."""
    rows = _judged(facts.table)
    if facts.table is None or rows is None or facts.table.outcome[rows].std() < 0.1:
        return None
    return float(facts.table.root_value[rows].std())


def agreement(facts: RunFacts) -> float | None:
    """Correlation of values with outcomes; None where either is all but constant."""
    rows = _judged(facts.table)
    if facts.table is None or rows is None:
        return None
    value, outcome = facts.table.root_value[rows], facts.table.outcome[rows]
    if value.std() < 1e-3 or outcome.std() < 0.1:
        return None
    return float(np.corrcoef(value, outcome)[0, 1])


def overconfidence(facts: RunFacts) -> float | None:
    """The highest of the phases'."""
    found = [each.overconfidence for each in calibrations(facts) if each.overconfidence is not None]
    return max(found) if found else None


def brier_ratio(facts: RunFacts) -> float | None:
    """Brier score over that of knowing the colour alone, the highest of the phases'."""
    found = [each.brier / each.baseline for each in calibrations(facts) if each.baseline > 0.01]
    return max(found) if found else None


def calibrations(facts: RunFacts) -> list[Calibration]:
    """One entry for each phase with enough positions."""
    rows = _judged(facts.table)
    if facts.table is None or rows is None:
        return []
    of_row = phase(facts.table)[rows]
    parts = [(name, rows[of_row == number]) for number, name in enumerate(PHASES)]
    return [_calibration(facts.table, name, part) for name, part in parts if len(part) >= FEWEST_POSITIONS]


def _calibration(table: RecordTable, name: str, rows: NDArray[np.int64]) -> Calibration:
    value, outcome = table.root_value[rows].astype(float), table.outcome[rows].astype(float)
    expected = np.zeros(len(rows))
    for turn in np.unique(table.turn[rows]):
        expected[table.turn[rows] == turn] = outcome[table.turn[rows] == turn].mean()
    sure = np.abs(value) > CONFIDENT
    earned = np.sign(value[sure]) * outcome[sure]
    return Calibration(
        phase=name,
        positions=len(rows),
        brier=float(((value - outcome) ** 2).mean() / 4),
        baseline=float(((expected - outcome) ** 2).mean() / 4),
        overconfidence=float((np.abs(value[sure]) - earned).mean())
        if sure.sum() >= FEWEST_POSITIONS
        else None,
        curve=_curve(value, outcome),
    )


def _curve(value: NDArray[np.float64], outcome: NDArray[np.float64]) -> list[tuple[int, float, float]]:
    """The reliability curve; zeros for a bin without positions."""
    which = np.clip(np.digitize(value, BIN_EDGES) - 1, 0, len(BIN_EDGES) - 2)
    parts = [which == number for number in range(len(BIN_EDGES) - 1)]
    return [
        (int(part.sum()), float(value[part].mean()), float(outcome[part].mean()))
        if part.any()
        else (0, 0.0, 0.0)
        for part in parts
    ]


def _judged(table: RecordTable | None) -> NDArray[np.int64] | None:
    """Rows with a searched value, where there are enough games."""
    if table is None or len(games_of(table).first) < FEWEST_GAMES:
        return None
    rows = np.flatnonzero(searched(table))
    return rows if len(rows) >= FEWEST_POSITIONS else None
