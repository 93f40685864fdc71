"""The figures: each a function that draws onto matplotlib axes, for wide and for narrow screens.

Colours are roles (`INK`, `SERIES`): `render` writes them as they are into PNG, and as CSS variables into
the page's SVG, where light and dark give them their values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from stonezero.reporting.summary import REJECTED, THE_CHAMPION, Summary

PAPER, INK, MUTED, GRID = "#fbfaf8", "#1b1d1f", "#6a6f76", "#e6e3dc"
SERIES = ("#0f6b66", "#b8501c", "#5a48b0", "#8a6d00", "#8d3b72")

WIDE, NARROW = 920, 340
"""Widths in CSS pixels."""


@dataclass(frozen=True)
class Figure:
    """One figure of the report."""

    name: str  #: file name without suffix
    caption: str  #: what is to be seen, one or two sentences
    draw: Callable[[int], Canvas]  #: by width in CSS pixels


def figures(summary: Summary) -> list[Figure]:
    """All figures the history has data for."""
    health = summary.history.health
    made = [
        Figure(
            "elo",
            "Elo of every generation, with intervals relative to the anchor at 0, dotted where the games set "
            "no bound. Filled marks were accepted by the gate, hollow ones rejected. Dashed lines are "
            "anchors, players that never change.",
            lambda width: draw_elo(summary, width),
        ),
        Figure(
            "scores",
            "Points per game of each candidate in its own gate: against the champion of its day, the anchors "
            "and earlier champions.",
            lambda width: draw_scores(summary.scores, width),
        ),
    ]
    if len(_loss_panels(summary.losses)):
        made.append(
            Figure(
                "losses",
                "Training and held-out losses over all steps; thin lines separate generations. "
                "Held-out games are never trained on: a widening gap is overfitting.",
                lambda width: draw_losses(summary.losses, width),
            )
        )
    if len(_health_panels(health)):
        made.append(
            Figure(
                "health",
                "Self-play by generation. Collapse shows as falling opening entropy and repeated games.",
                lambda width: draw_health(health, width),
            )
        )
    return made


def canvas_of(width: int, height: int) -> Canvas:
    """An empty figure, sizes in CSS pixels."""
    return Canvas(figsize=(width / 72, height / 72), layout="constrained")


def style(axes: Axes, title: str = "") -> Axes:
    """`axes` in the page's style."""
    axes.set_title(title, loc="left", color=INK, fontsize="medium", fontweight="bold")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, colors=MUTED, labelsize="small")
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    return axes


def draw_elo(summary: Summary, width: int) -> Canvas:
    """Elo over generations, with anchors as lines."""
    nets, anchors = summary.nets, summary.anchors
    canvas = canvas_of(width, 360 if width == WIDE else 300)
    axes = style(canvas.subplots())
    x, elo = nets["generation"].to_numpy(), nets["elo"].to_numpy()
    draw_ratings(axes, x, nets, anchors)
    rejected = (nets["role"] == REJECTED).to_numpy()
    axes.plot(x[~rejected], elo[~rejected], "o", color=SERIES[0], markersize=6, zorder=3)
    axes.plot(x[rejected], elo[rejected], "o", color=SERIES[0], markersize=6, markerfacecolor=PAPER, zorder=3)
    label_anchors(axes, anchors)
    axes.set_xlabel("generation", color=MUTED, fontsize="small")
    axes.set_xlim(x.min() - 0.3, x.max() + 0.3)
    return canvas


def draw_ratings(axes: Axes, x: NDArray[Any], players: pd.DataFrame, anchors: pd.DataFrame) -> None:
    """A line through ratings (elo, low, high) at `x`, with intervals; anchors (player, elo) as lines."""
    low, high, elo = players["low"], players["high"], players["elo"]
    finite = [values[np.isfinite(values)] for values in (low, high, elo, anchors["elo"])]
    bottom, top = np.concatenate(finite).min(), np.concatenate(finite).max()
    margin = 0.06 * max(top - bottom, 50)
    axes.set_ylim(bottom - margin, top + margin)
    axes.plot(x, elo, color=SERIES[0], linewidth=1.6)
    ends = [low.fillna(bottom - margin), high.fillna(top + margin)]
    for at, start, end, is_bounded in zip(x, *ends, low.notna() & high.notna(), strict=True):
        axes.plot(
            [at, at], [start, end], color=SERIES[0], linewidth=1.2, linestyle="-" if is_bounded else ":"
        )
    for value in anchors["elo"]:
        axes.axhline(value, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))


def label_anchors(axes: Axes, anchors: pd.DataFrame) -> None:
    """Name the lines of anchors (columns player, elo)."""
    label_ends(axes, dict(zip(anchors["player"], anchors["elo"], strict=True)), (MUTED,) * len(anchors))


