"""Boards as pictures: stones with their move numbers, and under them what a search thinks of each point.

The same search gives the same bytes: no dates, fixed ids. Playing and searching happen elsewhere.
"""

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Circle, Rectangle
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.board import SIDE_NAMES, Board
from stonezero.games.notation import describe, move_to_text, row_label
from stonezero.games.position import BLACK, EMPTY
from stonezero.players.batch_search import RootStatistics
from stonezero.reporting.figures import INK, MUTED, PAPER
from stonezero.reporting.render import PARAMETERS

LAYERS = ("prior", "visits", "q")
TITLES = {"prior": "prior P, per cent", "visits": "visits N", "q": "value Q, for the side to move"}
COLOR_MAPS = {"prior": "Greens", "visits": "Oranges", "q": "RdBu"}
DARK = {"prior": 0.6, "visits": 0.7, "q": 0.35}  #: distance from the palest colour that needs light text
WOOD, LINE, MARK = "#f1e7d3", "#b9a98a", "#c0392b"
PANEL_INCHES = 4.6
DPI = 110
SHOWN_MOVE_NUMBERS = 400  #: of the game's last moves


class Picture(NamedTuple):
    """A position and what a search says of it."""

    board: Board
    statistics: RootStatistics | None  #: None: the game is over, there is nothing to search
    caption: str = ""


def picture_file(picture: Picture, layers: Sequence[str], kind: str) -> bytes:
    """The picture as `kind`, png or svg, with a panel for each layer."""
    with matplotlib.rc_context({**PARAMETERS, "font.size": 9}):
        canvas = draw_picture(picture, layers)
        out = io.BytesIO()
        none: dict[str, Any] = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
        canvas.savefig(out, format=kind, dpi=DPI, facecolor=PAPER, metadata=none)
    return out.getvalue()


def draw_picture(picture: Picture, layers: Sequence[str]) -> Canvas:
    """A figure with a panel for each of `layers`; UserError for a layer that does not exist."""
    unknown = [layer for layer in layers if layer not in LAYERS]
    if unknown or not layers:
        raise UserError(f"there is no layer {', '.join(unknown) or 'given'}: choose from {', '.join(LAYERS)}")
    canvas = Canvas(figsize=(PANEL_INCHES * len(layers), PANEL_INCHES + 0.5), layout="constrained")
    panels = canvas.subplots(1, len(layers), squeeze=False)[0]
    for axes, layer in zip(panels, layers, strict=True):
        _draw_board(axes, picture.board)
        if picture.statistics is not None:
            _draw_layer(axes, picture, layer)
        axes.set_title(TITLES[layer], loc="left", color=INK, fontsize="medium", fontweight="bold")
    canvas.suptitle(_headline(picture), x=0.01, ha="left", color=INK, fontsize="medium")
    return canvas


def _headline(picture: Picture) -> str:
    board, statistics = picture.board, picture.statistics
    parts = [describe(board.game), f"ply {board.ply}", board.line().rsplit(", ", 1)[1]]
    if statistics is not None:
        parts.append(f"value {statistics.value:+.2f} for {SIDE_NAMES[board.turn]}")
        if board.game.has_pass and statistics.visits[board.game.pass_move]:
            parts.append("pass forced")
    return ", ".join([*([picture.caption] if picture.caption else []), *parts])


def _draw_board(axes: Axes, board: Board) -> None:
    """Lines, coordinates, stones, move numbers."""
    size, is_othello = board.game.size, board.game.name == "othello"
    axes.set_aspect("equal")
    axes.set(xlim=(-0.6, size - 0.4), ylim=(size - 0.4, -0.6), xticks=range(size), yticks=range(size))
    axes.set_xticklabels([chr(ord("a") + column) for column in range(size)])
    axes.set_yticklabels([str(row_label(board.game, row)) for row in range(size)])
    axes.tick_params(length=0, colors=MUTED, labelsize="small")
    axes.spines[:].set_visible(False)
    axes.add_patch(Rectangle((-0.5, -0.5), size, size, facecolor=WOOD, edgecolor=LINE, zorder=0))
    places = np.arange(size + 1) - 0.5 if is_othello else np.arange(size)
    ends = (-0.5, size - 0.5) if is_othello else (0, size - 1)
    axes.hlines(places, *ends, color=LINE, linewidth=0.7, zorder=1)
    axes.vlines(places, *ends, color=LINE, linewidth=0.7, zorder=1)
    numbers = _move_numbers(board)
    for point in np.flatnonzero(board.stones.ravel() != EMPTY):
        _draw_stone(axes, board, int(point), numbers)
    for move in board.forbidden_moves():
        _write(axes, move, size, "!", (MARK, 12, 5))


