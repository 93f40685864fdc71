"""The body of the buffer stage: games of this generation and the window before it make the new window."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from omegaconf import DictConfig

from stonezero.config import RunPaths, previous_generation, typed_section
from stonezero.config import paths as default_paths
from stonezero.config.schema import BufferConfig
from stonezero.files import file_digest
from stonezero.games import Game, make_game
from stonezero.metrics import Metric
from stonezero.records import RecordTable, read_shard
from stonezero.replay.audit import audit
from stonezero.replay.index import RecordsFile, WindowIndex, empty_index, read_index, write_index
from stonezero.replay.window import WindowError, game_copies, game_starts, next_window

log = logging.getLogger(__name__)


def run(params: DictConfig, gen: str, scratch: Path, paths: RunPaths = default_paths) -> list[Metric]:
    """Write the window of `gen` out of the window before it and the games of `gen`; return figures.

    Takes seconds, so `scratch` stays unused. Raises UserError for records that are damaged, of another
    game or wrong, and for an empty window.
    """
    config = typed_section(params, "buffer", BufferConfig)
    game = make_game(**params.game)
    shards = read_shards(paths, gen, game)
    previous = read_index(paths.buffer(previous_generation(params)))
    window = next_window(previous, shards, config, params.seed)
    if not len(window):
        raise WindowError(f"the window of {gen} would be empty: its games are random openings and no more")
    write_index(paths.buffer(gen), window)
    figures = window_figures(window)
    log.info("window of %s: %s", gen, ", ".join(f"{name} {value:.6g}" for name, value in figures.items()))
    return [(f"buffer/{name}", 0, value) for name, value in figures.items()]


def read_shards(paths: RunPaths, gen: str, game: Game) -> list[tuple[RecordsFile, RecordTable]]:
    """The audited shards of one generation, in the order of their names."""
    files = sorted(paths.games(gen).glob("[!.]*.parquet"))
    if not files:
        raise WindowError(f"{paths.games(gen)}: no records files")
    return [_read_audited(path, gen, paths.root.parent, game) for path in files]


def index_of_records(
    files: Sequence[Path], game: Game, config: BufferConfig, seed: int, root: Path
) -> WindowIndex:
    """A window of records files from anywhere, as if of one generation; `root` as for `load_window`."""
    if not files:
        raise WindowError("there are no records to learn from")
    shards = [_read_audited(path, "records", root, game) for path in sorted(files)]
    return next_window(empty_index(), shards, config, seed)


def _read_audited(path: Path, gen: str, root: Path, game: Game) -> tuple[RecordsFile, RecordTable]:
    digest = file_digest(path)
    table = read_shard(path, game.spec(), digest)
    audit(table, game, path)
    is_inside = path.resolve().is_relative_to(root.resolve())
    name = path.resolve().relative_to(root.resolve()) if is_inside else path.resolve()
    return RecordsFile(gen, name.as_posix(), digest), table


def window_figures(window: WindowIndex) -> dict[str, float]:
    """What the summary and the tracking server are told of a window."""
    starts = game_starts(window)
    num_distinct = len(np.unique(window.moves_digest[starts]))
    return {
        "positions": len(window),
        "new_positions": int((window.staleness == 0).sum()),
        "held_out_positions": int(window.is_held_out.sum()),
        "policy_targets": int(window.is_policy_target.sum()),
        "games": len(starts),
        "distinct_games": num_distinct,
        "duplicate_games": len(starts) - num_distinct,
        "most_copies_of_a_game": int(game_copies(window).max()),
        "mean_staleness_generations": float(window.staleness.mean()),
    }
