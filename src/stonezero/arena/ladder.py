"""`stonezero ladder`: a player against every anchor of its game, and where that puts it, with intervals.

Neighbours on the ladder meet each other as well, so that the anchors' ratings don't hang on the player alone.
One net at several numbers of simulations is as many players: all meet each other, and the anchors meet the
one that searches least and the one that searches most. Finished matches are kept in a folder and are not
played again: anchors never change.
"""

import hashlib
import json
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pandas as pd

from stonezero.arena.contest import ContestSettings
from stonezero.arena.matches import Match, match_seed, play_matches
from stonezero.arena.openings import balanced_openings
from stonezero.arena.rating import Ratings, rate
from stonezero.arena.tables import pair_scores
from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.files import atomic_write
from stonezero.games import Game
from stonezero.players.players import PlayerSpec, parse_player
from stonezero.players.settings import SearchSettings

PRIOR_GAMES = 2.0
CONFIDENCE = 0.95
RHINO_PLACES = ("gtp-rhino", "/usr/games/gtp-rhino")
LADDERS = {
    "gomoku": (
        *("random", "greedy", "rollouts:sims=64", "minimax:depth=1", "rollouts:sims=256", "minimax:depth=2"),
        *("rollouts:sims=1000", "book+rollouts:sims=1000", "minimax:depth=3", "minimax:depth=4"),
    ),
    "othello": (
        *("random", "greedy", "minimax:depth=1", "rollouts:sims=64", "minimax:depth=2", "minimax:depth=3"),
        *("rollouts:sims=256", "minimax:depth=4", "rollouts:sims=1000", "book+rollouts:sims=1000"),
        "minimax:depth=5",
    ),
}
"""Weakest first, more or less."""


def anchors_of(game: Game, inference: InferenceConfig, settings: SearchSettings) -> list[PlayerSpec]:
    """The game's anchors: without the book where there is none, with gtp-rhino where it is installed."""
    specs = []
    for text in LADDERS[game.name]:
        try:
            specs.append(parse_player(text, game, inference, settings))
        except UserError:
            if not text.startswith("book+"):
                raise
    rhino = next((place for place in RHINO_PLACES if shutil.which(place)), None)
    if rhino and (game.name, game.size) == ("othello", 8):
        specs.append(parse_player(f"gtp:{rhino}", game, inference, settings))
    return specs


def meetings(
    players: Sequence[PlayerSpec], anchors: Sequence[PlayerSpec]
) -> list[tuple[PlayerSpec, PlayerSpec]]:
    """Who meets whom: the first and last player and each anchor, players each other, neighbouring anchors."""
    ends = [players[0], *players[1:][-1:]]
    return [*product(ends, anchors), *combinations(players, 2), *pairwise(anchors)]


def play_ladder(
    game: Game,
    players: Sequence[PlayerSpec],
    anchors: Sequence[PlayerSpec],
    settings: ContestSettings,
    folder: Path,
) -> Iterator[pd.DataFrame]:
    """Tables of all matches, see `meetings`; `folder` keeps them."""
    openings = balanced_openings(game, settings.opening_plies, settings.pairs, settings.seed)
    for first, second in meetings(players, anchors):
        facts = [game.spec(), settings.pairs, settings.opening_plies, settings.seed]
        facts += [first.name, first.digest(), second.name, second.digest()]
        name = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]
        file = folder / f"{name}.parquet"
        if not file.exists():
            seed = match_seed(settings.seed, [first.name, second.name])
            match = Match(first, second, openings, range(settings.pairs), seed)
            (table,) = play_matches(game, [match], settings.slots)
            with atomic_write(file) as path:
                table.to_parquet(path, index=False)
        yield pd.read_parquet(file)


def rate_ladder(tables: Sequence[pd.DataFrame], anchor: str = "random") -> Ratings:
    """Ratings over all games, `anchor` at 0."""
    return rate(pd.concat(tables, ignore_index=True), anchor, PRIOR_GAMES, CONFIDENCE)


def describe_ladder(ratings: Ratings, players: Collection[str], tables: Sequence[pd.DataFrame]) -> str:
    """The ladder, strongest first, `players` marked, with their score against each anchor."""
    against = _scores_of_anchors(players, tables)
    lines = [f"  {'Elo':>6}  {'95%':>17}  {'games':>5}  {'score':>5}  player (score: of yours against it)"]
    for row in ratings.table().to_dict("records"):
        name = row["player"]
        score = f"{against[name]:.2f}" if name in against else ""
        mark = ">" if name in players else " "
        interval = interval_text(ratings, row)
        lines.append(f"{mark} {row['elo']:6.0f}  {interval:>17}  {row['games']:5d}  {score:>5}  {name}")
    lines.append(f"{ratings.num_games} distinct games, {ratings.num_duplicates} repeated ones left out")
    return "\n".join(lines)


def interval_text(ratings: Ratings, row: Mapping[Any, Any]) -> str:
    """The interval of a row of `Ratings.table`; empty for the anchor, whose rating is fixed."""
    fixed = row["player"] == ratings.anchor
    return "" if fixed else f"[{_bound(row['low'])}, {_bound(row['high'])}]"


def _scores_of_anchors(players: Collection[str], tables: Sequence[pd.DataFrame]) -> dict[str, float]:
    """Points per game of all `players` together against each anchor."""
    scores: dict[str, list[float]] = {}
    for table in tables:
        names = {*table["black"], *table["white"]}
        mine = [name for name in names if name in players]
        if len(mine) == 1:
            (other,) = names - {*mine}
            scores.setdefault(other, []).extend(pair_scores(table, mine[0]) / 2)
    return {name: sum(found) / len(found) for name, found in scores.items()}


def _bound(value: float) -> str:
    return "  none" if value != value else f"{value:6.0f}"
