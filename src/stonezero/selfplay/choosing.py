"""What a finished search leads to in self-play: the move played and the policy target recorded."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import SelfplayConfig
from stonezero.players.batch_search import BatchSearch
from stonezero.players.settings import SearchSettings
from stonezero.search.gumbel import gumbel_move, improved_policy
from stonezero.search.root import choose_move
from stonezero.search.schedules import PlySchedule, schedule_of, two_values
from stonezero.search.targets import prune_forced, tempered_target, weights_of
from stonezero.selfplay.live import LiveGame


class Choice(NamedTuple):
    """A move, and the policy target before normalising."""

    move: int
    target_moves: NDArray[np.int16]  #: int16[V], rising
    target_counts: NDArray[np.int32]  #: int32[V], > 0


def temperature_schedule(selfplay: SelfplayConfig) -> PlySchedule:
    """The move temperature by plies after the opening."""
    shape = selfplay.temperature_shape
    if selfplay.temperature_points:
        return schedule_of([(point.start, point.value) for point in selfplay.temperature_points], shape)
    return two_values(selfplay.temperature, selfplay.temperature_plies, selfplay.final_temperature, shape)


class Chooser:
    """Makes choices out of the searches of a batch."""

    def __init__(self, search: BatchSearch, settings: SearchSettings, selfplay: SelfplayConfig) -> None:
        self._search = search
        self._settings = settings
        self._selfplay = selfplay
        self._schedule = temperature_schedule(selfplay)
        self._keeps_visits = settings.forced_playouts == 0 and selfplay.target_temperature == 1

    def temperature(self, current: LiveGame) -> float:
        """The move temperature of the side to move."""
        return self._schedule.at(current.ply - current.num_opening_plies)

    def choose(self, slot: int, current: LiveGame) -> Choice:
        """The choice of the game's finished search; draws one number from the game's stream, or none."""
        if current.gumbel_noise is not None:
            return self._choose_gumbel(slot, current.gumbel_noise)
        visits = self._search.visits(slot)
        move = choose_move(visits.by_move, self.temperature(current), current.rng.random())
        if self._keeps_visits:
            return Choice(move, visits.moves.copy(), visits.counts.copy())
        target = visits.by_move
        if self._settings.forced_playouts and current.is_full_search:
            found = self._search.statistics(slot)
            factor = self._search.exploration(slot)
            pruned = (found.visits, found.priors, found.values, factor, self._settings.forced_playouts)
            target = prune_forced(*pruned)
        return _choice(move, tempered_target(target, self._selfplay.target_temperature))

    def _choose_gumbel(self, slot: int, noise: NDArray[np.float32]) -> Choice:
        answer = self._search.answer(slot)
        target = weights_of(improved_policy(answer, self._settings.gumbel))
        return _choice(gumbel_move(answer, self._settings.gumbel, noise), target)


def _choice(move: int, target: NDArray[np.int32]) -> Choice:
    moves = np.flatnonzero(target)
    return Choice(move, moves.astype(np.int16), target[moves])
