"""One round of matches between all champions of a grid, and the rating that follows.

Every last champion meets every other and the anchors; an earlier champion, of which only the learning curve
wants to know, meets the anchors and the last champions of its own seed. A match is a few colour-swapped
pairs from balanced openings; which ones, the two players decide, so that a player sees many of the book.

Players are their digests (weights, search, simulations), and finished matches are kept under those: the
same grid again, or with more seeds or ablations, plays only what has not been played.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import pandas as pd
from omegaconf import DictConfig, OmegaConf

from stonezero.ablation.folders import Folders
from stonezero.ablation.grid import Grid
from stonezero.ablation.results import CellResult
from stonezero.arena.matches import Match, match_seed, play_round
from stonezero.arena.openings import Openings, balanced_openings
from stonezero.arena.rating import Ratings, choose_anchor, rate
from stonezero.config.generations import section_of
from stonezero.config.schema import GateConfig, InferenceConfig, SearchConfig
from stonezero.files import atomic_write
from stonezero.games import Game, make_game
from stonezero.network.checkpoint import Checkpoint
from stonezero.players.players import PlayerSpec, network_spec, parse_player
from stonezero.players.settings import SearchSettings, search_settings

log = logging.getLogger(__name__)

BOOK_SIZE = 64  #: openings
MATCHES_A_FILE = 400  #: matches played between two writes
SLOTS = 64  #: positions a player searches at once


class Entrant(NamedTuple):
    """A player of the round before its net is opened. Equal ones are one player."""

    name: str  #: digest of all that makes it play as it does; an anchor's text
    champion: Path | None  #: checkpoint; None for an anchor
    search: SearchSettings | None  #: likewise


class Pairing(NamedTuple):
    """Two entrants that meet, by name in order."""

    first: str
    second: str


@dataclass(frozen=True)
class Contest:
    """The conditions of the round: those of the reference's gate."""

    game: Game
    gate: GateConfig
    inference: InferenceConfig
    pairs: int  #: of each match
    openings: Openings

    @classmethod
    def of_params(cls, params: DictConfig, pairs: int) -> "Contest":
        """Game, anchors, simulations and openings of `params` (those of the last generation)."""
        gate = cast(GateConfig, OmegaConf.to_object(section_of(params, params.last, "gate")))
        inference = cast(InferenceConfig, OmegaConf.to_object(params.inference))
        game = make_game(**params.game)
        return cls(
            game, gate, inference, pairs, balanced_openings(game, gate.opening_plies, BOOK_SIZE, seed=0)
        )

    def entrant(self, champion: Path, weights: str, search: SearchSettings) -> Entrant:
        """A champion with its own search and the simulations of the round."""
        content = [weights, *search._asdict().items(), self.gate.simulations]
        content += [self.inference.backend, self.inference.precision]
        return Entrant(_digest(content), champion, search)

    @property
    def anchors(self) -> list[Entrant]:
        return [Entrant(text, None, None) for text in self.gate.anchors]

    def match_key(self, pairing: Pairing) -> str:
        """Digest of all that determines a match's games."""
        return _digest([self.game.spec(), self.gate.opening_plies, BOOK_SIZE, self.pairs, *pairing])

    def _spec(self, entrant: Entrant) -> PlayerSpec:
        if entrant.champion is None or entrant.search is None:
            return parse_player(entrant.name, self.game, self.inference, SearchSettings(1.0, 0.0))
        checkpoint = Checkpoint.load(entrant.champion)
        return network_spec(
            entrant.name, checkpoint, self.game, self.inference, entrant.search, self.gate.simulations
        )

    def play(self, pairings: Iterable[Pairing], entrants: dict[str, Entrant], folder: Path) -> pd.DataFrame:
        """All games of the pairings, those of `folder` and new ones, which are added to it."""
        wanted = {self.match_key(pairing): pairing for pairing in pairings}
        known = _read_matches(folder)
        missing = [key for key in wanted if key not in set(known["match"])]
        specs = {name: self._spec(entrants[name]) for key in missing for name in wanted[key]}
        tables = [known[known["match"].isin(wanted)]]
        log.info("matches: %d in all, %d to be played", len(wanted), len(missing))
        for start in range(0, len(missing), MATCHES_A_FILE):
            keys = missing[start : start + MATCHES_A_FILE]
            matches = [self._match(key, *(specs[name] for name in wanted[key])) for key in keys]
            played = play_round(self.game, matches, SLOTS)
            table = pd.concat([t.assign(match=key) for key, t in zip(keys, played, strict=True)])
            with atomic_write(folder / f"{_digest(list(keys))}.parquet") as path:
                table.to_parquet(path, index=False)
            tables.append(table)
        return pd.concat([table for table in tables if len(table)], ignore_index=True)

    def _match(self, key: str, first: PlayerSpec, second: PlayerSpec) -> Match:
        start = int(key, 16) % len(self.openings.moves)
        seed = match_seed(0, [first.name, second.name])
        return Match(first, second, self.openings, range(start, start + self.pairs), seed)


