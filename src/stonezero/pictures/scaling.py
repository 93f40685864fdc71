"""What `stonezero ladder --simulations 50,100,200` writes.

simulations.csv  one row per number of simulations
simulations.png  Elo over simulations
"""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import NullLocator

from stonezero.arena.rating import Ratings
from stonezero.arena.scaling import COLUMNS
from stonezero.files import write_bytes, write_text
from stonezero.reporting.figures import (
    MUTED,
    SERIES,
    WIDE,
    Canvas,
    Figure,
    canvas_of,
    draw_ratings,
    label_anchors,
    style,
)
from stonezero.reporting.render import png

STEM = "simulations"
DECIMALS = {"elo": 2, "low": 2, "high": 2, "score": 4, "gain": 2, "superiority": 4}


def write_scaling(folder: Path, ratings: Ratings, table: pd.DataFrame) -> list[Path]:
    """Write both files; their paths. `table` is one of `arena.scaling.scaling_table`."""
    files = [folder / f"{STEM}.csv", folder / f"{STEM}.png"]
    text = table[list(COLUMNS)].round(DECIMALS).to_csv(index=False, lineterminator="\n")
    write_text(files[0], text)
    write_bytes(files[1], png(scaling_figure(ratings, table)))
    return files


def scaling_figure(ratings: Ratings, table: pd.DataFrame) -> Figure:
    """Elo over simulations, with the anchors as lines."""
    return Figure(
        STEM,
        "Elo of one net by the simulations of its search above the fewest, with 95% intervals, dotted where "
        "the games set no bound. Dashed lines are those anchors, players that never change, that lie near.",
        lambda width: draw_scaling(ratings, table, width),
    )


def draw_scaling(ratings: Ratings, table: pd.DataFrame, width: int) -> Canvas:
    """Simulations doubled are a step of the same width."""
    is_fixed = table["player"] == ratings.anchor
    players = table.assign(**{end: table[end].mask(is_fixed, table["elo"]) for end in ("low", "high")})
    ends = pd.concat([players["elo"], players["low"], players["high"]])
    others = ratings.table()
    others = others[~others["player"].isin(table["player"])]
    anchors = others[others["elo"].between(ends.min(), ends.max())]
    canvas = canvas_of(width, 360 if width == WIDE else 300)
    axes = style(canvas.subplots())
    x = table["simulations"].to_numpy()
    axes.set_xscale("log", base=2)
    axes.set_xticks(x, [str(number) for number in x])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(x.min() / np.sqrt(2), x.max() * np.sqrt(2))
    draw_ratings(axes, x, players, anchors)
    axes.plot(x, table["elo"], "o", color=SERIES[0], markersize=6, zorder=3)
    label_anchors(axes, anchors)
    axes.set_xlabel("simulations", color=MUTED, fontsize="small")
    axes.set_ylabel(f"Elo above {x.min()} simulations", color=MUTED, fontsize="small")
    return canvas
