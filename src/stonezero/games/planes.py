"""Input planes for networks, by name, written for a batch of positions by one kernel."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.game import Game, LegalMask, Rows
from stonezero.games.position import BLACK, EMPTY, HISTORY, Positions
from stonezero.games.renju import OVERLINE, judge_black
from stonezero.jit import kernel

OWN_FRAME, OPPONENT_FRAME, FREE, OWN_RECENT, OPPONENT_RECENT = 0, 1, 2, 3, 4
ONES, BLACK_TO_MOVE, LEGAL, LAST_MOVE, CONSECUTIVE_PASSES, FORBIDDEN = 5, 6, 7, 8, 9, 10
AGES = 8  #: a plane's code is its kind times AGES plus its age in plies or stones
RECENT_STONES = range(1, HISTORY // 2 + 1)
FRAMES = range(1, HISTORY)

PLANES: dict[str, int] = {
    "own": OWN_FRAME * AGES,
    "opponent": OPPONENT_FRAME * AGES,
    "empty": FREE * AGES,
    "ones": ONES * AGES,
    "black_to_move": BLACK_TO_MOVE * AGES,
    "legal": LEGAL * AGES,
    "last_move": LAST_MOVE * AGES,
    "consecutive_passes": CONSECUTIVE_PASSES * AGES,
    "forbidden": FORBIDDEN * AGES,
    **{f"own_recent_{k}": OWN_RECENT * AGES + k for k in RECENT_STONES},
    **{f"opponent_recent_{k}": OPPONENT_RECENT * AGES + k for k in RECENT_STONES},
    **{f"own_frame_{k}": OWN_FRAME * AGES + k for k in FRAMES},
    **{f"opponent_frame_{k}": OPPONENT_FRAME * AGES + k for k in FRAMES},
}
"""Code of each plane. *own* is the side to move, *opponent* the other.

own, opponent, empty: 1 on such points. ones: 1 everywhere. black_to_move: 1 everywhere when Black is to
move. legal: 1 on legal points. last_move: 1 on the last move, nothing after a pass. consecutive_passes: that
number everywhere (games with passes). forbidden: 1 on points forbidden for Black (renju). own_recent_k: 1 on
the k-th last move of that side, nothing for a pass. own_frame_k: the stones of that side k plies ago (games
whose stones never change).
"""


def plane_codes(names: Iterable[str], game: Game) -> NDArray[np.int64]:
    """int64[C]: the codes of the planes called `names`, for `write_planes`.

    Raises
    ------
    UserError
        For no planes, an unknown name, or a plane that `game` cannot have.
    """
    names = list(names)
    if not names:
        raise UserError("a network needs at least one input plane")
    for name in names:
        if name not in PLANES:
            raise UserError(f"there is no input plane {name!r}: choose from {', '.join(PLANES)}")
        if not _has_plane(game, name):
            raise UserError(f"{game.name} has no input plane {name!r}")
    return np.array([PLANES[name] for name in names], np.int64)


def _has_plane(game: Game, name: str) -> bool:
    if name == "consecutive_passes":
        return game.has_pass
    if name == "forbidden":
        return game.spec()["rules"] == "renju"
    return "_frame_" not in name or game.name == "gomoku"


@kernel
def fill(out: NDArray[np.float32], b: int, c: int, value: float) -> None:
    """Set the whole plane out[b, c]."""
    for point in range(out.shape[2]):
        out[b, c, point] = value


@kernel
def mark_stones(
    stones: NDArray[np.int8], row: int, colour: int, out: NDArray[np.float32], b: int, c: int
) -> None:
    """Set out[b, c] to 1 where stones[row] is `colour`, else 0."""
    for point in range(out.shape[2]):
        out[b, c, point] = stones[row, point] == colour


@kernel
def mark_move(move: int, value: float, out: NDArray[np.float32], b: int, c: int) -> None:
    """Set out[b, c] to `value` on the point `move`; nothing for a pass or NO_MOVE."""
    if 0 <= move < out.shape[2]:
        out[b, c, move] = value


@kernel
def mark_forbidden_points(
    stones: NDArray[np.int8], row: int, out: NDArray[np.float32], b: int, c: int
) -> None:
    """Set out[b, c] to 1 on points forbidden for Black. `stones` is changed on the way and left as it was."""
    size = 1
    while size * size < out.shape[2]:
        size += 1
    for point in range(out.shape[2]):
        out[b, c, point] = 0.0
        if stones[row, point] == EMPTY:
            stones[row, point] = BLACK
            out[b, c, point] = judge_black(stones, row, point, size) >= OVERLINE
            stones[row, point] = EMPTY


@kernel
def write_plane(
    positions: Positions,
    row: int,
    legal: LegalMask,
    kind: int,
    age: int,
    out: NDArray[np.float32],
    b: int,
    c: int,
) -> None:
    """Write the plane out[b, c] of position `row`."""
    turn = np.int64(positions.turn[row])
    if kind <= FREE:
        colour = EMPTY if kind == FREE else (turn if kind == OWN_FRAME else 3 - turn)
        mark_stones(positions.stones, row, colour, out, b, c)
        for ply in range(age):
            mark_move(np.int64(positions.recent_moves[row, ply]), 0.0, out, b, c)
    elif kind == LEGAL:
        for point in range(out.shape[2]):
            out[b, c, point] = legal[b, point]
    elif kind == ONES:
        fill(out, b, c, 1.0)
    elif kind == BLACK_TO_MOVE:
        fill(out, b, c, 1.0 if turn == BLACK else 0.0)
    elif kind == CONSECUTIVE_PASSES:
        fill(out, b, c, float(positions.passes[row]))
    elif kind == FORBIDDEN:
        mark_forbidden_points(positions.stones, row, out, b, c)
    else:
        fill(out, b, c, 0.0)
        ply = 0 if kind == LAST_MOVE else 2 * age - (1 if kind == OWN_RECENT else 2)
        mark_move(np.int64(positions.recent_moves[row, ply]), 1.0, out, b, c)


@kernel
def write_planes(
    positions: Positions, rows: Rows, legal: LegalMask, codes: NDArray[np.int64], out: NDArray[np.float32]
) -> None:
    """Write the planes `codes` (int64[C]) of each position rows[b] into out (float32[B, C, S]).

    `legal` (uint8[B, A]) is the legal mask of the same rows, read only for the plane "legal".
    """
    for b in range(len(rows)):
        for c in range(len(codes)):
            write_plane(positions, rows[b], legal, codes[c] // AGES, codes[c] % AGES, out, b, c)
