"""Tables of games: one row per finished game, and what is counted from them."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stonezero.games.position import BLACK_WON, DRAW, WHITE_WON

TYPES = {
    "pair": "int64",  # both games of a pair have its number
    "opening": "int64",  # likewise
    "black": "str",  # player's name
    "white": "str",
    "status": "int8",  # of the finished game, as in stonezero.games.position
    "plies": "int16",
    "moves": "str",  # texts, the opening's included
}
"""Columns of a table of games, and their types."""

FORFEIT = "forfeit"
"""One column more where an outside engine took part: why a player broke it off; empty where none did."""


def points(games: pd.DataFrame, player: str | pd.Series) -> NDArray[np.float64]:
    """Points float64[N] of `player`, or of a player for each game, in games of his: 1, ½ or 0."""
    won = np.where(games["black"] == player, BLACK_WON, WHITE_WON)
    status = games["status"].to_numpy()
    return np.where(status == DRAW, 0.5, (status == won).astype(np.float64))


def scores_by_opponent(games: pd.DataFrame, player: str, groups: pd.Series | None = None) -> pd.DataFrame:
    """Points per game of `player` against each opponent: columns opponent (sorted), score (0..1), games.

    `groups` names opponents that count as one, by game; missing where each counts for itself.
    """
    is_mine = (games["black"] == player) | (games["white"] == player)
    mine = games[is_mine]
    opponent = mine["white"].where(mine["black"] == player, mine["black"])
    if groups is not None:
        opponent = groups[is_mine].fillna(opponent)
    grouped = pd.Series(points(mine, player)).groupby(opponent.to_numpy())
    return pd.DataFrame(
        [(str(name), float(scores.mean()), len(scores)) for name, scores in grouped],
        columns=["opponent", "score", "games"],
    )


def distinct_games(matches: pd.DataFrame) -> pd.DataFrame:
    """Drop repeats: games of the same players with the same colours and moves."""
    return matches.drop_duplicates(["black", "white", "moves"], ignore_index=True)


def distinct_pairs(games: pd.DataFrame) -> pd.DataFrame:
    """The games of all pairs but those that repeat an earlier pair move by move."""
    lines = games.groupby("pair", sort=True)["moves"].agg("|".join)
    return games[games["pair"].isin(lines.drop_duplicates().index)].reset_index(drop=True)


def pair_scores(games: pd.DataFrame, player: str) -> NDArray[np.float64]:
    """Points float64[N] of `player` in each pair, by the pair's number: 0, ½, 1, 1½ or 2."""
    return games.assign(points=points(games, player)).groupby("pair", sort=True)["points"].sum().to_numpy()
