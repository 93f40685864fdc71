"""A player that searches each position anew, with a network or with rollouts."""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, Moves, Rows
from stonezero.games.position import Positions
from stonezero.players.batch_search import BatchSearch
from stonezero.players.evaluators import Evaluator
from stonezero.players.keys import keys_of_plies, uniforms
from stonezero.players.player import Player
from stonezero.players.settings import SearchSettings
from stonezero.search.gumbel import gumbel_move
from stonezero.search.root import choose_move

ROLLOUT_SETTINGS = SearchSettings(c_puct=2.0, fpu_reduction=0.0)
"""Fixed for good: `rollouts` is an anchor of the ratings."""


class SearchPlayer(Player):
    """Searches each position anew with a fixed number of simulations."""

    def __init__(
        self,
        name: str,
        game: Game,
        evaluator: Evaluator,
        settings: SearchSettings,
        simulations: int,
        temperature: float,
        num_slots: int,
    ) -> None:
        self.name = name
        self.search = BatchSearch(
            game, evaluator, settings._replace(reuse_tree=False), num_slots, simulations
        )
        self._gumbel = settings.gumbel
        self._num_actions = game.num_actions
        self._simulations = simulations
        self._temperature = temperature
        self._num_slots = num_slots

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        return self.choose_among(positions, rows, keys, None)

    def choose_among(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], allowed: NDArray[np.bool_] | None
    ) -> Moves:
        """As `choose`, but only moves with allowed[b, a] (bool[B, A]) are played; all where it is None.

        Each row allows a legal move at least. Where the search has visited none of them, the prior decides.
        """
        chances = uniforms(keys_of_plies(keys, positions.ply[rows]))
        moves = np.zeros(len(rows), np.int16)
        for start in range(0, len(rows), self._num_slots):
            chunk = range(start, min(start + self._num_slots, len(rows)))
            for slot, i in enumerate(chunk):
                self.search.set_root(slot, positions, int(rows[i]), int(keys[i]))
                self.search.set_budget(slot, self._simulations)
            slots = np.arange(len(chunk))
            if self._gumbel.considered:
                self.search.wave(slots)
                noise = [self._noise(int(keys[i]), int(positions.ply[rows[i]])) for i in chunk]
                for slot in range(len(chunk)):
                    self.search.begin_gumbel(slot, noise[slot])
            self.search.run(slots)
            for slot, i in enumerate(chunk):
                if self._gumbel.considered:
                    answer = self.search.answer(slot)
                    if allowed is not None:
                        answer = answer.only(allowed[i])
                    moves[i] = gumbel_move(answer, self._gumbel, noise[slot])
                    continue
                statistics = self.search.statistics(slot)
                visits = statistics.visits
                if allowed is not None:
                    visits = np.where(allowed[i], visits, 0)
                    if not visits.any():
                        moves[i] = np.where(allowed[i], statistics.priors, -1).argmax()
                        continue
                moves[i] = choose_move(visits, self._temperature, float(chances[i]))
        return moves

    def _noise(self, key: int, ply: int) -> NDArray[np.float32]:
        """Gumbel noise float32[A] times the temperature: none at temperature 0."""
        noise = np.random.default_rng([key, ply]).gumbel(size=self._num_actions)
        return (noise * self._temperature).astype(np.float32)
