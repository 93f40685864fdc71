"""What gives a leaf its policy and value: a network or random rollouts."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, LegalMask, Rows
from stonezero.games.planes import plane_codes, write_planes
from stonezero.games.position import Positions
from stonezero.network.inference import Backend
from stonezero.players.keys import mixed


class Evaluator(Protocol):
    """Answers for a batch of positions; a row's answer depends on that row alone."""

    def evaluate(
        self, positions: Positions, rows: Rows, legal: LegalMask, keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Policy logits float32[B, A] and values float32[B] in [-1, 1] for the side to move.

        keys uint64[B] tell evaluations apart where randomness is wanted; they are distinct, not random.
        The arrays may be reused by the next call.
        """


class NetworkEvaluator:
    """Planes in, logits and value out, through an inference backend."""

    def __init__(self, game: Game, backend: Backend, planes: list[str], max_leaves: int) -> None:
        self._backend = backend
        self._codes = plane_codes(planes, game)
        self._planes = np.zeros((max_leaves, len(planes), game.num_points), np.float32)
        self._shape = (len(planes), game.size, game.size)

    def evaluate(
        self, positions: Positions, rows: Rows, legal: LegalMask, keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        planes = self._planes[: len(rows)]
        write_planes(positions, rows, legal, self._codes, planes)
        return self._backend.evaluate(planes.reshape(len(rows), *self._shape))


class RolloutEvaluator:
    """Uniform policy, and the result of one uniformly random game (pure Monte-Carlo tree search)."""

    def __init__(self, game: Game, max_leaves: int) -> None:
        self._game = game
        self._logits = np.zeros((max_leaves, game.num_actions), np.float32)
        self._values = np.zeros(max_leaves, np.float32)

    def evaluate(
        self, positions: Positions, rows: Rows, legal: LegalMask, keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        values = self._values[: len(rows)]
        self._game.rollout(positions, rows, mixed(keys), values)
        return self._logits[: len(rows)], values
