"""Search threads: requests for one model and board share the waves of a `BatchSearch`.

A thread owns its search and its network session. It takes waiting orders into free slots, runs one wave for
all of them, hands over those that are done or out of time, and begins again:

    submit → queue → slot → wave, wave, … → harvest → future
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stonezero.app.metrics import Metrics
from stonezero.games import Positions
from stonezero.players.batch_search import BatchSearch

logger = logging.getLogger(__name__)

Harvest = Callable[[BatchSearch, int], Any]


@dataclass
class SearchOrder:
    """One position to be searched."""

    positions: Positions  #: row 0 is the position, whose game is not over
    simulations: int
    seconds: float  #: longest search, from its first wave on; at least one wave is run
    harvest: Harvest  #: called with the search and the slot when it is over; gives the future its result
    key: int = 0  #: of the randomness of rollouts
    future: Future[Any] = field(default_factory=Future)


@dataclass
class _Running:
    order: SearchOrder
    deadline: float  #: of time.monotonic


class SearchThread(threading.Thread):
    """Searches what is submitted until it is stopped; then finishes what is under way."""

    def __init__(self, name: str, search: BatchSearch, num_slots: int, metrics: Metrics) -> None:
        super().__init__(name=name, daemon=True)
        self._search = search
        self._metrics = metrics
        self._waiting: queue.SimpleQueue[SearchOrder | None] = queue.SimpleQueue()
        self._free = list(
            range(num_slots - 1, -1, -1)
        )  # low slots first: memory of the others stays untouched
        self._running: dict[int, _Running] = {}
        self._is_stopping = False
        self._lock = threading.Lock()
        self._load = 0

    @property
    def load(self) -> int:
        """Orders submitted and not yet over."""
        return self._load

    def submit(self, order: SearchOrder) -> None:
        """Queue an order; its future gets the result of its harvest. Never waits."""
        with self._lock:
            self._load += 1
        self._waiting.put(order)

    def stop(self) -> None:
        """Let the thread end when all orders so far are done. Never waits."""
        self._waiting.put(None)

    def run(self) -> None:
        while self._admit():
            slots = np.array(sorted(self._running), np.int64)
            try:
                self._search.wave(slots)
            except Exception as error:
                logger.exception("a wave of %s failed", self.name)
                for slot in slots:
                    self._end(int(slot), error)
                continue
            self._metrics.wave_size.observe(len(slots))
            self._hand_over(slots)

    def _admit(self) -> bool:
        """Put waiting orders into free slots, waiting for one where none runs; False at the end."""
        while self._free and not (self._is_stopping and not self._running):
            try:
                order = self._waiting.get(block=not self._running and not self._is_stopping)
            except queue.Empty:
                break
            if order is None:
                self._is_stopping = True
            elif order.future.cancelled():
                self._lower_load()
            else:
                self._begin(order)
        return bool(self._running)

    def _begin(self, order: SearchOrder) -> None:
        slot = self._free.pop()
        self._running[slot] = _Running(order, time.monotonic() + order.seconds)
        self._search.set_root(slot, order.positions, 0, order.key)
        self._search.set_budget(slot, order.simulations)

    def _hand_over(self, slots: np.ndarray) -> None:
        idle = {int(slot) for slot in self._search.idle(slots)}
        now = time.monotonic()
        for slot, running in list(self._running.items()):
            if slot in idle or now >= running.deadline or running.order.future.cancelled():
                self._end(slot)

    def _end(self, slot: int, error: BaseException | None = None) -> None:
        """Free a slot and give its order's future the harvest, or `error`."""
        future = self._running[slot].order.future
        if future.set_running_or_notify_cancel():
            try:
                if error is not None:
                    raise error
                future.set_result(self._running[slot].order.harvest(self._search, slot))
            except Exception as failure:
                future.set_exception(failure)
        del self._running[slot]
        self._free.append(slot)
        self._lower_load()

    def _lower_load(self) -> None:
        with self._lock:
            self._load -= 1
