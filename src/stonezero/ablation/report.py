"""What an ablation writes.

reports/ablation.csv        one row per variant
reports/ablation-cells.csv  one row per generation of each cell
reports/ablation/           figures as PNG
reports/ablation.html       everything on one page
"""

import math
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from stonezero.ablation.figures import figures, last_points
from stonezero.ablation.summary import Summary
from stonezero.arena import rating
from stonezero.files import write_bytes, write_text
from stonezero.reporting.page import signed, template_of
from stonezero.reporting.render import png, svgs
from stonezero.reporting.run import title_of

STEM = "ablation"
DECIMALS = {"mean": 2, "low": 2, "high": 2, "difference": 2, "difference_low": 2, "difference_high": 2}
DECIMALS |= {"p_value": 4, "evaluations": 0, "seconds": 1, "elo": 2}


def write_report(summary: Summary, reports: Path, is_loop: bool) -> Path:
    """Write all files; the page's path. `is_loop`: whole loops, not training alone."""
    variants = summary.variants.round(DECIMALS)
    write_text(reports / f"{STEM}.csv", variants.to_csv(index=False, lineterminator="\n"))
    write_text(
        reports / f"{STEM}-cells.csv", summary.points.round(DECIMALS).to_csv(index=False, lineterminator="\n")
    )
    drawn = figures(summary)
    for figure in drawn:
        write_bytes(reports / STEM / f"{figure.name}.png", png(figure))
    filters = {"ends": ends, "seconds": seconds, "p_value": p_value}
    template = template_of(f"{STEM}.html.j2", "stonezero.ablation", **filters)
    cells = {(cell.variant, cell.seed): cell.name for cell in summary.grid.cells}
    finals = last_points(summary.points).to_dict("records")
    options = [] if is_loop else ["--train-only"]
    text = template.render(
        title=title_of(summary.grid.params),
        kind="Whole loops" if is_loop else "Training alone, on one set of records,",
        is_loop=is_loop,
        experiment=summary.grid.params.experiment,
        grid=summary.grid,
        summary=summary,
        variants=summary.variants.to_dict("records"),
        extra=[column for column in summary.variants if column in summary.extra],
        num_done=len(finals),
        finals=[{**row, "cell": cells[row["variant"], row["seed"]]} for row in finals],
        figures=[{"svg": Markup(svgs(figure)), "caption": figure.caption} for figure in drawn],
        rating_model=rating.MODEL,
        command=shlex.join(["stonezero", "ablate", *options, "-m", *summary.grid.overrides]),
    )
    write_text(reports / f"{STEM}.html", text)
    return reports / f"{STEM}.html"


def ends(row: Mapping[Any, Any], low: str, high: str) -> str:
    """An interval in words."""
    return f"{signed(row[low])} to {signed(row[high])}" if math.isfinite(row[low]) else "n/a"


def seconds(value: float) -> str:
    return f"{value:,.1f}" if math.isfinite(value) else "n/a"


def p_value(value: float) -> str:
    if not math.isfinite(value):
        return ""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def table(summary: Summary) -> str:
    """The verdicts as text for the terminal."""
    width = max(len(variant) for variant in summary.variants["variant"])
    lines = []
    for row in summary.variants.to_dict("records"):
        difference = "" if row["verdict"] == "reference" else f", difference {signed(row['difference'])}"
        difference += f" ({ends(row, 'difference_low', 'difference_high')})" if difference else ""
        lines.append(
            f"{row['variant']:{width}}  Elo {signed(row['mean']):>5} ({ends(row, 'low', 'high')}) "
            f"over {row['seeds']} seeds{difference}: {row['verdict']}; "
            f"{row['evaluations']:,.0f} evaluations, {seconds(row['seconds'])} s"
        )
    return "\n".join(lines)