def pairings(
    finals: dict[str, set[int]], earlier: dict[str, set[int]], anchors: Sequence[str]
) -> list[Pairing]:
    """Who meets whom: names of last and of earlier champions with the seeds they belong to, and anchors.

    A net that is both the last champion of one cell and an earlier one of another counts as last.
    """
    met = {_ordered(one, other) for one in finals for other in [*finals, *anchors] if one != other}
    for name, seeds in earlier.items():
        if name not in finals:
            met |= {_ordered(name, other) for other in anchors}
            met |= {_ordered(name, other) for other, of_seeds in finals.items() if seeds & of_seeds}
    return sorted(met)


def _ordered(one: str, other: str) -> Pairing:
    return Pairing(*sorted((one, other)))


def rate_champions(
    root: Path, grid: Grid, results: Sequence[CellResult], pairs: int
) -> tuple[Ratings, dict[str, list[str]]]:
    """Play the round and rate it; the names of each cell's champions, generation by generation."""
    contest = Contest.of_params(grid.params, pairs)
    entrants = {anchor.name: anchor for anchor in contest.anchors}
    finals: dict[str, set[int]] = {}
    earlier: dict[str, set[int]] = {}
    names: dict[str, list[str]] = {}
    for result in results:
        search = _search_of(result)
        champions = [contest.entrant(g.champion, g.champion_digest, search) for g in result.generations]
        entrants |= {champion.name: champion for champion in champions}
        names[result.cell.name] = [champion.name for champion in champions]
        finals.setdefault(champions[-1].name, set()).add(result.cell.seed)
        for champion in champions[:-1]:
            earlier.setdefault(champion.name, set()).add(result.cell.seed)
    anchors = [anchor.name for anchor in contest.anchors]
    games = contest.play(pairings(finals, earlier, anchors), entrants, Folders(root).matches)
    elo = grid.params.elo
    return rate(games, choose_anchor(set(games["black"]), anchors), elo.prior_games, elo.confidence), names


def _search_of(result: CellResult) -> SearchSettings:
    """A cell's own search, as in its last generation's gate; what matches never use is left out."""
    values = {
        key.partition(".")[2]: value for key, value in result.cell.params.items() if key.startswith("search.")
    }
    last = f"generations.{result.generations[-1].generation}.search."
    values |= {
        key.removeprefix(last): value for key, value in result.cell.params.items() if key.startswith(last)
    }
    search = OmegaConf.merge(OmegaConf.structured(SearchConfig), values)
    return search_settings(cast(SearchConfig, OmegaConf.to_object(search)))._replace(reuse_tree=False)


def _read_matches(folder: Path) -> pd.DataFrame:
    tables = [pd.read_parquet(file) for file in sorted(folder.glob("[!.]*.parquet"))]
    if not tables:
        return pd.DataFrame({"match": pd.Series(dtype="str")})
    return pd.concat(tables, ignore_index=True).drop_duplicates(["match", "black", "pair"])


def _digest(content: list[object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=list).encode()).hexdigest()[:16]
