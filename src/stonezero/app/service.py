"""What all routes share: settings, models, engines, sessions, figures; and the way of a search."""

import asyncio
import json
import logging
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from starlette.concurrency import run_in_threadpool

from stonezero.app.engines import EnginePool
from stonezero.app.findings import line_findings, move_findings
from stonezero.app.metrics import Metrics
from stonezero.app.positions import check_searchable, game_wanted, read_position
from stonezero.app.problems import ProblemError
from stonezero.app.requests import SearchRequest
from stonezero.app.searching import Harvest, SearchOrder
from stonezero.app.sessions import Sessions
from stonezero.app.settings import ServeConfig
from stonezero.app.shelf import Model, Shelf
from stonezero.app.training_run import TrainingRun
from stonezero.games import Game, make_game
from stonezero.games.board import Board
from stonezero.players.batch_search import BatchSearch
from stonezero.players.evaluators import RolloutEvaluator
from stonezero.players.settings import SearchSettings

logger = logging.getLogger(__name__)


class Limits(NamedTuple):
    """Of one search: what the request says, or else the settings."""

    simulations: int | None
    seconds: float | None


class Searched(NamedTuple):
    """A search that is over."""

    board: Board
    model: Model
    found: Any  #: what its harvest gave
    seconds: float  #: from the request's arrival


class Service:
    """One service process."""

    def __init__(self, settings: ServeConfig, api_key: str = "") -> None:
        self.settings = settings
        self.api_key = api_key
        self.started = time.monotonic()
        self.metrics = Metrics()
        self.shelf = Shelf.load(settings)
        self.pool = EnginePool(settings, self.metrics)
        self.sessions = Sessions(settings.max_games)
        self.training = TrainingRun(Path(settings.run))
        self.num_pending = 0
        for model in self.shelf:
            logger.info("serving %s", json.dumps(model.facts() | {"game": _spec(model.home)}))

    async def search_request(self, request: SearchRequest, harvest: Harvest) -> Searched:
        """Read the request's position and search it."""
        model, board = await run_in_threadpool(self._read, request)
        limits = Limits(request.simulations, request.time_limit_seconds)
        return await self.search(model, board, limits, harvest)

    def _read(self, request: SearchRequest) -> tuple[Model, Board]:
        model = self.shelf.named(request.model)
        game = game_wanted(request.game, model)
        model.check_plays(game)
        board = read_position(request, game)
        check_searchable(board)
        return model, board

    async def search(self, model: Model, board: Board, limits: Limits, harvest: Harvest) -> Searched:
        """Search a board whose game is not over; the event loop stays free meanwhile.

        Raises ProblemError: 422 for impossible limits, 503 where too many requests wait or time runs out.
        """
        start = time.monotonic()
        order = SearchOrder(board.positions, self._simulations(limits), self._seconds(limits), harvest)
        if self.num_pending >= self.settings.max_pending:
            raise ProblemError(503, f"{self.num_pending} requests are waiting already: try again in a moment")
        self._count_pending(1)
        try:
            await run_in_threadpool(self.pool.submit, model, board.game, order)
            found = await asyncio.wait_for(asyncio.wrap_future(order.future), self.settings.response_seconds)
        except TimeoutError:
            raise ProblemError(
                503, f"no answer within {self.settings.response_seconds:g} s: try again in a moment"
            ) from None
        finally:
            self._count_pending(-1)
        return Searched(board, model, found, time.monotonic() - start)

    def _count_pending(self, change: int) -> None:
        self.num_pending += change
        self.metrics.pending.set(self.num_pending)

    def check_limits(self, limits: Limits) -> None:
        """Raise ProblemError (422) for limits beyond the settings."""
        self._simulations(limits)
        self._seconds(limits)

    def _simulations(self, limits: Limits) -> int:
        simulations, most = limits.simulations, self.settings.max_simulations
        if simulations is not None and simulations > most:
            raise ProblemError(422, f"simulations is {simulations}, but this service searches at most {most}")
        return self.settings.simulations if simulations is None else simulations

    def _seconds(self, limits: Limits) -> float:
        seconds, most = limits.seconds, self.settings.max_search_seconds
        if seconds is not None and seconds > most:
            raise ProblemError(
                422, f"time_limit_seconds is {seconds:g}, but this service searches at most {most:g} s"
            )
        return self.settings.search_seconds if seconds is None else seconds

    def model_facts(self, model: Model, game: Game) -> dict[str, Any]:
        """What every answer says of the model."""
        return model.facts() | {"game": game.spec()}

    def log_answer(self, kind: str, searched: Searched, answer: dict[str, Any]) -> None:
        """One line of JSON: the model, and with `request_log` the board and the answer."""
        line = {
            "answer": kind,
            "seconds": round(searched.seconds, 4),
            "model": self.model_facts(searched.model, searched.board.game),
        }
        if self.settings.request_log:
            line |= {"board": searched.board.line()} | answer
        logger.info("%s", json.dumps(line))

    async def warm_up(self) -> None:
        """Load the kernels and open the default model's engine, so that no request waits for that."""
        await run_in_threadpool(warm_kernels_up)
        model = self.shelf.named(None)
        game = model.home or make_game("gomoku", 15, 5)
        order = SearchOrder(Board(game).positions, 2, 60.0, move_findings)
        await run_in_threadpool(self.pool.submit, model, game, order)
        await asyncio.wrap_future(order.future)

    async def stop(self) -> None:
        """Finish what is under way."""
        if not await run_in_threadpool(self.pool.stop, self.settings.drain_seconds):
            logger.warning("some searches were cut off: they took longer than drain_seconds")


def warm_kernels_up() -> None:
    """Search a small board of each game: that loads or compiles all kernels before requests come."""
    for board in (Board("gomoku", 3, 3), Board("othello", 4)):
        board.play(board.legal_moves()[0])
        search = BatchSearch(board.game, RolloutEvaluator(board.game, 1), SearchSettings(1.0, 0.0), 1, 4)
        search.set_root(0, board.positions, 0, 0)
        search.set_budget(0, 4)
        search.run(np.zeros(1, np.int64))
        line_findings(search, 0, num_lines=1, length=2)


def _spec(game: Game | None) -> dict[str, Any] | None:
    return game.spec() if game else None


def random_number(seed: int | None) -> float:
    """A number in [0, 1): the same for the same seed."""
    return float(np.random.default_rng(seed).random())
