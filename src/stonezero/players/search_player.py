"""A player that searches each position anew, with a network or with rollouts."""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, Moves, Rows
from stonezero.games.position import Positions
from stonezero.players.batch_search import BatchSearch, SearchSettings
from stonezero.players.evaluators import Evaluator
from stonezero.players.keys import keys_of_plies, uniforms
from stonezero.players.player import Player
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
        self._simulations = simulations
        self._temperature = temperature
        self._num_slots = num_slots

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        chances = uniforms(keys_of_plies(keys, positions.ply[rows]))
        moves = np.zeros(len(rows), np.int16)
        for start in range(0, len(rows), self._num_slots):
            chunk = range(start, min(start + self._num_slots, len(rows)))
            for slot, i in enumerate(chunk):
                self.search.set_root(slot, positions, int(rows[i]), int(keys[i]))
                self.search.set_budget(slot, self._simulations)
            self.search.run(np.arange(len(chunk)))
            for slot, i in enumerate(chunk):
                visits = self.search.statistics(slot).visits
                moves[i] = choose_move(visits, self._temperature, float(chances[i]))
        return moves
