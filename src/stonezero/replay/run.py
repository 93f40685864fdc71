"""The body of the buffer stage: games of this generation and the window before it make the new window."""

import hashlib
import logging
from pathlib import Path

import numpy as np

from stonezero.config.generations import generation_section
from stonezero.config.schema import StageParams
from stonezero.games import Game, make_game
from stonezero.records import RecordTable, read_shard
from stonezero.replay.audit import audit
from stonezero.replay.index import RecordsFile, WindowIndex, read_index, write_index
from stonezero.replay.window import WindowError, check_buffer, game_copies, game_starts, next_window

log = logging.getLogger(__name__)

Metric = tuple[str, int, float]  #: name, step, value


def run(params: StageParams, gen: str, scratch: Path, root: Path = Path(".")) -> list[Metric]:
    """Write runs/GEN/buffer.parquet out of runs/PREV/buffer.parquet and runs/GEN/games; return figures.

    Raises UserError for records that are damaged, of another game or wrong, and for an empty window.
    The stage takes seconds and needs no `scratch`.
    """
    config = generation_section(params, gen, "buffer")
    check_buffer(config)
    game = make_game(params.game.name, params.game.size, params.game.k, params.game.rules)
    shards = read_shards(root, gen, game)
    previous = read_index(root / "runs" / params.generations[gen].prev / "buffer.parquet")
    window = next_window(previous, shards, config, params.seed)
    if not len(window):
        raise WindowError(f"the window of {gen} would be empty: no position of its games can be learnt from")
    write_index(root / "runs" / gen / "buffer.parquet", window)
    figures = window_figures(window)
    log.info("window of %s: %s", gen, ", ".join(f"{name} {value:.6g}" for name, value in figures.items()))
    return [(f"buffer/{name}", 0, value) for name, value in figures.items()]


def read_shards(root: Path, gen: str, game: Game) -> list[tuple[RecordsFile, RecordTable]]:
    """The audited shards of one generation, in the order of their names."""
    paths = sorted((root / "runs" / gen / "games").glob("*.parquet"))
    if not paths:
        raise WindowError(f"{root / 'runs' / gen / 'games'}: no records files")
    shards = []
    for path in paths:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        table = read_shard(path, game.spec(), digest)
        audit(table, game, path)
        shards.append((RecordsFile(gen, path.relative_to(root).as_posix(), digest), table))
    return shards


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
