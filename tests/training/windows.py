"""Windows in memory, of random games."""

import numpy as np

from stonezero.games import Game
from stonezero.records.schema import table_of_games
from stonezero.replay.loading import Window
from tests.records.games import random_records


def make_window(game: Game, num_games: int, num_held_out: int = 0, opening_plies: int = 0) -> Window:
    """All rows of random games, of which the first `num_held_out` are held out."""
    table = table_of_games(random_records(game, num_games, opening_plies=opening_plies), game.spec())
    return Window(
        table=table,
        weight=np.ones(len(table), np.float32),
        staleness=np.zeros(len(table), np.int16),
        is_held_out=table.game_id < num_held_out,
        is_policy_target=table.is_full_search,
    )
