"""Results of lesser quality: a win that a better opponent had stopped, a game that was broken off.

After a published Gomoku system, which scales outcomes by how games end: by an open four (two points would
have won), by a simple four (the opponent only had to look), or by time, here: resigned or decided early.
The rest counts as a draw: a win of quality 0.8 is 0.8 win and 0.2 draw.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import BufferConfig
from stonezero.games.game import Game
from stonezero.games.position import ONGOING, copy_rows
from stonezero.records import RecordTable
from stonezero.replay.outlook import final_positions, last_rows


def has_quality(config: BufferConfig) -> bool:
    """Whether any kind of result counts less than in full."""
    return min(config.quality_open_four, config.quality_simple_four, config.quality_decided) < 1


def value_targets(table: RecordTable, game: Game, config: BufferConfig) -> NDArray[np.float32]:
    """float32[P, 3]: shares of win, draw and loss for the side to move, of a table of whole games."""
    last = last_rows(table)
    status = final_positions(table, game, last).status
    quality = np.ones(len(last))
    quality[status == ONGOING] = config.quality_decided
    for number in np.flatnonzero(status == table.turn[last]):  # not where a renju move lost at once
        is_open = num_winning_moves(table, game, last[number]) > 1
        quality[number] = config.quality_open_four if is_open else config.quality_simple_four
    value = table.outcome * np.repeat(quality, np.diff(last, prepend=-1))
    return shares(value)


def num_winning_moves(table: RecordTable, game: Game, row: int) -> int:
    """How many moves of the side to move in a row's position end the game at once in its favour."""
    legal = np.empty((1, game.num_actions), np.uint8)
    game.legal_moves(table.positions(), np.array([row]), legal)
    moves = np.flatnonzero(legal[0]).astype(np.int16)
    places = np.arange(len(moves))
    positions = copy_rows(table.positions(), np.full(len(moves), row))
    game.play(positions, places, moves, places, np.empty((len(moves), game.num_actions), np.uint8))
    return int((positions.status == table.turn[row]).sum())


def shares(value: NDArray[Any]) -> NDArray[np.float32]:
    """float32[P, 3]: the win, draw and loss that `value` in [-1, 1] stands for, never both win and loss."""
    return np.stack([np.maximum(value, 0), 1 - np.abs(value), np.maximum(-value, 0)], axis=1).astype(
        np.float32
    )
