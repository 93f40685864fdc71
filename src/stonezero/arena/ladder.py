"""`stonezero ladder`: a player against every anchor of its game, and where that puts it, with intervals.

Neighbours on the ladder meet each other as well, so that the anchors' ratings don't hang on the player alone.
Finished matches are kept in a folder and are not played again: anchors never change.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

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


def play_ladder(
    game: Game, player: PlayerSpec, anchors: Sequence[PlayerSpec], settings: ContestSettings, folder: Path
) -> Iterator[pd.DataFrame]:
    """Tables of all matches: the player against each anchor, then neighbours; `folder` keeps them."""
    openings = balanced_openings(game, settings.opening_plies, settings.pairs, settings.seed)
    for first, second in [*((player, anchor) for anchor in anchors), *pairwise(anchors)]:
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


def rate_ladder(tables: Sequence[pd.DataFrame]) -> Ratings:
    """Ratings over all games, `random` at 0."""
    return rate(pd.concat(tables, ignore_index=True), "random", PRIOR_GAMES, CONFIDENCE)


def describe_ladder(ratings: Ratings, player: str, tables: Sequence[pd.DataFrame]) -> str:
    """The ladder, strongest first, the player marked, with his score against each anchor."""
    against = {}
    for table in tables:
        names = {*table["black"], *table["white"]}
        if player in names:
            (other,) = names - {player}
            against[other] = float(pair_scores(table, player).mean() / 2)
    lines = [f"  {'Elo':>6}  {'95%':>17}  {'games':>5}  {'score':>5}  player (score: of yours against it)"]
    for row in ratings.table().to_dict("records"):
        name = row["player"]
        interval = "" if name == ratings.anchor else f"[{_bound(row['low'])}, {_bound(row['high'])}]"
        score = f"{against[name]:.2f}" if name in against else ""
        mark = ">" if name == player else " "
        lines.append(f"{mark} {row['elo']:6.0f}  {interval:>17}  {row['games']:5d}  {score:>5}  {name}")
    lines.append(f"{ratings.num_games} distinct games, {ratings.num_duplicates} repeated ones left out")
    return "\n".join(lines)


def _bound(value: float) -> str:
    return "  none" if value != value else f"{value:6.0f}"
