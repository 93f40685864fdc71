"""Rules of the games as kernels over batches of positions, and the scalar `Board` on top of them.

`make_game` is the way in. Here too: symmetries, move texts, input planes. Not here: search, networks.
"""

from stonezero.games.catalogue import make_game
from stonezero.games.game import Game
from stonezero.games.position import (
    BLACK,
    BLACK_WON,
    DRAW,
    EMPTY,
    HISTORY,
    NO_MOVE,
    ONGOING,
    WHITE,
    WHITE_WON,
    Positions,
    allocate_positions,
)

__all__ = [
    "BLACK",
    "BLACK_WON",
    "DRAW",
    "EMPTY",
    "HISTORY",
    "NO_MOVE",
    "ONGOING",
    "WHITE",
    "WHITE_WON",
    "Game",
    "Positions",
    "allocate_positions",
    "make_game",
]
