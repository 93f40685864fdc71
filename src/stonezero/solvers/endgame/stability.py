"""Discs that can never be turned again, and so a bound on the score."""

import numpy as np

from stonezero.games.othello_bits import STEPS
from stonezero.jit import kernel
from stonezero.lanes import Lanes, lane_kernel

LEFT = 0x0101_0101_0101_0101
RIGHT = LEFT << 7
ALL = 2**64 - 1
EDGES = 0xFF81_8181_8181_81FF


def columns(first: int, end: int) -> int:
    """The points of these columns."""
    return sum(LEFT << column for column in range(first, end))


GUARDS_UP = {
    step: np.array([columns(step, 8), ALL, columns(step, 8), columns(0, 8 - step)], np.uint64)
    for step in (1, 2, 4)
}
GUARDS_DOWN = {
    step: np.array([columns(0, 8 - step), ALL, columns(0, 8 - step), columns(step, 8)], np.uint64)
    for step in (1, 2, 4)
}
"""uint64[4] for 1, 2 and 4 steps: where a shift of the whole board may arrive without wrapping round."""

BORDERS = np.array([LEFT | RIGHT, 0xFF00_0000_0000_00FF, EDGES, EDGES], np.uint64)
"""uint64[4]: points that have no neighbour on at least one side, per lane."""


@lane_kernel
def endangered(empties: Lanes, stable: Lanes) -> Lanes:
    """Points on a line that has an empty square, with no firm neighbour on that line."""
    up = down = empties
    for step in (1, 2, 4):
        up = up | up << step * STEPS & GUARDS_UP[step]
        down = down | down >> step * STEPS & GUARDS_DOWN[step]
    firm = stable << STEPS & GUARDS_UP[1] | stable >> STEPS & GUARDS_DOWN[1] | BORDERS
    return (up | down) & ~firm


@kernel
def stable_discs(own: np.uint64, empties: np.uint64, playable: np.uint64) -> np.uint64:
    """Discs of `own` that no move can ever turn: not all such, but those found from the edges inwards."""
    stable = ~playable  # what lies outside the board is as firm as a stable disc
    while True:
        more = stable | own & ~endangered(empties, stable)
        if more == stable:
            return own & stable
        stable = more