def _move_numbers(board: Board) -> dict[int, int]:
    """By point: the number of the move that was played there, counted from 1, passes included."""
    first = board.ply - len(board.moves) + 1
    moves = list(enumerate(board.moves, first))[-SHOWN_MOVE_NUMBERS:]
    return {move: number for number, move in moves if move < board.game.num_points}


def _draw_stone(axes: Axes, board: Board, point: int, numbers: dict[int, int]) -> None:
    row, column = divmod(point, board.game.size)
    is_black = board.stones[row, column] == BLACK
    is_last = bool(board.moves) and board.moves[-1] == point
    fill, text = ("#22252a", "#ffffff") if is_black else ("#fdfdfb", "#22252a")
    edge, width = (MARK, 1.8) if is_last else ("#22252a", 0.8)
    axes.add_patch(Circle((column, row), 0.42, facecolor=fill, edgecolor=edge, linewidth=width, zorder=3))
    if point in numbers:
        _write(axes, point, board.game.size, str(numbers[point]), (text, 8.5, 4))


def _draw_layer(axes: Axes, picture: Picture, layer: str) -> None:
    """Colour the points and write the figures of the highest into them."""
    board, statistics = picture.board, picture.statistics
    assert statistics is not None
    num_points, size = board.game.num_points, board.game.size
    by_layer = {"prior": statistics.priors, "visits": statistics.visits, "q": statistics.values}
    values: NDArray[np.float64] = by_layer[layer][:num_points].astype(np.float64)
    is_shown = statistics.visits[:num_points] > 0 if layer != "prior" else values > 0
    shown = np.where(is_shown, values, np.nan).reshape(size, size)
    norm = TwoSlopeNorm(0.0, -1.0, 1.0) if layer == "q" else Normalize(0.0, max(float(values.max()), 1e-9))
    limits = axes.get_xlim(), axes.get_ylim()
    axes.imshow(shown, cmap=COLOR_MAPS[layer], norm=norm, alpha=0.85, zorder=2, interpolation="nearest")
    axes.set(xlim=limits[0], ylim=limits[1])
    for point in np.flatnonzero(is_shown):
        if layer == "prior" and values[point] < 0.01:
            continue
        text = {
            "prior": f"{100 * values[point]:.0f}",
            "visits": f"{values[point]:.0f}",
            "q": f"{values[point]:+.2f}",
        }
        is_dark = abs(float(norm(values[point])) - (0.5 if layer == "q" else 0.0)) > DARK[layer]
        _write(axes, int(point), size, text[layer], (PAPER if is_dark else INK, 7.5, 5))
    best = int(np.argmax(statistics.visits))
    if best < num_points:
        row, column = divmod(best, size)
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=MARK, zorder=6))


def _write(axes: Axes, point: int, size: int, text: str, style: tuple[str, float, int]) -> None:
    """A short text in the middle of a point; `style` is its colour, its size on small boards, its layer."""
    (color, font_size, zorder), (row, column) = style, divmod(point, size)
    font_size *= min(1.0, 9 / size)
    axes.text(column, row, text, ha="center", va="center", color=color, fontsize=font_size, zorder=zorder)


def move_caption(board: Board) -> str:
    """The last move in words: "12 black d3"; empty at the start."""
    if not board.moves:
        return ""
    before = board.copy()
    move = before.undo()
    return f"{board.ply} {SIDE_NAMES[before.turn]} {move_to_text(board.game, move)}"
