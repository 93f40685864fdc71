"""Figures of an ablation, drawn like those of the Elo report."""

import numpy as np
import pandas as pd

from stonezero.ablation.summary import Summary
from stonezero.reporting.figures import INK, MUTED, SERIES, WIDE, Canvas, Figure, canvas_of, label_ends, style


def figures(summary: Summary) -> list[Figure]:
    """The variants' Elo with intervals, and the learning curves."""
    made = [
        Figure(
            "ablation-elo",
            "Mean Elo of each variant's last champions with its 95% interval over seeds; small marks are "
            "single seeds. The line is the reference's mean.",
            lambda width: draw_variants(summary, width),
        )
    ]
    if (summary.points["evaluations"] > 0).any():
        made.append(
            Figure(
                "ablation-curves",
                "Learning curves: Elo of each generation's champion, mean over seeds, over the network "
                "evaluations spent in self-play up to then.",
                lambda width: draw_curves(summary, width),
            )
        )
    return made


def draw_variants(summary: Summary, width: int) -> Canvas:
    """One row a variant."""
    table, finals = summary.variants, last_points(summary.points)
    canvas = canvas_of(width, 70 + 34 * len(table))
    axes = style(canvas.subplots())
    axes.grid(axis="y", visible=False)
    reference = table.loc[table["variant"] == summary.grid.reference, "mean"]
    for value in reference:
        axes.axvline(value, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    for row, (_, at) in enumerate(table.iterrows()):
        elo = finals.loc[finals["variant"] == at["variant"], "elo"]
        axes.plot(elo, np.full(len(elo), row), "|", color=MUTED, markersize=9)
        axes.plot([at["low"], at["high"]], [row, row], color=SERIES[0], linewidth=1.8)
        axes.plot(at["mean"], row, "o", color=SERIES[0], markersize=6)
    axes.set_yticks(range(len(table)), table["variant"], color=INK)
    axes.set_ylim(len(table) - 0.5, -0.5)
    axes.set_xlabel(f"Elo above {summary.ratings.anchor}", color=MUTED, fontsize="small")
    return canvas


def draw_curves(summary: Summary, width: int) -> Canvas:
    """Elo over evaluations, the reference and the variants that end farthest from it in colour."""
    canvas = canvas_of(width, 360 if width == WIDE else 300)
    axes = style(canvas.subplots())
    means = summary.points.groupby(["variant", "generation"], sort=False)[["evaluations", "elo"]].mean()
    far = summary.variants.assign(far=summary.variants["difference"].abs()).sort_values(
        "far", ascending=False
    )
    is_reference = far["variant"] == summary.grid.reference
    named = [*far.loc[is_reference, "variant"], *far.loc[~is_reference, "variant"]][: len(SERIES)]
    colors = dict(zip(named, SERIES, strict=False))
    for variant in summary.variants["variant"]:
        line = means.loc[variant]
        color = colors.get(variant, MUTED)
        axes.plot(line["evaluations"], line["elo"], "o-", color=color, linewidth=1.5, markersize=4)
    ends = {variant: float(means.loc[variant]["elo"].iloc[-1]) for variant in named}
    label_ends(axes, ends, tuple(colors[variant] for variant in named))
    axes.set_xlabel("network evaluations in self-play", color=MUTED, fontsize="small")
    return canvas


def last_points(points: pd.DataFrame) -> pd.DataFrame:
    """The last generation of each cell."""
    return points.groupby(["variant", "seed"], sort=False).last().reset_index()
