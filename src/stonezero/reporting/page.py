"""The report page: one file that needs nothing else, neither network nor neighbours."""

import math
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

import jinja2
import pandas as pd
from markupsafe import Markup

from stonezero.arena import rating, sequential
from stonezero.doctor.facts import Finding
from stonezero.doctor.values import BIN_EDGES, Calibration
from stonezero.reporting.figures import Figure
from stonezero.reporting.render import svgs
from stonezero.reporting.summary import Summary

MATRIX_PLAYERS = 10  #: as many as fit on a page
MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"


def signed(value: float) -> str:
    """A whole number with its sign, a real minus; 0 without."""
    rounded = round(value)
    return f"{rounded:+d}".replace("-", MINUS) if rounded else "0"


def interval(row: Any) -> str:
    """The interval of a rating; one-sided or absent where the games set no bound."""
    low, high = row["low"], row["high"]
    if math.isnan(low) and math.isnan(high):
        return "fixed" if row["elo"] == 0 else "n/a"
    if math.isnan(high):
        return f"above {signed(low)}"
    return f"below {signed(high)}" if math.isnan(low) else f"{signed(low)} to {signed(high)}"


def superiority(summary: Summary) -> list[dict[str, Any]]:
    """The strongest players in order, each with his chances of being stronger than each, None for himself."""
    names = summary.standings["player"].head(MATRIX_PLAYERS).tolist()
    matrix = summary.superiority
    return [
        {"player": name, "chances": [None if other == name else matrix.at[name, other] for other in names]}
        for name in names
    ]


def percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def ranges(standings: pd.DataFrame) -> list[dict[str, float]]:
    """Where each rating and its interval lie on a common scale from 0 to 100."""
    ends = pd.concat([standings["elo"], standings["low"], standings["high"]]).dropna()
    low, width = ends.min(), max(ends.max() - ends.min(), 1.0)
    at = standings.assign(
        low=standings["low"].fillna(standings["elo"]), high=standings["high"].fillna(standings["elo"])
    )
    scaled = (at[["elo", "low", "high"]] - low) / width * 92 + 4
    return [
        {str(key): round(float(value), 2) for key, value in row.items()} for row in scaled.to_dict("records")
    ]


def template_of(name: str, package: str = "stonezero.reporting", **filters: Any) -> jinja2.Template:
    """A page's template, which may use `filters`; all pages share style.css.j2."""
    texts = {
        file: files(where).joinpath(file).read_text("utf-8")
        for where, file in ((package, name), ("stonezero.reporting", "style.css.j2"))
    }
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(texts),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(signed=signed, interval=interval, percent=percent, **filters)
    return environment.get_template(name)


class Examined(NamedTuple):
    """What the doctor has to say."""

    findings: list[Finding]
    calibrations: list[Calibration]  #: of the value, by phase; empty without games


def page(
    summary: Summary,
    figures: list[Figure],
    title: str,
    params: dict[str, dict[str, Any]],
    examined: Examined,
) -> str:
    """The page as HTML. `params` are shown by group."""
    template = template_of("report.html.j2")
    of_champion = summary.scores[
        summary.scores["generation"] == summary.player(summary.champion)["generation"]
    ]
    return template.render(
        title=title,
        summary=summary,
        ratings=summary.ratings,
        champion=summary.player(summary.champion),
        anchor_scores=of_champion[of_champion["opponent"].isin(summary.anchors["player"])].to_dict("records"),
        standings=list(zip(summary.standings.to_dict("records"), ranges(summary.standings), strict=True)),
        gates=summary.history.gates.to_dict("records"),
        findings=examined.findings,
        calibrations=examined.calibrations,
        bins=list(pairwise(BIN_EDGES)),
        figures={figure.name: {"svg": Markup(svgs(figure)), "caption": figure.caption} for figure in figures},
        params=params,
        superiority=superiority(summary),
        rating_model=rating.MODEL,
        test_model=sequential.MODEL,
        gate_model=summary.history.gates.iloc[-1].get("model", sequential.MODEL),
    )
