"""Training samples: which rows of the window a step sees, and the arrays made of them.

Everything is a function of (seed, step): nothing has to be saved for a run to resume bit-exactly.
Axis letters: P positions of the window, B rows of a batch, C planes, A actions, H, W, S points.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games import Game
from stonezero.games.planes import plane_codes, write_planes
from stonezero.games.symmetry import NUM_SYMMETRIES, symmetry_tables
from stonezero.records.kernels import gather_positions, write_policy_targets
from stonezero.replay.loading import Window


class Batch(NamedTuple):
    """One batch as arrays."""

    planes: NDArray[np.float32]  #: float32[B, C, H, W]
    legal: NDArray[np.uint8]  #: uint8[B, A]
    policy: NDArray[np.float32]  #: float32[B, A]: shares of the visits; sums to 1
    has_policy: NDArray[np.float32]  #: float32[B]: 1 where the policy is a target, else 0
    outcome: NDArray[np.int64]  #: int64[B]: 1 won, 0 drawn, -1 lost by the side to move


class Sampler:
    """Draws the rows and symmetries of each step.

    Rows come in proportion to their weight: the summed weights are cut into B equal strata and one row is
    drawn from each, so that a batch is spread over the whole window and seldom holds two rows of a game.
    """

    def __init__(
        self, weight: NDArray[np.float32], batch_size: int, seed: Sequence[int], symmetry: str
    ) -> None:
        self._cumulative = np.cumsum(weight, dtype=np.float64)
        self._batch_size = batch_size
        self._seed = list(seed)
        self._symmetry = symmetry

    def draw(self, step: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows int64[B] and symmetries int64[B] of a step; rows of weight 0 are never drawn."""
        rng = np.random.default_rng([*self._seed, step])
        total = self._cumulative[-1]
        targets = (np.arange(self._batch_size) + rng.random(self._batch_size)) * (total / self._batch_size)
        targets = np.minimum(targets, np.nextafter(total, 0.0))
        rows = np.searchsorted(self._cumulative, targets, side="right")
        if self._symmetry == "none":
            return rows, np.zeros(self._batch_size, np.int64)
        return rows, rng.integers(NUM_SYMMETRIES, size=self._batch_size)


class BatchMaker:
    """Makes batches out of rows of a window."""

    def __init__(self, game: Game, window: Window, planes: Sequence[str]) -> None:
        self._game = game
        self._window = window
        self._positions = window.table.positions()
        self._codes = plane_codes(planes, game)
        self._tables = symmetry_tables(game.size)

    def make(self, rows: NDArray[np.int64], symmetries: NDArray[np.int64]) -> Batch:
        """The batch of these rows (int64[B]), each turned by its symmetry (int64[B], 0 to 7)."""
        game, table, num_rows = self._game, self._window.table, len(rows)
        positions = game.new_positions(num_rows)
        gather_positions(self._positions, rows, symmetries, self._tables, positions)
        legal = np.empty((num_rows, game.num_actions), np.uint8)
        places = np.arange(num_rows)
        game.legal_moves(positions, places, legal)
        planes = np.empty((num_rows, len(self._codes), game.num_points), np.float32)
        write_planes(positions, places, legal, self._codes, planes)
        policy = np.empty((num_rows, game.num_actions), np.float32)
        visits = (table.visit_moves, table.visit_counts, table.visit_offsets)
        write_policy_targets(*visits, rows, symmetries, self._tables, policy)
        return Batch(
            planes=planes.reshape(num_rows, len(self._codes), game.size, game.size),
            legal=legal,
            policy=policy,
            has_policy=self._window.is_policy_target[rows].astype(np.float32),
            outcome=table.outcome[rows].astype(np.int64),
        )
