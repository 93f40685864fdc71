"""Noisy games of Gomoku in which test positions are looked for: each side extends and blocks, more or less.

A move's weight grows with the stones in the windows through it that only one side has stones in. Games lie
around a focus, anywhere on the board, so that edges and corners are played on as well, and each is looked at
from some move on, drawn by lot.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.gomoku import Gomoku
from stonezero.games.position import BLACK, EMPTY, NO_MOVE, ONGOING, WHITE, Positions, copy_rows
from stonezero.solvers.threats.windows import window_tables
from stonezero.tactics.case import Case, distance_to_edge

NUM_GAMES = 128  #: played at once
LEAST_FOCUS, MOST_FOCUS = 0.5, 1.2  #: how sharply a game's moves follow their weights
RING = (2, 3)  #: distances from the centre
RING_PLIES = range(8, 15)
FAR = -7.0  #: logit of points out of the way
EDGE_DEPTH = 3  #: lines of the edge that are played on after a ring


class Ply(NamedTuple):
    """All games of a batch after the same number of moves, before the next one."""

    positions: Positions
    moves: NDArray[np.int16]  #: int16[G, plies] so far
    seen: NDArray[np.int64]  #: rows of games that go on and have begun to be looked at
    most_own: NDArray[np.int64]  #: int64[G]: stones of the side to move in its fullest window
    most_other: NDArray[np.int64]  #: int64[G]: likewise of the other side

    def case(self, game: Gomoku, row: int) -> Case:
        """One of the positions."""
        return Case(game, copy_rows(self.positions, np.array([row])), self.moves[row].tolist())


class NoisyGames:
    """Plays batches of games without end, out of one stream of random numbers."""

    def __init__(self, game: Gomoku, rng: np.random.Generator, has_ring: bool = False) -> None:
        """With `has_ring` the first moves lie on a ring round the centre, the later ones along an edge."""
        self.game = game
        self._rng = rng
        self._has_ring = has_ring
        self._points = window_tables(game.size, game.k)[0]
        self._incidence = np.zeros((len(self._points), game.num_points))
        np.put_along_axis(self._incidence, self._points.astype(np.int64), 1, axis=1)

    def batch(self) -> Iterator[Ply]:
        """NUM_GAMES games from the first move to the last."""
        game, rng = self.game, self._rng
        positions = game.new_positions(NUM_GAMES)
        moves = np.full((NUM_GAMES, game.num_points), NO_MOVE, np.int16)
        masks = np.zeros((NUM_GAMES, game.num_actions), np.uint8)
        sharpness = rng.uniform(LEAST_FOCUS, MOST_FOCUS, (NUM_GAMES, 1))
        early, late = self._regions()
        first_seen = rng.integers(game.num_points // 6, size=NUM_GAMES)
        ring_plies = rng.choice(RING_PLIES, NUM_GAMES) if self._has_ring else np.zeros(NUM_GAMES)
        for ply in range(game.num_points):
            live = np.flatnonzero(positions.status == ONGOING)
            if not len(live):
                return
            weights, most_own, most_other = self._weights(positions)
            yield Ply(positions, moves[:, :ply], live[first_seen[live] <= ply], most_own, most_other)
            is_early = (ply < ring_plies)[:, None]
            drawn = np.where(is_early, early, sharpness * np.log(weights) + late)
            logits = drawn + rng.gumbel(size=weights.shape)
            logits[positions.stones != EMPTY] = -np.inf
            chosen = logits.argmax(axis=1).astype(np.int16)
            moves[live, ply] = chosen[live]
            game.play(positions, live, chosen[live], live, masks[: len(live)])

    def _weights(
        self, positions: Positions
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Weights float64[G, S] of all points, and the fullest windows of both sides as in `Ply`."""
        turn = int(positions.turn[positions.status == ONGOING][0])
        in_windows = positions.stones[:, self._points]
        own, other = ((in_windows == side).sum(axis=2) for side in (turn, BLACK + WHITE - turn))
        own, other = own * (other == 0), other * (own == 0)
        values = np.where(own + other > 0, 4.0 ** (own + other), 0)
        return values @ self._incidence + 0.5, own.max(axis=1), other.max(axis=1)

    def _regions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Logits float64[G, S] of each game's points before and after its ring."""
        size, rng = self.game.size, self._rng
        y, x = np.divmod(np.arange(size * size), size)
        if not self._has_ring:
            focus = rng.integers(size, size=(NUM_GAMES, 2))
            late = -3.0 * np.maximum(np.abs(y - focus[:, :1]), np.abs(x - focus[:, 1:])) / size
            return late, late
        edges = np.stack([y, x, size - 1 - y, size - 1 - x])[rng.integers(4, size=NUM_GAMES)]
        ring = [is_on_ring(size, point) for point in range(size * size)]
        early = np.broadcast_to(np.where(ring, 0.0, FAR), edges.shape)
        return early, np.where(edges < EDGE_DEPTH, 0.0, FAR)


def is_on_ring(size: int, point: int) -> bool:
    """Whether a point lies on the ring round the centre."""
    return (size - 1) // 2 - distance_to_edge(size, point) in RING


def ring_stones(case: Case) -> int:
    """How many stones lie on the ring round the centre."""
    return sum(is_on_ring(case.game.size, int(point)) for point in np.flatnonzero(case.stones))
