"""Engines: the search threads of one model on one board, opened at need and kept while they are used."""

import logging
import threading
from collections import OrderedDict

from stonezero.app.metrics import Metrics
from stonezero.app.problems import ProblemError
from stonezero.app.searching import SearchOrder, SearchThread
from stonezero.app.settings import ServeConfig
from stonezero.app.shelf import Model
from stonezero.games import Game
from stonezero.games.notation import describe
from stonezero.network.inference import PreparedNetwork
from stonezero.players.batch_search import BatchSearch
from stonezero.players.calibration import prepare_for
from stonezero.players.evaluators import Evaluator, NetworkEvaluator, RolloutEvaluator
from stonezero.players.players import ROLLOUT_SETTINGS
from stonezero.players.settings import SearchSettings

logger = logging.getLogger(__name__)


class Engine:
    """Search threads for one model and game; an order goes to the one with the least to do."""

    def __init__(self, model: Model, game: Game, settings: ServeConfig, metrics: Metrics) -> None:
        self.name = f"{model.name} at {describe(game)}"
        network = None
        if model.checkpoint is not None:
            network = prepare_for(game, model.checkpoint, settings.inference)
        search = SearchSettings(settings.c_puct, settings.fpu_reduction) if network else ROLLOUT_SETTINGS
        self._threads = []
        for number in range(settings.search_threads):
            evaluator = _evaluator(model, game, network, settings.slots)
            batch = BatchSearch(game, evaluator, search, settings.slots, settings.max_simulations)
            thread = SearchThread(f"{self.name}, thread {number}", batch, settings.slots, metrics)
            thread.start()
            self._threads.append(thread)
        logger.info("opened %s", self.name)

    @property
    def load(self) -> int:
        return sum(thread.load for thread in self._threads)

    def submit(self, order: SearchOrder) -> None:
        """Queue an order with the thread that has the fewest. Never waits."""
        min(self._threads, key=lambda thread: thread.load).submit(order)

    def stop(self) -> None:
        """Let the threads end once their orders are done. Never waits."""
        for thread in self._threads:
            thread.stop()

    def join(self, seconds: float) -> bool:
        """Wait up to `seconds` for each thread's end; whether all have ended."""
        for thread in self._threads:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)


def _evaluator(model: Model, game: Game, network: PreparedNetwork | None, num_slots: int) -> Evaluator:
    if network is None or model.checkpoint is None:
        return RolloutEvaluator(game, num_slots)
    return NetworkEvaluator(game, network.open(), list(model.checkpoint.network.planes), num_slots)


class EnginePool:
    """At most `max_engines` open engines; the one unused for longest makes room for a new one."""

    def __init__(self, settings: ServeConfig, metrics: Metrics) -> None:
        self._settings = settings
        self._metrics = metrics
        self._engines: OrderedDict[tuple[str, Game], Engine] = OrderedDict()
        self._lock = threading.Lock()  # of the table; held for moments
        self._opening = threading.Lock()  # one engine is opened at a time

    def submit(self, model: Model, game: Game, order: SearchOrder) -> None:
        """Hand an order to its engine, opening it first where need be (which takes a second or so).

        Raises ProblemError: 422 where the model cannot play the game, 503 where no engine can be spared.
        """
        model.check_plays(game)
        key = (model.name, game)
        if self._submit_to_open(key, order):
            return
        with self._opening:
            if self._submit_to_open(key, order):
                return
            self._make_room()
            engine = Engine(model, game, self._settings, self._metrics)
            with self._lock:
                self._engines[key] = engine
                engine.submit(order)

    def _submit_to_open(self, key: tuple[str, Game], order: SearchOrder) -> bool:
        with self._lock:
            engine = self._engines.get(key)
            if engine is None:
                return False
            self._engines.move_to_end(key)
            engine.submit(order)
            return True

    def _make_room(self) -> None:
        with self._lock:
            while len(self._engines) >= self._settings.max_engines:
                idle = next((key for key, engine in self._engines.items() if engine.load == 0), None)
                if idle is None:
                    raise ProblemError(503, "all engines are busy with other games: try again in a moment")
                engine = self._engines.pop(idle)
                engine.stop()
                logger.info("closed %s", engine.name)

    def stop(self, seconds: float) -> bool:
        """Finish what is under way, up to `seconds` a thread; whether all threads have ended."""
        with self._lock:
            engines = list(self._engines.values())
            self._engines.clear()
        for engine in engines:
            engine.stop()
        ended = [engine.join(seconds) for engine in engines]
        return all(ended)
