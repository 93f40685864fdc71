"""`stonezero match`: two players of any kind in colour-swapped pairs; the result with an interval; the games.

A folder gets games.sgf (every game with its players and their digests), games.parquet (the table of games
with the digests) and match.json (players, result, settings). They are written after each round, so that what
has been played is kept when an engine ends the match.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stonezero.arena.matches import Match, match_seed, play_matches
from stonezero.arena.openings import Openings, balanced_openings
from stonezero.arena.sequential import elo_of_score
from stonezero.arena.tables import FORFEIT, distinct_games, pair_scores, points
from stonezero.files import atomic_write, write_bytes, write_text
from stonezero.games import BLACK_WON, WHITE_WON, Game
from stonezero.games.notation import parse_move
from stonezero.intervals import wilson_interval
from stonezero.players.players import PlayerSpec
from stonezero.records.formats.catalogue import format_named
from stonezero.records.formats.game_text import GameText

CONFIDENCE = 0.95
MAX_GAMES_PER_PAIR = 4.0  #: effective independent games that a pair may count for
ROUND_PAIRS = 16


@dataclass(frozen=True)
class ContestSettings:
    """How a match is played."""

    pairs: int
    opening_plies: int
    seed: int
    slots: int  #: games one worker plays at once


class Interval(NamedTuple):
    """A figure and the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Result:
    """What came of a match, from the first player's side."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    pairs: int
    distinct_openings: int
    distinct_games: int
    duplicate_games: int
    forfeits: dict[str, int]  #: by player
    score: Interval  #: points per game, 0..1
    elo: Interval  #: infinite where the score is 0 or 1


def default_opening_plies(game: Game) -> int:
    """Enough for many distinct openings, few enough to leave a game: 2 to 6."""
    if game.name == "othello":
        return min(max(game.size - 2, 2), 6)
    return 2 if game.size < 9 else 4


def play_contest(
    game: Game,
    first: PlayerSpec,
    second: PlayerSpec,
    settings: ContestSettings,
    openings: Openings | None = None,
) -> Iterator[pd.DataFrame]:
    """Play round by round, by default from balanced openings; yield all games so far after each."""
    if openings is None:
        openings = balanced_openings(game, settings.opening_plies, settings.pairs, settings.seed)
    seed = match_seed(settings.seed, [first.name, second.name])
    played = pd.DataFrame()
    for start in range(0, settings.pairs, ROUND_PAIRS):
        pairs = range(start, min(start + ROUND_PAIRS, settings.pairs))
        (table,) = play_matches(game, [Match(first, second, openings, pairs, seed)], settings.slots)
        played = pd.concat([played, table], ignore_index=True)
        yield played


def result_of(table: pd.DataFrame, first: str, second: str) -> Result:
    """Count a match; repeated games are in the score, and reported."""
    scores = points(table, first)
    num_distinct = len(distinct_games(table))
    score = score_interval(pair_scores(table, first) / 2)
    return Result(
        first=first,
        second=second,
        wins=int((scores == 1).sum()),
        draws=int((scores == 0.5).sum()),
        losses=int((scores == 0).sum()),
        pairs=len(table) // 2,
        distinct_openings=int(table["opening"].nunique()),
        distinct_games=num_distinct,
        duplicate_games=len(table) - num_distinct,
        forfeits=_forfeits(table, first, second),
        score=score,
        elo=Interval(*(elo_of_score(value) for value in score)),
    )


def score_interval(scores: NDArray[np.float64], confidence: float = CONFIDENCE) -> Interval:
    """Mean of pair scores float64[N] in 0..1 and its Wilson interval (JASA 22, 1927), never of width 0.

    The number of independent trials is that which gives the observed variance over pairs, between one and
    MAX_GAMES_PER_PAIR a pair; one a pair where all pairs are alike.
    """
    n, mean = len(scores), float(scores.mean())
    variance = float(scores.var(ddof=1)) if n > 1 else 0.0
    ratio = mean * (1 - mean) / variance if variance > 0 else 1.0
    trials = n * min(max(ratio, 1.0), MAX_GAMES_PER_PAIR)
    return Interval(mean, *wilson_interval(mean * trials, trials, confidence))


def describe_result(result: Result) -> str:
    """The result in a few lines."""
    lines = [
        f"{result.first} against {result.second}",
        f"  {2 * result.pairs} games in {result.pairs} pairs from {result.distinct_openings} distinct "
        f"openings: {result.distinct_games} distinct games, {result.duplicate_games} repeated",
        f"  {result.wins} won, {result.draws} drawn, {result.losses} lost: score {result.score.value:.3f} "
        f"[{result.score.low:.3f}, {result.score.high:.3f}], {result.elo.value:+.0f} Elo "
        f"[{result.elo.low:+.0f}, {result.elo.high:+.0f}]",
    ]
    lines += [f"  {name} broke off {count} games" for name, count in result.forfeits.items() if count]
    return "\n".join(lines)


def save_contest(
    folder: Path,
    game: Game,
    players: tuple[PlayerSpec, PlayerSpec],
    table: pd.DataFrame,
    facts: dict[str, Any],
) -> None:
    """Write the three files, each atomically; `facts` go into match.json."""
    digests = {player.name: player.digest() for player in players}
    marked = table.assign(black_digest=table["black"].map(digests), white_digest=table["white"].map(digests))
    with atomic_write(folder / "games.parquet") as path:
        marked.to_parquet(path, index=False)
    games = [_game_text(game, row, digests) for row in _rows(table)]
    write_bytes(folder / "games.sgf", format_named("sgf").write(games))
    result = asdict(result_of(table, *(player.name for player in players)))
    result["elo"] = [value if math.isfinite(value) else None for value in result["elo"]]
    content = {"game": game.spec(), "players": digests, **facts, **result}
    write_text(folder / "match.json", json.dumps(content, indent=1) + "\n")


def _forfeits(table: pd.DataFrame, first: str, second: str) -> dict[str, int]:
    if FORFEIT not in table:
        return {first: 0, second: 0}
    broken = table[table[FORFEIT] != ""]
    losers = broken["black"].where(broken["status"] == WHITE_WON, broken["white"])
    return {name: int((losers == name).sum()) for name in (first, second)}


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _game_text(game: Game, row: dict[str, Any], digests: dict[str, str]) -> GameText:
    black, white, reason = row["black"], row["white"], row.get(FORFEIT, "")
    comment = f"black {digests[black]}, white {digests[white]}"
    if reason:
        comment += f"; {black if row['status'] != BLACK_WON else white} {reason}"
    facts = {"black": black, "white": white, "comment": comment, "event": f"pair {row['pair']}"}
    moves = tuple(parse_move(game, text) for text in row["moves"].split())
    return GameText(game, moves, int(row["status"]), "stated" if reason else "", None, facts)
