"""Figures as bytes: PNG for files, SVG with the page's own colours and fonts for the page.

The same figure gives the same bytes: no dates, fixed ids.
"""

import io
import re
from typing import Any

import matplotlib
from matplotlib.figure import Figure as Canvas

from stonezero.reporting.figures import GRID, INK, MUTED, NARROW, PAPER, SERIES, WIDE, Figure

VARIABLES = {PAPER: "paper", INK: "ink", MUTED: "muted", GRID: "grid"} | {
    color: f"series-{number}" for number, color in enumerate(SERIES, 1)
}

PARAMETERS: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "svg.fonttype": "none",
    "svg.hashsalt": "stonezero",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}

PNG_SCALE = 2


def png(figure: Figure) -> bytes:
    """The wide figure on paper."""
    with matplotlib.rc_context({**PARAMETERS, "font.size": 12.5}):
        canvas = figure.draw(WIDE)
        out = io.BytesIO()
        canvas.savefig(out, format="png", dpi=72 * PNG_SCALE, facecolor=PAPER, metadata={"Software": None})
    return out.getvalue()


def svgs(figure: Figure) -> str:
    """The figure for wide and for narrow screens, of which the style sheet shows one."""
    return _svg(figure, WIDE, "wide") + _svg(figure, NARROW, "narrow")


def _svg(figure: Figure, width: int, variant: str) -> str:
    with matplotlib.rc_context({**PARAMETERS, "font.size": 12.5 if width == WIDE else 11}):
        canvas: Canvas = figure.draw(width)
        out = io.StringIO()
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    view_box = re.search(r'viewBox="[^"]*"', text)
    assert view_box
    head = f'<svg class="{variant}" {view_box[0]} role="img" aria-label="{figure.name}">'
    text = head + text[text.index(">") + 1 :]
    prefix = f"{figure.name}-{variant}-"
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}", text)
    text = text.replace("xlink:href", "href").replace("'DejaVu Sans'", "var(--sans)")
    for color, name in VARIABLES.items():
        text = text.replace(color, f"var(--{name})")
    return text
