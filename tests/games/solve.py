"""Exact values of small boards: all positions layer by layer with the kernels, then backwards."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stonezero.games import BLACK, BLACK_WON, ONGOING, WHITE, WHITE_WON, Game, Positions
from tests.games.common import distinct, successors, turned_alike

Score = Callable[[Positions], NDArray[np.int64]]


def black_wins(positions: Positions) -> NDArray[np.int64]:
    """1 where Black has won, -1 where White has, else 0 (draws and games cut off)."""
    return (positions.status == BLACK_WON).astype(np.int64) - (positions.status == WHITE_WON)


def disc_difference(positions: Positions) -> NDArray[np.int64]:
    """Black's discs less White's."""
    return np.count_nonzero(positions.stones == BLACK, axis=1) - np.count_nonzero(
        positions.stones == WHITE, axis=1
    )


def difference_with_empties(positions: Positions) -> NDArray[np.int64]:
    """Black's discs less White's, the empty points given to the winner."""
    difference = disc_difference(positions)
    return difference + np.sign(difference) * np.count_nonzero(positions.stones == 0, axis=1)


def solve(game: Game, start: Positions, score: Score, max_plies: int = 400) -> tuple[int, int]:
    """The value of a start position for Black, and how many positions (merged by symmetry) were met.

    Positions still ongoing after `max_plies` are worth what `score` says of them.
    """
    layer, layers = start, []
    while (layer.status == ONGOING).any() and len(layers) < max_plies:
        children, parents, _ = successors(game, layer)
        following, of_child = distinct(turned_alike(game, children))
        layers.append((layer, parents, of_child))
        layer = following
    values, num_positions = score(layer), len(layer.turn)
    for layer, parents, of_child in reversed(layers):
        best = np.where(layer.turn == BLACK, -1000, 1000)
        for side, choose in ((BLACK, np.maximum), (WHITE, np.minimum)):
            moved = layer.turn[parents] == side
            choose.at(best, parents[moved], values[of_child[moved]])
        values = np.where(layer.status == ONGOING, best, score(layer))
        num_positions += len(layer.turn)
    return int(values[0]), num_positions
