"""The gate stage: candidate against champion, then games for the rating, then the history.

A killed gate goes on where it was: every finished round and match lies in the scratch folder.
"""

import json
import logging
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from stonezero.arena.gate import GateResult, judge_archive, play_gate
from stonezero.arena.history import Champion, History, read_csv
from stonezero.arena.incremental import incremental_elo
from stonezero.arena.matches import Match, match_seed, play_matches
from stonezero.arena.opening_sets import shuffled_openings
from stonezero.arena.openings import Openings, balanced_openings
from stonezero.arena.rules import ARCHIVE_RULES, ARCHIVE_WEAKEST, replace_weakest
from stonezero.arena.tables import scores_by_opponent
from stonezero.config import RunPaths, generation_number, previous_generation, typed_section
from stonezero.config import paths as default_paths
from stonezero.config.schema import GateConfig, InferenceConfig, SearchConfig
from stonezero.errors import UserError
from stonezero.files import atomic_write, write_bytes, write_text
from stonezero.games import Game, make_game
from stonezero.metrics import Metric
from stonezero.network.checkpoint import Checkpoint
from stonezero.players.players import PlayerSpec, network_spec, parse_player
from stonezero.players.settings import SearchSettings, search_settings
from stonezero.tactics.scoring import PRIOR, score_net
from stonezero.tactics.sets import sets_of

log = logging.getLogger(__name__)


class _Setting(NamedTuple):
    """What all matches of one gate share."""

    generation: str
    game: Game
    gate: GateConfig
    search: SearchSettings
    inference: InferenceConfig
    openings: Openings
    seed: int
    scratch: Path

    def network(self, name: str, path: Path) -> PlayerSpec:
        checkpoint = Checkpoint.load(path)
        return network_spec(name, checkpoint, self.game, self.inference, self.search, self.gate.simulations)

    def match(self, first: PlayerSpec, second: PlayerSpec, pairs: range) -> Match:
        seed = match_seed(self.seed, [self.generation, first.name, second.name])
        return Match(first, second, self.openings, pairs, seed)

    def play(self, matches: dict[str, Match]) -> dict[str, pd.DataFrame]:
        """Tables by file name, read from the scratch folder where they were played before."""
        files = {name: self.scratch / f"{name}.parquet" for name in matches}
        missing = [name for name, file in files.items() if not file.exists()]
        played = play_matches(self.game, [matches[name] for name in missing], self.gate.slots)
        for name, table in zip(missing, played, strict=True):
            with atomic_write(files[name]) as path:
                table.to_parquet(path, index=False)
        return {name: pd.read_parquet(file) for name, file in files.items()}


def run(params: DictConfig, gen: str, scratch: Path, paths: RunPaths = default_paths) -> list[Metric]:
    """Write champion, gate.json and history of `gen`; return the figures of the decision.

    Finished rounds and matches lie in `scratch`.
    """
    previous = previous_generation(params)
    history = History.load(paths.history(previous))
    if not history.champions:
        history.champions.append(Champion.of_file(previous, paths.champion(previous), paths))
    champion = history.champions[-1]
    setting = _setting(params, gen, scratch)
    if setting.gate.tactics:
        sets_of(setting.game)  # refuses games that have none, before anything is played
    candidate_spec = setting.network(gen, paths.candidate(gen))
    champion_spec = setting.network(champion.generation, champion.checked(paths.champion(previous)))

    if setting.gate.rule in ARCHIVE_RULES:
        result = _play_archive_gate(setting, candidate_spec, champion_spec, history, paths)
    else:
        result = _play_gate(setting, candidate_spec, champion_spec)
    log.info("%s is %s: %s", gen, result.texts()["verdict"], result.verdict.reason)
    for_rating = _play_for_rating(setting, candidate_spec, champion_spec, history, paths)

    winner = paths.candidate(gen) if result.verdict.accepted else paths.champion(previous)
    write_bytes(paths.champion(gen), winner.read_bytes())
    scores = _scores(for_rating, gen)
    of_gate = result.games.assign(kind=_kinds(result.games, champion.generation))
    figures = {"generation": generation_number(gen), **result.figures(), "scores": scores}
    write_text(paths.gate(gen), json.dumps(figures, indent=1) + "\n")
    gate = {"candidate": gen, "champion": champion.generation, **result.figures(), **result.texts()}
    extended = history.extended(
        gen,
        matches=pd.concat([of_gate, for_rating], ignore_index=True),
        gates=pd.DataFrame([gate]),
        losses=read_csv(paths.losses(gen)),
        health=pd.DataFrame([_read_health(paths.health(gen))]),
    )
    if result.verdict.accepted:
        extended.champions.append(Champion.of_file(gen, paths.champion(gen), paths))
    extended.save(paths.history(gen))
    return [*_metrics(gen, result, scores), *_tactics(setting, candidate_spec)]


def _setting(params: DictConfig, gen: str, scratch: Path) -> _Setting:
    config = typed_section(params, "gate", GateConfig)
    search = typed_section(params, "search", SearchConfig)
    game = make_game(**params.game)
    count = max(config.max_pairs, config.anchor_pairs, config.archive_pairs)
    seed = match_seed(params.seed, [gen, "openings"])
    if config.openings:
        openings = shuffled_openings(Path(config.openings), config.openings_digest, game, seed)
    else:
        openings = balanced_openings(game, config.opening_plies, count, seed)
    if openings.num_distinct < count:
        log.info("only %d openings for %d pairs: used in turn", openings.num_distinct, count)
    return _Setting(
        generation=gen,
        game=game,
        gate=config,
        search=search_settings(search),
        inference=typed_section(params, "inference", InferenceConfig),
        openings=openings,
        seed=params.seed,
        scratch=scratch,
    )


