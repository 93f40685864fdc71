"""Judges of openings: players that search say how a position stands; what they find balanced is kept."""

import numpy as np
from numpy.typing import NDArray

from stonezero.arena.openings import Judge, Openings
from stonezero.errors import UserError
from stonezero.games.game import Game, Rows
from stonezero.games.position import Positions
from stonezero.players.players import PlayerSpec
from stonezero.players.search_player import SearchPlayer

NUM_SLOTS = 64  #: positions searched at once; changes no value


def search_judge(spec: PlayerSpec, game: Game, seed: int) -> Judge:
    """The mean value of the root after the player's search, for the side to move.

    The same seed gives the same values. Raises UserError for a player without a search that has one.
    """
    if spec.kind not in ("rollouts", "net"):
        raise UserError(f"{spec.name} cannot judge openings: say rollouts:sims=400 or net:PATH:sims=64")
    player = spec.open(game, NUM_SLOTS)
    if not isinstance(player, SearchPlayer):
        raise UserError(f"{spec.name} cannot judge openings: leave its solver away")
    search = player.search

    def judge(positions: Positions, rows: Rows) -> NDArray[np.float32]:
        keys = np.random.default_rng(seed).integers(2**63, size=len(rows))
        values = np.zeros(len(rows), np.float32)
        for start in range(0, len(rows), NUM_SLOTS):
            chunk = range(start, min(start + NUM_SLOTS, len(rows)))
            for slot, i in enumerate(chunk):
                search.set_root(slot, positions, int(rows[i]), int(keys[i]))
                search.set_budget(slot, spec.simulations)
            search.run(np.arange(len(chunk)))
            values[chunk.start : chunk.stop] = [search.statistics(slot).value for slot in range(len(chunk))]
        return values

    return judge


def within(openings: Openings, limit: float) -> Openings:
    """The distinct openings with |value| <= limit, in their order; UserError where there is none."""
    distinct = slice(openings.num_distinct)
    kept = np.abs(openings.values[distinct]) <= limit
    if not kept.any():
        least = float(np.abs(openings.values[distinct]).min())
        raise UserError(f"no opening has a value within {limit:g} of 0; the most balanced has {least:.4f}")
    return Openings(openings.moves[distinct][kept], openings.values[distinct][kept], int(kept.sum()))
