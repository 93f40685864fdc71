"""Incremental Elo, game after game in the order they were played: K = 32 from 1200, draws half (Elo, 1978).

As some published recipes keep it. It depends on the order of the games, knows no intervals and forgets: a
second opinion beside `stonezero.arena.rating`, and the order of strength in a pool of champions.
"""

import pandas as pd

from stonezero.arena.sequential import expected_score
from stonezero.arena.tables import distinct_games, points

START_ELO = 1200.0
K = 32.0


def incremental_elo(matches: pd.DataFrame) -> dict[str, float]:
    """Ratings of all players of a table of finished games, each distinct game counted once, in order."""
    games = distinct_games(matches)
    names = pd.unique(pd.concat([games["black"], games["white"]]))
    ratings = dict.fromkeys((str(name) for name in names), START_ELO)
    for black, white, score in zip(
        games["black"].tolist(), games["white"].tolist(), points(games, games["black"]).tolist(), strict=True
    ):
        gain = K * (score - expected_score(ratings[black] - ratings[white]))
        ratings[black] += gain
        ratings[white] -= gain
    return ratings