def _play_gate(setting: _Setting, candidate: PlayerSpec, champion: PlayerSpec) -> GateResult:
    def play_round(number: int, pairs: range) -> pd.DataFrame:
        name = f"round-{number:04d}"
        return setting.play({name: setting.match(candidate, champion, pairs)})[name]

    return play_gate(setting.gate, candidate.name, play_round)


def _play_archive_gate(
    setting: _Setting, candidate: PlayerSpec, champion: PlayerSpec, history: History, paths: RunPaths
) -> GateResult:
    """The candidate against the last champions or the pool, of which the champion always is one."""
    names = judges(history, setting.gate)
    opponents = [
        setting.network(entry.generation, entry.checked_path(paths))
        for entry in history.champions[:-1]
        if entry.generation in names
    ]
    matches = {
        player.name: setting.match(candidate, player, range(setting.gate.archive_pairs))
        for player in [*opponents, champion]
    }
    played = setting.play({f"gate-{name}": match for name, match in matches.items()})
    tables = dict(zip(matches, played.values(), strict=True))
    return judge_archive(setting.gate, candidate.name, tables)


def judges(history: History, gate: GateConfig) -> tuple[str, ...]:
    """The champions that judge a candidate under `gate.rule`, oldest first, the last champion included.

    `archive_mean`: the last `archive_champions`. `archive_weakest`: the pool that results when each champion
    in turn joined it and, where it was full, took the place of the weakest by incremental Elo at that time.
    """
    names = [entry.generation for entry in history.champions]
    size = gate.archive_champions
    if gate.rule != ARCHIVE_WEAKEST:
        return tuple(names[-size:])
    pool: tuple[str, ...] = (names[0],)
    for name in names[1:]:
        played = history.matches["generation"].map(generation_number) <= generation_number(name)
        pool = replace_weakest(pool, name, incremental_elo(history.matches[played]), size)
    return pool


def _kinds(games: pd.DataFrame, champion: str) -> Any:
    """`gate` for games with the champion, `archive` for those with earlier ones."""
    with_champion = (games["black"] == champion) | (games["white"] == champion)
    return np.where(with_champion, "gate", "archive")


def _play_for_rating(
    setting: _Setting, candidate: PlayerSpec, champion: PlayerSpec, history: History, paths: RunPaths
) -> pd.DataFrame:
    """Games of the candidate against anchors and earlier champions, with a column `kind`.

    A champion that no anchor has met (the untrained net, at the first gate) meets them too. Anchors are met
    every `anchor_every` generations; earlier champions not under a rule by which they have been met already.
    """
    gate = setting.gate
    is_due = generation_number(setting.generation) % gate.anchor_every == 0
    texts = gate.anchors if is_due else []
    anchors = [parse_player(text, setting.game, setting.inference, setting.search) for text in texts]
    rated = [candidate]
    if not history.has_met(champion.name, list(gate.anchors)):
        rated.append(champion)
    archive = [] if gate.rule in ARCHIVE_RULES else history.champions[:-1]
    archive = archive[max(len(archive) - gate.archive_champions, 0) :]
    earlier = [setting.network(entry.generation, entry.checked_path(paths)) for entry in archive]
    pairings = [("anchor", player, anchor, gate.anchor_pairs) for player in rated for anchor in anchors]
    pairings += [("archive", candidate, player, gate.archive_pairs) for player in earlier]
    matches = {
        f"{kind}-{number:03d}": setting.match(first, second, range(pairs))
        for number, (kind, first, second, pairs) in enumerate(pairings)
    }
    tables = [table.assign(kind=name.partition("-")[0]) for name, table in setting.play(matches).items()]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _scores(games: pd.DataFrame, player: str) -> dict[str, float]:
    """Points per game of the player against each opponent, by name."""
    if games.empty:
        return {}
    scores = scores_by_opponent(games, player)
    return {name: round(score, 6) for name, score in zip(scores["opponent"], scores["score"], strict=True)}


def _read_health(path: Path) -> dict[str, Any]:
    try:
        health = json.loads(path.read_text()) if path.exists() else {}
    except ValueError as error:
        raise UserError(f"{path} is no JSON: {error}") from error
    if not isinstance(health, dict):
        raise UserError(f"{path} has to be a JSON object of figures, not {json.dumps(health)[:100]}")
    return health


def _tactics(setting: _Setting, candidate: PlayerSpec) -> list[Metric]:
    """Shares of right answers in each tactical test set, by the prior and with the gate's simulations."""
    if not setting.gate.tactics:
        return []
    step = generation_number(setting.generation)
    asked = score_net(setting.game, candidate)
    return [
        (f"tactics/{hits.set}{'_prior' if hits.player == PRIOR else ''}", step, hits.share) for hits in asked
    ]


def _metrics(gen: str, result: GateResult, scores: dict[str, float]) -> list[Metric]:
    step = generation_number(gen)
    metrics = [(f"gate/{key}", step, float(value)) for key, value in result.figures().items()]
    against = {
        f"gate/score_vs_{re.sub(r'[^a-zA-Z0-9]+', '_', name)}": score for name, score in scores.items()
    }
    return metrics + [(key, step, score) for key, score in against.items()]
