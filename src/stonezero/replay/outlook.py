"""What became of each position of whole games: the end of its game, and the opponent's reply to its move."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game
from stonezero.games.position import NO_MOVE, ONGOING, Positions, copy_rows
from stonezero.records import RecordTable


class Outlook(NamedTuple):
    """Row p of each array belongs to position p."""

    final_stones: NDArray[np.int8]  #: int8[P, S]: the board when the game was over, in black and white
    has_end: NDArray[np.bool_]  #: bool[P]: the game was played to its end, not resigned or decided before
    reply: NDArray[np.int16]  #: int16[P]: the next move of the game, NO_MOVE after the last

    def select(self, rows: NDArray[np.int64]) -> "Outlook":
        """The given rows, in their order."""
        return Outlook(self.final_stones[rows], self.has_end[rows], self.reply[rows])


def last_rows(table: RecordTable) -> NDArray[np.int64]:
    """int64[games]: the last row of each game."""
    return np.flatnonzero(np.diff(table.game_id, append=table.game_id[-1:] + 1))


def final_positions(table: RecordTable, game: Game, last: NDArray[np.int64]) -> Positions:
    """The positions after the last move of each game."""
    positions = copy_rows(table.positions(), last)
    places = np.arange(len(last))
    legal = np.empty((len(last), game.num_actions), np.uint8)
    game.play(positions, places, table.move[last], places, legal)
    return positions


def outlook_of(table: RecordTable, game: Game) -> Outlook:
    """Of a table of whole games."""
    last = last_rows(table)
    final = final_positions(table, game, last)
    lengths = np.diff(last, prepend=-1)
    reply = np.append(table.move[1:], np.int16(NO_MOVE))
    reply[last] = NO_MOVE
    return Outlook(
        final_stones=np.repeat(final.stones, lengths, axis=0),
        has_end=np.repeat(final.status != ONGOING, lengths),
        reply=reply,
    )