def draw_scores(scores: pd.DataFrame, width: int) -> Canvas:
    """Points per game over generations, a line for each opponent."""
    canvas = canvas_of(width, 280 if width == WIDE else 260)
    axes = style(canvas.subplots())
    table = scores.pivot(index="generation", columns="opponent", values="score")
    opponents = sorted(table, key=lambda name: (name != THE_CHAMPION, name))[: len(SERIES)]
    ends: dict[str, float] = {}
    for color, name in zip(SERIES, opponents, strict=False):
        line = table[name].dropna()
        axes.plot(line.index, line, "o-", color=color, linewidth=1.6, markersize=4)
        ends[str(name)] = float(line.iloc[-1])
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlim(table.index.min() - 0.3, table.index.max() + 0.3)
    axes.set_xlabel("generation", color=MUTED, fontsize="small")
    label_ends(axes, ends, SERIES)
    return canvas


def draw_losses(losses: pd.DataFrame, width: int) -> Canvas:
    """Training and held-out losses, policy and value."""
    panels = _loss_panels(losses)
    canvas, grid = _panels(len(panels), width, columns=2 if width == WIDE else 1)
    for axes, (title, columns) in zip(grid, panels.items(), strict=True):
        style(axes, title)
        for (name, column), color in zip(columns.items(), (SERIES[0], SERIES[1]), strict=False):
            line = losses[["total_step", column]].dropna()
            axes.plot(line["total_step"], line[column], color=color, linewidth=1.4, label=name)
        ends = losses.groupby("generation")["total_step"].max()
        for step in ends.iloc[:-1]:
            axes.axvline(step, color=GRID, linewidth=1, zorder=0)
        axes.set_xlabel("steps", color=MUTED, fontsize="small")
        _name_lines(axes)
    return canvas


def draw_health(health: pd.DataFrame, width: int) -> Canvas:
    """Small multiples of self-play figures over generations."""
    panels = _health_panels(health)
    canvas, grid = _panels(len(panels), width, columns=4 if width == WIDE else 2)
    x = health["generation"].map(lambda name: int(name[1:]))
    for axes, (title, (lines, is_share)) in zip(grid, panels.items(), strict=True):
        style(axes, title)
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        for (name, values), color in zip(lines.items(), SERIES, strict=False):
            axes.plot(x, values, "o-", color=color, linewidth=1.4, markersize=3.5, label=name)
        axes.set_ylim(0, 1.08 * axes.dataLim.y1)
        if is_share:
            axes.set_ylim(0, 1.05)
            axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        if len(lines) > 1:
            _name_lines(axes)
    return canvas


def _panels(count: int, width: int, columns: int) -> tuple[Canvas, list[Axes]]:
    """`count` axes in rows of up to `columns`."""
    columns = min(columns, count)
    rows = -(-count // columns)
    canvas = canvas_of(width, rows * (230 if width == WIDE else 175))
    grid = list(np.ravel(canvas.subplots(rows, columns, squeeze=False)))
    for unused in grid[count:]:
        unused.set_visible(False)
    return canvas, grid[:count]


def _loss_panels(losses: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Title -> label -> column, of what has been measured."""
    panels = {}
    for title, kind in (("Policy loss", "policy_loss"), ("Value loss", "value_loss")):
        columns = {"training": f"train_{kind}", "held out": f"held_out_{kind}"}
        present = {name: c for name, c in columns.items() if c in losses and losses[c].notna().any()}
        if present:
            panels[title] = present
    return panels


def _health_panels(health: pd.DataFrame) -> dict[str, tuple[dict[str, pd.Series], bool]]:
    """Title -> (label -> values, whether they are shares), of what has been measured."""
    wanted = {
        "Plies per game": ({"plies": "mean_plies"}, False),
        "Results": ({"black": "black_win_rate", "white": "white_win_rate", "draw": "draw_rate"}, True),
        "Distinct games": ({"distinct": "distinct_share"}, True),
        "Entropy": ({"openings, bits": "opening_entropy", "visits, nats": "root_entropy"}, False),
    }
    if {"distinct_games", "games"} <= set(health):
        health = health.assign(distinct_share=health["distinct_games"] / health["games"])
    panels = {}
    for title, (columns, is_share) in wanted.items():
        lines = {name: health[column] for name, column in columns.items() if column in health}
        if lines:
            panels[title] = (lines, is_share)
    return panels


def _name_lines(axes: Axes) -> None:
    """A legend of names alone, each in the colour of its line, where the lines leave most room."""
    legend = axes.legend(
        frameon=False, labelcolor="linecolor", handlelength=0, handletextpad=0, fontsize="small"
    )
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_visible(False)


def label_ends(axes: Axes, ends: dict[str, float], colors: tuple[str, ...]) -> None:
    """Name lines at the right edge, at their last value, pushed apart where they would overlap."""
    low, high = axes.get_ylim()
    gap = (high - low) * 0.065
    order = sorted(ends, key=lambda name: ends[name])
    heights = [ends[name] for name in order]
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    overshoot = max(heights[-1] - high, 0.0) if heights else 0.0
    for name, height in zip(order, heights, strict=True):
        axes.annotate(
            name,
            (1.0, height - overshoot),
            xytext=(6, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            color=colors[list(ends).index(name)],
            fontsize="small",
            va="center",
        )
