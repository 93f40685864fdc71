"""The self-play stage: games dealt to shards, shards to worker processes, finished shards kept.

    parent: export the champion once → start workers → watch progress → move shards to the output → health
    worker: open the net → play the games of its shards, slots always full → write each shard when whole

A shard is a fixed range of game ids. A worker goes from shard to shard without waiting for a shard's
last game, so its batches stay full until its last shard. A killed stage finds its finished shards in the
scratch folder and plays the others.

With `selfplay.evaluations` a generation is its first shards whose network evaluations together reach that
budget, however many workers played them: shards are played in rounds until they are known, and what was
played beyond them is left out.

Where sides may resign, the first shards are control shards: their games are played on, before all others, and
only if few enough of their resignations would have been false do the other shards' games end by them.
"""

import json
import logging
import math
import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from omegaconf import DictConfig
from tqdm import tqdm

from stonezero.config import RunPaths, generation_number, previous_generation, typed_section
from stonezero.config import paths as default_paths
from stonezero.config.schema import InferenceConfig, SearchConfig, SelfplayConfig
from stonezero.files import write_text
from stonezero.games import make_game
from stonezero.metrics import Metric
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.inference import PreparedNetwork
from stonezero.players.calibration import prepare_for
from stonezero.players.evaluators import evaluation_settings, make_evaluator
from stonezero.processes import num_workers, worker_pool
from stonezero.records.schema import GameRecord, RecordTable, concatenate
from stonezero.records.shard import read_shard, write_shard
from stonezero.replay.index import read_index
from stonezero.selfplay.ending import resign_figures
from stonezero.selfplay.games import NO_FACTS, GenerationFacts, SelfplayBatch
from stonezero.selfplay.health import health_figures
from stonezero.selfplay.openings import NO_GAMES, EarlierGames

log = logging.getLogger(__name__)

PROGRESS = "progress"
"""Scratch file of int64[workers, 4]: games, simulations, evaluations and cache hits of each worker so far."""


class Task(NamedTuple):
    """What one worker plays: some shards of a generation. Picklable."""

    game: dict[str, Any]
    search: SearchConfig
    selfplay: SelfplayConfig
    network: PreparedNetwork
    planes: tuple[str, ...]
    seed: int
    generation: str
    shards: tuple[int, ...]
    folder: Path
    worker: int
    num_workers: int
    facts: GenerationFacts = NO_FACTS


class Played(NamedTuple):
    """What this process and its workers have played, without what was found in the scratch folder."""

    games: int
    evaluations: int
    simulations: int
    cache_hits: int


def shard_name(shard: int) -> str:
    """File name of a shard."""
    return f"shard-{shard:05d}.parquet"


def shard_games(shard: int, selfplay: SelfplayConfig) -> range:
    """Game ids of a shard."""
    start = shard * selfplay.shard_games
    return range(start, min(start + selfplay.shard_games, selfplay.games))


def run(params: DictConfig, gen: str, scratch: Path, paths: RunPaths = default_paths) -> list[Metric]:
    """Write the games and health.json of `gen`; return the health figures and speeds as metrics."""
    began = time.monotonic()
    task = _task(params, gen, scratch, paths)
    spent, played = _play_generation(task)
    seconds = time.monotonic() - began

    table = _collect(task, len(spent), paths.games(gen))
    figures = {**health_figures(table), "evaluations": sum(spent), **_method_figures(table, task.selfplay)}
    write_text(paths.health(gen), json.dumps(figures, indent=1, sort_keys=True) + "\n")
    log.info(
        "%s: %d games, %d positions, %.1f plies, black %.0f%% white %.0f%% draws %.0f%%, %d distinct, "
        "opening entropy %.1f bits; %.1f games/s, %.0f simulations/s, %.0f evaluations/s",
        gen,
        figures["games"],
        figures["positions"],
        figures["mean_plies"],
        100 * figures["black_win_rate"],
        100 * figures["white_win_rate"],
        100 * figures["draw_rate"],
        figures["distinct_games"],
        figures["opening_entropy"],
        played.games / seconds,
        played.simulations / seconds,
        played.evaluations / seconds,
    )
    step = generation_number(gen)
    metrics = [(f"selfplay/{key}", step, float(value)) for key, value in figures.items()]
    if not played.games:
        return metrics
    if task.search.cache_size:
        metrics.append(
            ("speed/selfplay_cache_hit_rate", step, played.cache_hits / max(played.evaluations, 1))
        )
    return [
        *metrics,
        ("speed/selfplay_evaluations_per_second", step, played.evaluations / seconds),
        ("speed/selfplay_simulations_per_second", step, played.simulations / seconds),
    ]


