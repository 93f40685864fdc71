"""Training samples: which rows of the window a step sees, and the arrays made of them.

Everything is a function of (seed, step): nothing has to be saved for a run to resume bit-exactly.
Axis letters: P positions of the window, B rows of a batch, C planes, A actions, H, W, S points.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games import Game
from stonezero.games.planes import plane_codes, write_planes
from stonezero.games.symmetry import INVERSE, NUM_SYMMETRIES, symmetry_tables
from stonezero.records.kernels import gather_positions, write_policy_targets
from stonezero.replay.loading import Window


class Batch(NamedTuple):
    """One batch, as NumPy arrays or, for a step, as torch tensors."""

    planes: Any  #: float32[B, C, H, W]
    legal: Any  #: uint8[B, A], bool as a tensor
    policy: Any  #: float32[B, A]: shares of the visits; sums to 1
    has_policy: Any  #: float32[B]: 1 where the policy is a target, else 0
    outcome: Any  #: int64[B]: 1 won, 0 drawn, -1 lost by the side to move
    value: Any  #: the value target: the outcome, or float32[B, 3]: shares of win, draw and loss
    ownership: Any = None  #: float32[B, S]: at the game's end 1 on own stones, -1 on the opponent's
    has_end: Any = None  #: float32[B]: 1 where that end was played, 0 where the game was broken off
    reply: Any = None  #: int64[B]: the opponent's next move, -1 where there is none


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
        """Rows int64[B] and symmetries int64[B] of a step; rows of weight 0 are never drawn.

        With `all8` there are B / 8 rows, each in its 8 symmetries.
        """
        rng = np.random.default_rng([*self._seed, step])
        num_draws = self._batch_size // (NUM_SYMMETRIES if self._symmetry == "all8" else 1)
        total = self._cumulative[-1]
        targets = (np.arange(num_draws) + rng.random(num_draws)) * (total / num_draws)
        targets = np.minimum(targets, np.nextafter(total, 0.0))
        rows = np.searchsorted(self._cumulative, targets, side="right")
        if self._symmetry == "none":
            return rows, np.zeros(num_draws, np.int64)
        if self._symmetry == "all8":
            return np.repeat(rows, NUM_SYMMETRIES), np.tile(np.arange(NUM_SYMMETRIES), num_draws)
        return rows, rng.integers(NUM_SYMMETRIES, size=num_draws)


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
        outcome = table.outcome[rows].astype(np.int64)
        soft = self._window.value_target
        batch = Batch(
            planes=planes.reshape(num_rows, len(self._codes), game.size, game.size),
            legal=legal,
            policy=policy,
            has_policy=self._window.is_policy_target[rows].astype(np.float32),
            outcome=outcome,
            value=outcome if soft is None else soft[rows],
        )
        outlook = self._window.outlook
        if outlook is None:
            return batch
        turn = table.turn[rows][:, None]
        final = np.take_along_axis(outlook.final_stones[rows], self._tables[INVERSE[symmetries]], axis=1)
        moves = outlook.reply[rows].astype(np.int64)
        on_board = (moves >= 0) & (moves < game.num_points)
        moves[on_board] = self._tables[symmetries[on_board], moves[on_board]]
        return batch._replace(
            ownership=np.where(final == 0, 0, np.where(final == turn, 1, -1)).astype(np.float32),
            has_end=outlook.has_end[rows].astype(np.float32),
            reply=moves,
        )
