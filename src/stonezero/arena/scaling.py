"""What more search is worth: one net's ratings at several numbers of simulations (`stonezero ladder`).

They are relative to the fewest simulations: intervals above a distant anchor would be wide, or have no end,
however well the games of the net against itself tell its players apart.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from stonezero.arena.ladder import interval_text, rate_ladder
from stonezero.arena.rating import Ratings
from stonezero.errors import UserError

MOST_SIMULATIONS = 1_000_000
COLUMNS = ("simulations", "elo", "low", "high", "games", "score", "gain", "superiority")


def parse_simulations(text: str) -> list[int]:
    """`64` or `50,100,200`: distinct numbers from 1 to MOST_SIMULATIONS, smallest first."""
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        raise UserError(f"--simulations {text}: say a number, or several as in 50,100,200") from None
    if not all(1 <= number <= MOST_SIMULATIONS for number in numbers):
        raise UserError(f"--simulations {text}: the numbers must lie between 1 and {MOST_SIMULATIONS}")
    if len({*numbers}) < len(numbers):
        raise UserError(f"--simulations {text}: say each number once")
    return sorted(numbers)


def rate_scaling(tables: Sequence[pd.DataFrame], simulations: Mapping[str, int]) -> Ratings:
    """Ratings over all games of a ladder, the fewest of `simulations` (by player) at 0."""
    return rate_ladder(tables, min(simulations, key=lambda name: simulations[name]))


def scaling_table(ratings: Ratings, simulations: Mapping[str, int]) -> pd.DataFrame:
    """A row for each player of `simulations` (by name), fewest first; columns player and COLUMNS.

    `gain` is in Elo above the row before, `superiority` the chance that it is one at all; both are missing in
    the first row.
    """
    names = sorted(simulations, key=lambda name: simulations[name])
    table = ratings.table().set_index("player").loc[names].reset_index()
    chances, number = ratings.superiority(), ratings.names.index
    gained = [float(chances[number(more), number(fewer)]) for fewer, more in pairwise(names)]
    return table.assign(
        simulations=[simulations[name] for name in names],
        gain=table["elo"].diff(),
        superiority=[float("nan"), *gained],
    )[["player", *COLUMNS]]


def describe_scaling(ratings: Ratings, table: pd.DataFrame) -> str:
    """The table in lines; the chances are those of being stronger than the line above."""
    lines = [f"{'simulations':>11}  {'Elo':>6}  {'95%':>17}  {'games':>5}  {'gain':>5}  chance of a gain"]
    for row in table.to_dict("records"):
        lines.append(_line(ratings, row))
    return "\n".join(lines)


def _line(ratings: Ratings, row: Mapping[Any, Any]) -> str:
    is_first = row["gain"] != row["gain"]
    gain = "" if is_first else f"{round(row['gain']):+d}"
    chance = "" if is_first else f"{row['superiority']:.3f}"
    text = (
        f"{row['simulations']:11d}  {row['elo']:6.0f}  {interval_text(ratings, row):>17}  {row['games']:5d}"
    )
    return f"{text}  {gain:>5}  {chance}".rstrip()
