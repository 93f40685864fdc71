"""What gives a leaf its policy and value: a network or random rollouts."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import SearchConfig
from stonezero.games.game import Game, LegalMask, Rows
from stonezero.games.planes import plane_codes, write_planes
from stonezero.games.position import DRAW, ONGOING, Positions, copy_rows
from stonezero.games.symmetry import NUM_SYMMETRIES
from stonezero.network.inference import Backend
from stonezero.players.cache import Evaluation, EvaluationCache
from stonezero.players.keys import mixed
from stonezero.players.random_play import play_randomly
from stonezero.players.symmetric import ask_mean, ask_under, symmetries_of
from stonezero.search.schedules import PlySchedule, schedule_of


class Evaluator(Protocol):
    """Answers for a batch of positions; a row's answer depends on that row alone."""

    def evaluate(
        self, positions: Positions, rows: Rows, legal: LegalMask, keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Policy logits float32[B, A] and values float32[B] in [-1, 1] for the side to move.

        keys uint64[B] tell evaluations apart where randomness is wanted; they are distinct, not random.
        The arrays may be reused by the next call.
        """


class EvaluationSettings(NamedTuple):
    """How leaves are evaluated; meaning and numbers as in conf/search."""

    evaluator: str = "network"
    rollout_plies: int = 0
    symmetry: str = "none"
    cache_size: int = 0
    value_clip: float = 1.0
    prior_temperature: PlySchedule | None = None  #: None is 1 throughout

    @property
    def cost(self) -> int:
        """Network evaluations that one leaf takes, or would take without a cache."""
        return NUM_SYMMETRIES if self.symmetry == "mean" else 1


PLAIN_EVALUATION = EvaluationSettings()


def evaluation_settings(search: SearchConfig) -> EvaluationSettings:
    """The part of conf/search that is about evaluations."""
    points = [(point.start, point.value) for point in search.prior_temperature]
    return EvaluationSettings(
        evaluator=search.evaluator,
        rollout_plies=search.rollout_plies,
        symmetry=search.symmetric_evaluation,
        cache_size=search.cache_size,
        value_clip=search.value_clip,
        prior_temperature=schedule_of(points) if points else None,
    )


def make_evaluator(
    game: Game,
    open_backend: Callable[[], Backend],
    planes: list[str],
    settings: EvaluationSettings,
    max_leaves: int,
) -> "NetworkEvaluator | RolloutEvaluator | CutRolloutEvaluator":
    """The evaluator that the settings ask for; the net is opened only where it is asked anything."""
    if settings.evaluator == "rollouts" and settings.rollout_plies == 0:
        return RolloutEvaluator(game, max_leaves)
    network = NetworkEvaluator(game, open_backend(), planes, max_leaves, settings)
    if settings.evaluator == "rollouts":
        return CutRolloutEvaluator(game, network, settings.rollout_plies, max_leaves)
    return network


class NetworkEvaluator:
    """Planes in, logits and value out, through an inference backend."""

    def __init__(
        self,
        game: Game,
        backend: Backend,
        planes: list[str],
        max_leaves: int,
        settings: EvaluationSettings = PLAIN_EVALUATION,
    ) -> None:
        self._backend = backend
        self._settings = settings
        self._cache = EvaluationCache(backend.evaluate, settings.cache_size) if settings.cache_size else None
        self._codes = plane_codes(planes, game)
        self._planes = np.zeros((max_leaves, len(planes), game.num_points), np.float32)
        self._shape = (len(planes), game.size, game.size)

    @property
    def num_cache_hits(self) -> int:
        """Rows that the cache answered so far."""
        return 0 if self._cache is None else self._cache.num_hits

    def evaluate(
        self, positions: Positions, rows: Rows, legal: LegalMask, keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `Evaluator.evaluate`."""
        planes = self._planes[: len(rows)]
        write_planes(positions, rows, legal, self._codes, planes)
        logits, values = self._answer(planes.reshape(len(rows), *self._shape), legal, keys)
        clip, temperature = self._settings.value_clip, self._settings.prior_temperature
        if clip < 1:
            values = np.clip(values, -clip, clip)
        if temperature is not None:
            by_row = np.array([temperature.at(ply) for ply in positions.ply[rows]], np.float32)
            logits = logits / by_row[:, None]
        return logits, values

    def _answer(self, planes: NDArray[np.float32], legal: LegalMask, keys: NDArray[np.uint64]) -> Evaluation:
        ask = self._backend.evaluate if self._cache is None else self._cache.evaluate
        if self._settings.symmetry == "random":
            return ask_under(symmetries_of(keys), ask, planes)
        if self._settings.symmetry == "mean":
            return ask_mean(ask, planes, legal)
        return ask(planes)


class RolloutEvaluator:
    """Uniform policy, and the result of one uniformly random game (pure Monte-Carlo tree search)."""

    num_cache_hits = 0

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


class CutRolloutEvaluator:
    """Uniform policy; the value of a random game, by its result or, when cut after `plies`, by the net."""

    def __init__(self, game: Game, judge: NetworkEvaluator, plies: int, max_leaves: int) -> None:
        self._game = game
        self._judge = judge
        self._plies = plies
        self._logits = np.zeros((max_leaves, game.num_actions), np.float32)

    @property
    def num_cache_hits(self) -> int:
        """Rows that the cache answered so far."""
        return self._judge.num_cache_hits

    def evaluate(
        self, positions: Positions, rows: Rows, legal: LegalMask, keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `Evaluator.evaluate`."""
        turn = positions.turn[rows]
        played, played_legal = copy_rows(positions, rows), legal.copy()
        play_randomly(self._game, played, played_legal, keys, self._plies)
        sign = np.where(played.turn == turn, 1.0, -1.0)
        winner = np.where(played.status == DRAW, 0.0, np.where(played.status == turn, 1.0, -1.0))
        open_rows = np.flatnonzero(played.status == ONGOING)
        values = np.where(played.status == ONGOING, 0.0, winner).astype(np.float32)
        if len(open_rows):
            asked = np.ascontiguousarray(played_legal[open_rows])
            _, judged = self._judge.evaluate(played, open_rows, asked, keys[open_rows])
            values[open_rows] = sign[open_rows] * judged
        return self._logits[: len(rows)], values