def _method_figures(table: RecordTable, selfplay: SelfplayConfig) -> dict[str, float]:
    """Figures of the methods that are on."""
    figures = {}
    if selfplay.full_search_share < 1:
        searched = ~(table.is_opening | table.is_solved)
        figures["cheap_search_share"] = float((~table.is_full_search[searched]).mean())
    if selfplay.resign_threshold > -1:
        figures |= resign_figures(table, num_control_games(selfplay))
    return figures


def num_shards(selfplay: SelfplayConfig) -> int:
    """How many shards hold a generation's games."""
    return -(-selfplay.games // selfplay.shard_games)


def _task(params: DictConfig, gen: str, scratch: Path, paths: RunPaths) -> Task:
    game = make_game(**params.game)
    checkpoint = Checkpoint.load(paths.champion(previous_generation(params)))
    inference = typed_section(params, "inference", InferenceConfig)
    selfplay = typed_section(params, "selfplay", SelfplayConfig)
    return Task(
        game=game.spec(),
        search=typed_section(params, "search", SearchConfig),
        selfplay=selfplay,
        network=prepare_for(game, checkpoint, inference),
        planes=tuple(checkpoint.network.planes),
        seed=params.seed,
        generation=gen,
        shards=(),
        folder=scratch,
        worker=0,
        num_workers=1,
        facts=GenerationFacts(_earlier_games(selfplay, params, paths), num_control_games(selfplay)),
    )


def _play_generation(task: Task) -> tuple[list[int], Played]:
    """Play the shards of a generation; returns the evaluations of each, and what was played here."""
    spent: list[int] = []
    total = Played(0, 0, 0, 0)
    while (wanted := shards_wanted(task, spent)) > len(spent):
        missing = [shard for shard in range(wanted) if not (task.folder / shard_name(shard)).exists()]
        total = _sum(total, _play_missing(task, missing))
        spent = [int(evaluations_file(task, shard).read_text()) for shard in range(wanted)]
    return spent[:wanted], total


def _sum(one: Played, other: Played) -> Played:
    return Played(*(mine + theirs for mine, theirs in zip(one, other, strict=True)))


def _play_missing(task: Task, missing: Sequence[int]) -> Played:
    """Play the missing shards, control shards before the others."""
    control = num_control_shards(task.selfplay)
    played = _play(task, [shard for shard in missing if shard < control])
    if others := [shard for shard in missing if shard >= control]:
        facts = task.facts._replace(may_resign=control > 0 and _may_resign(task))
        played = _sum(played, _play(task._replace(facts=facts), others))
    return played


def num_control_shards(selfplay: SelfplayConfig) -> int:
    """How many shards are played on in spite of resignations; 0 where nobody resigns."""
    if selfplay.resign_threshold == -1:
        return 0
    return math.ceil(selfplay.resign_control_share * num_shards(selfplay))


def num_control_games(selfplay: SelfplayConfig) -> int:
    """How many games those are: they have the lowest ids."""
    return min(num_control_shards(selfplay) * selfplay.shard_games, selfplay.games)


def _may_resign(task: Task) -> bool:
    """Whether few enough resignations of the control games, all of them played, would have been false."""
    names = [task.folder / shard_name(shard) for shard in range(num_control_shards(task.selfplay))]
    table = concatenate([read_shard(name, task.game) for name in names])
    figures = resign_figures(table, task.facts.num_control_games)
    rate = figures.get("false_resignation_rate", 0.0)
    if rate <= task.selfplay.resign_max_false_rate:
        return True
    log.warning(
        "%s: nobody resigns: %d of %d control games would have been resigned falsely, more than %.0f%%",
        task.generation,
        figures["false_resignations"],
        figures["resign_measured_games"],
        100 * task.selfplay.resign_max_false_rate,
    )
    return False


def _earlier_games(selfplay: SelfplayConfig, params: DictConfig, paths: RunPaths) -> EarlierGames:
    """The games of the window before this generation, where some games begin in their positions."""
    if selfplay.earlier_game_share == 0:
        return NO_GAMES
    index = read_index(paths.buffer(previous_generation(params)))
    tables = [read_shard(paths.root.parent / file.path, None, file.sha256) for file in index.files]
    games: list[NDArray[np.int16]] = []
    for table in tables:
        starts = np.flatnonzero(np.diff(table.game_id, prepend=-1))
        games += np.split(table.move, starts[1:])
    if not games:
        return NO_GAMES
    return EarlierGames(np.concatenate(games), np.cumsum([0, *map(len, games)]))


def shards_wanted(task: Task, spent: Sequence[int]) -> int:
    """How many shards make up the generation, as far as is known when the first took `spent` evaluations.

    At most that many while the budget is not reached, so that little is played in vain: at first as many as
    the longest games would fill it with, then by the mean so far.
    """
    most, budget = num_shards(task.selfplay), task.selfplay.evaluations
    if not budget:
        return most
    reached = np.flatnonzero(np.cumsum(spent) >= budget)
    if len(reached):
        return int(reached[0]) + 1
    longest = make_game(**task.game).max_plies * (task.selfplay.simulations + 1)
    of_shard = float(np.mean(spent)) if len(spent) else longest * task.selfplay.shard_games
    return min(len(spent) + max(int((budget - sum(spent)) / max(of_shard, 1)), 1), most)


def evaluations_file(task: Task, shard: int) -> Path:
    """Scratch file that says how many network evaluations a shard took."""
    return (task.folder / shard_name(shard)).with_suffix(".evaluations")


def _play(task: Task, missing: Sequence[int]) -> Played:
    """Play the missing shards; nothing where none is."""
    if not missing:
        return Played(0, 0, 0, 0)
    workers = min(num_workers(), len(missing))
    tasks = [
        task._replace(shards=tuple(missing[worker::workers]), worker=worker, num_workers=workers)
        for worker in range(workers)
    ]
    progress = open_progress(task.folder, workers, "w+")
    games = sum(len(shard_games(shard, task.selfplay)) for shard in missing)
    with _ProgressBar(progress, games):
        if workers == 1:
            play_shards(tasks[0])
        else:
            list(worker_pool(workers).map(play_shards, tasks))
    _, simulations, evaluations, hits = (int(count) for count in progress.sum(axis=0))
    return Played(games, evaluations, simulations, hits)


def play_shards(task: Task) -> None:
    """What a worker does: play the games of all its shards, and write each shard when it is whole."""
    game = make_game(**task.game)
    evaluation = evaluation_settings(task.search)
    evaluator = make_evaluator(game, task.network.open, list(task.planes), evaluation, max_leaves(task))
    seed = (task.seed, generation_number(task.generation))
    batch = SelfplayBatch(game, evaluator, task.search, task.selfplay, seed, task.selfplay.slots, task.facts)
    progress = open_progress(task.folder, task.num_workers, "r+")[task.worker]
    games = [game_id for shard in task.shards for game_id in shard_games(shard, task.selfplay)]
    finished: dict[int, list[GameRecord]] = defaultdict(list)
    for record in batch.play(games):
        shard = record.game_id // task.selfplay.shard_games
        finished[shard].append(record)
        progress[0] += 1
        progress[1:] = batch.num_simulations, batch.num_evaluations, evaluator.num_cache_hits
        if len(finished[shard]) == len(shard_games(shard, task.selfplay)):
            records = sorted(finished.pop(shard), key=lambda record: record.game_id)
            spent = sum(batch.evaluations.pop(record.game_id) for record in records)
            write_text(evaluations_file(task, shard), f"{spent}\n")  # first: a shard that is there is whole
            write_shard(task.folder / shard_name(shard), records, task.game, task.generation)


def max_leaves(task: Task) -> int:
    """Most leaves in one wave of a worker."""
    return task.selfplay.slots * task.search.leaves_per_wave


def _collect(task: Task, shards: int, folder: Path) -> RecordTable:
    """Copy the first shards into the output folder, which holds nothing else; returns all records."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = [shard_name(shard) for shard in range(shards)]
    for name in names:
        shutil.copyfile(task.folder / name, folder / name)
    return concatenate([read_shard(folder / name, task.game) for name in names])


def open_progress(folder: Path, workers: int, mode: str) -> np.memmap:
    """The file in which workers count what they have done (see PROGRESS)."""
    return np.memmap(folder / PROGRESS, np.int64, mode, shape=(workers, 4))  # type: ignore[call-overload]


class _ProgressBar:
    """A thread that shows games, their rate, simulations/s and the time left, until the block ends."""

    def __init__(self, progress: np.memmap, games: int) -> None:
        self._progress = progress
        self._bar = tqdm(total=games, unit="game", desc="self-play", mininterval=0.5, disable=None)
        self._began = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._show()
        self._bar.close()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            self._show()

    def _show(self) -> None:
        games, simulations, *_ = self._progress.sum(axis=0)
        seconds = time.monotonic() - self._began
        self._bar.set_postfix_str(f"{simulations / seconds:,.0f} simulations/s", refresh=False)
        self._bar.update(int(games) - self._bar.n)
