"""A few random moves in many positions at once, for any game."""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, LegalMask
from stonezero.games.position import ONGOING, Positions
from stonezero.players.keys import keys_of_plies, uniforms


def play_randomly(
    game: Game, positions: Positions, legal: LegalMask, keys: NDArray[np.uint64], plies: int
) -> None:
    """Play up to `plies` uniformly random legal moves in every row, in place; the draws derive from keys[b].

    legal uint8[B, A] is the mask of the rows, and is kept up to date.
    """
    for ply in range(plies):
        rows = np.flatnonzero(positions.status == ONGOING)
        if not len(rows):
            return
        chances = uniforms(keys_of_plies(keys[rows], np.full(len(rows), ply, np.int16)))
        cumulative = np.cumsum(legal[rows], axis=1, dtype=np.int64)
        wanted = (chances * cumulative[:, -1]).astype(np.int64)
        moves = (cumulative <= wanted[:, None]).sum(axis=1).astype(np.int16)
        after = np.empty((len(rows), game.num_actions), np.uint8)
        game.play(positions, rows, moves, rows, after)
        legal[rows] = after
