"""What the report says, as tables: standings, gates, scores by opponent, loss curves."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stonezero.arena.history import History
from stonezero.arena.incremental import incremental_elo
from stonezero.arena.rating import Ratings, choose_anchor, rate
from stonezero.arena.tables import scores_by_opponent
from stonezero.config import generation_number
from stonezero.errors import UserError

GENERATION = re.compile(r"g\d{3,}")

THE_CHAMPION, EARLIER_CHAMPIONS = "champion", "earlier champions"
"""Opponents that change from gate to gate."""

CHAMPION, ACCEPTED, REJECTED, UNTRAINED, ANCHOR = "champion", "accepted", "rejected", "untrained", "anchor"


@dataclass(frozen=True)
class Summary:
    """The history of a run, rated and arranged."""

    history: History
    ratings: Ratings
    champion: str  #: name of the last champion
    standings: pd.DataFrame
    """player, generation (NaN for anchors), role, elo, low, high, games, score, incremental_elo"""
    scores: pd.DataFrame  #: generation, opponent, score, games: of each candidate in its own gate stage
    losses: pd.DataFrame  #: as in the history, and total_step: steps since the first generation

    @property
    def nets(self) -> pd.DataFrame:
        """The standings of generations, in their order."""
        return self.standings.dropna(subset="generation").sort_values("generation", ignore_index=True)

    @property
    def anchors(self) -> pd.DataFrame:
        """The standings of anchors, strongest first."""
        return self.standings[self.standings["generation"].isna()].reset_index(drop=True)

    @property
    def superiority(self) -> pd.DataFrame:
        """The chance that the row's player is stronger than the column's: nets in order, then anchors."""
        names = [*self.nets["player"], *self.anchors["player"]]
        matrix = pd.DataFrame(self.ratings.superiority(), self.ratings.names, self.ratings.names)
        return matrix.loc[names, names]

    def player(self, name: str) -> dict[str, Any]:
        """The standing of one player, by column."""
        (row,) = self.standings[self.standings["player"] == name].to_dict("records")
        return {str(column): value for column, value in row.items()}


def summarise(history: History, prior_games: float, confidence: float) -> Summary:
    """Rate all players and arrange the tables; UserError without any game."""
    matches = history.matches
    if matches.empty:
        raise UserError("no game has been played, so there is nothing to report")
    names = sorted(set(matches["black"]) | set(matches["white"]))
    anchors = [name for name in names if not GENERATION.fullmatch(name)]
    ratings = rate(matches, choose_anchor(names, anchors), prior_games, confidence)
    champion = history.champions[-1].generation
    return Summary(
        history=history,
        ratings=ratings,
        champion=champion,
        standings=_standings(ratings, history, champion),
        scores=_scores(matches),
        losses=_losses(history.losses),
    )


def _standings(ratings: Ratings, history: History, champion: str) -> pd.DataFrame:
    table = ratings.table()
    is_net = table["player"].str.fullmatch(GENERATION)
    table.insert(1, "generation", table["player"].where(is_net).map(generation_number, na_action="ignore"))
    roles = dict(zip(history.gates["candidate"], history.gates["verdict"], strict=True)) | {
        champion: CHAMPION
    }
    role = table["player"].map(roles).astype("object")
    table.insert(2, "role", role.where(role.notna(), np.where(is_net, UNTRAINED, ANCHOR)))
    return table.assign(incremental_elo=table["player"].map(incremental_elo(history.matches)))


def _scores(matches: pd.DataFrame) -> pd.DataFrame:
    """Points per game of each candidate against the champion of its day, earlier ones and each anchor."""
    rows = []
    for generation, games in matches.groupby("generation", sort=True):
        name = str(generation)
        groups = games["kind"].map({"gate": THE_CHAMPION, "archive": EARLIER_CHAMPIONS})
        for against, score, count in scores_by_opponent(games, name, groups).itertuples(index=False):
            rows.append((generation_number(name), against, score, count))
    return pd.DataFrame(rows, columns=["generation", "opponent", "score", "games"])


def _losses(losses: pd.DataFrame) -> pd.DataFrame:
    if losses.empty or "step" not in losses:
        return pd.DataFrame()
    steps = losses.groupby("generation")["step"].max().sort_index()
    before = steps.cumsum() - steps
    return losses.assign(total_step=losses["step"] + losses["generation"].map(before))
