"""Which legal moves of Gomoku are worth an edge in a search tree: near the stones, likely, or decisive.

    a point is a candidate when it is legal and
      within `radius` of a stone (the greater of both distances), and
      among the `max_children` of those with the highest logits;
    or when a stone of either side there wins at once: winning and saving moves are never hidden.

Both limits are off before `free_plies`. Before `centre_ban_plies` the centre (one point, or four) is none,
decisive or not. Where nothing would be left, all legal moves are candidates.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, LegalMask, Rows
from stonezero.games.gomoku import RULE_CODES, Gomoku, GomokuRules, status_after
from stonezero.games.position import EMPTY, Positions
from stonezero.jit import kernel

CHOSEN = 2


class CandidateLimits(NamedTuple):
    """Numbers as in conf/search and conf/selfplay; 0 is no limit."""

    radius: int = 0
    max_children: int = 0
    free_plies: int = 0
    centre_ban_plies: int = 0

    @property
    def is_on(self) -> bool:
        """Whether any move can be left out."""
        return self.radius > 0 or self.max_children > 0 or self.centre_ban_plies > 0


def rules_of(game: Game) -> GomokuRules:
    """The rules for `mark_candidates`; the game is Gomoku."""
    assert isinstance(game, Gomoku)
    return GomokuRules(game.size, game.k, RULE_CODES[game.rules])


@kernel
def mark_candidates(
    positions: Positions,
    rules: GomokuRules,
    limits: CandidateLimits,
    rows: Rows,
    legal: LegalMask,
    logits: NDArray[np.float32],
    candidates: LegalMask,
) -> None:
    """Write candidates[b] (uint8[B, A]) of row rows[b], given its legal[b] and logits[b] (float32[B, A])."""
    for b in range(len(rows)):
        row = rows[b]
        ply = positions.ply[row]
        candidates[b, :] = legal[b]
        if ply >= limits.free_plies and (limits.radius > 0 or limits.max_children > 0):
            if limits.radius > 0 and ply > 0:
                keep_near_stones(positions.stones, row, limits.radius, rules.size, candidates, b)
            if limits.max_children > 0:
                keep_likely(logits, limits.max_children, candidates, b)
            add_decisive(positions.stones, row, rules, legal, candidates, b)
        if ply < limits.centre_ban_plies:
            leave_centre_out(rules.size, candidates, b)
        if not candidates[b].any():
            candidates[b, :] = legal[b]


@kernel
def keep_near_stones(
    stones: NDArray[np.int8], row: int, radius: int, size: int, candidates: LegalMask, b: int
) -> None:
    """Drop candidates that have no stone within `radius`."""
    for point in range(stones.shape[1]):
        if candidates[b, point]:
            y, x = point // size, point % size
            is_near = False
            for i in range(max(y - radius, 0), min(y + radius + 1, size)):
                for j in range(max(x - radius, 0), min(x + radius + 1, size)):
                    is_near |= stones[row, i * size + j] != EMPTY
            candidates[b, point] = is_near


@kernel
def keep_likely(logits: NDArray[np.float32], most: int, candidates: LegalMask, b: int) -> None:
    """Keep the `most` candidates with the highest logits, of equals the first."""
    for _ in range(most):
        best = -1
        for move in range(candidates.shape[1]):
            if candidates[b, move] == 1 and (best == -1 or logits[b, move] > logits[b, best]):
                best = move
        if best == -1:
            break
        candidates[b, best] = CHOSEN
    for move in range(candidates.shape[1]):
        candidates[b, move] = candidates[b, move] == CHOSEN


@kernel
def add_decisive(
    stones: NDArray[np.int8], row: int, rules: GomokuRules, legal: LegalMask, candidates: LegalMask, b: int
) -> None:
    """Add the legal points on which a stone of either side wins at once."""
    for point in range(stones.shape[1]):
        if legal[b, point] and not candidates[b, point]:
            for colour in range(1, 3):
                stones[row, point] = colour
                if status_after(stones, row, point, rules) == colour:
                    candidates[b, point] = 1
            stones[row, point] = EMPTY


@kernel
def leave_centre_out(size: int, candidates: LegalMask, b: int) -> None:
    """Drop the one centre point of an odd board, the four of an even one."""
    for y in range((size - 1) // 2, size // 2 + 1):
        for x in range((size - 1) // 2, size // 2 + 1):
            candidates[b, y * size + x] = 0
