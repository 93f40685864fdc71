"""What every player is: something that picks moves for a batch of positions."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, Moves, Rows
from stonezero.games.position import Positions
from stonezero.players.keys import keys_of_plies, uniforms
from stonezero.search.root import choose_move


class Forfeit(Exception):  # noqa: N818 - it ends a game, not a program
    """A player has lost a game by breaking off: no legal answer in time, or a resignation. Says why."""


class Player(ABC):
    """Picks moves for many games at once."""

    name: str
    is_sequential = False  #: wants its games one after another, and one row a call (outside engines)

    @abstractmethod
    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """One legal move for each row, int16[B]; none of the games is over.

        keys uint64[B]: one number a game, the same for all its plies. A move depends on its row, its key
        and the ply alone, not on the other rows. lines int16[P, plies]: the moves that led to each row of
        `positions`, its first ply[p] entries; only outside engines look at them.
        Raises Forfeit, where `is_sequential`, when the player breaks off.
        """

    def close(self) -> None:
        """Give back what the player holds: processes. It can't be used afterwards."""
        return None


class RandomPlayer(Player):
    """Uniformly random legal moves."""

    name = "random"

    def __init__(self, game: Game) -> None:
        self._game = game

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        legal = np.zeros((len(rows), self._game.num_actions), np.uint8)
        self._game.legal_moves(positions, rows, legal)
        chances = uniforms(keys_of_plies(keys, positions.ply[rows]))
        return np.array(
            [choose_move(mask.astype(np.int32), 1.0, u) for mask, u in zip(legal, chances, strict=True)],
            np.int16,
        )
