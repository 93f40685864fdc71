"""A small run of random games on disk: params, paths, one generation after another."""

from pathlib import Path
from typing import cast

from omegaconf import DictConfig, OmegaConf

from stonezero.config import RunPaths
from stonezero.config.schema import StageParams
from stonezero.games import Game, make_game
from stonezero.records import write_shard
from stonezero.replay import run as buffer_stage
from stonezero.replay.index import write_empty_index
from tests.records.games import random_records

GAME = make_game("gomoku", 4, 3)

TRAIN = {
    "start": "last",
    "start_file": "",
    "start_digest": "",
    "samples_per_position": 4.0,
    "epochs": 0.0,
    "batch_size": 32,
    "optimizer": "adam",
    "lr": 0.01,
    "momentum": 0.9,
    "weight_decay": 1e-4,
    "lr_schedule": "cosine",
    "lr_step_factor": 0.1,
    "warmup_steps": 2,
    "onecycle_warmup_share": 0.1,
    "policy_weight": 1.0,
    "value_weight": 1.0,
    "value_weight_by_epoch": [],
    "value_loss": "auto",
    "huber_delta": 1.0,
    "entropy_bonus": 0.0,
    "ownership_weight": 0.25,
    "score_weight": 0.25,
    "reply_weight": 0.15,
    "freeze_head": "none",
    "freeze_epochs": 0.0,
    "gradient_clip": 1.0,
    "symmetry": "random",
    "averaging": "none",
    "ema_decay": 0.99,
    "swa_share": 0.25,
    "checkpoint_steps": 5,
    "threads": 1,
    "device": "cpu",
    "precision": "f32",
}
NETWORK = {
    "planes": ["own", "opponent", "ones"],
    "channels": 8,
    "blocks": 1,
    "heads": "pooled",
    "policy_channels": 4,
    "value_channels": 4,
    "value_hidden": 8,
    "value": "wdl",
}
BUFFER = {
    "window_generations": 3,
    "max_positions": 100_000,
    "max_games": 0,
    "power_law_positions": 0,
    "power_law_alpha": 0.75,
    "power_law_beta": 0.4,
    "held_out_fraction": 0.2,
    "sampling": "positions",
    "phase_plies": [],
    "phase_weights": [],
    "rare_below": 3,
    "rare_weight": 1.0,
    "merge_positions": False,
    "kl_threshold": 0.0,
    "kl_drop": 0.9,
    "surprise_share": 0.0,
    "quality_open_four": 1.0,
    "quality_simple_four": 1.0,
    "quality_decided": 1.0,
}


def make_params(
    gen: str, overrides: dict[str, dict[str, object]] | None = None, game: Game = GAME
) -> DictConfig:
    """Params of generation `gen`; `overrides` by section."""
    number = int(gen[1:])
    values = {
        "seed": 7,
        "gen": gen,
        "game": game.spec(),
        "network": NETWORK,
        "train": TRAIN,
        "buffer": BUFFER,
        "generations": {f"g{n:03d}": {"prev": f"g{n - 1:03d}"} for n in range(1, number + 1)},
    }
    return cast(DictConfig, OmegaConf.merge(OmegaConf.structured(StageParams), values, overrides or {}))


def begin_run(folder: Path) -> RunPaths:
    """The paths of a run in `folder`, with the index that the init stage leaves."""
    paths = RunPaths(folder / "runs")
    write_empty_index(paths.buffer("g000"))
    return paths


def play(paths: RunPaths, gen: str, num_games: int = 24, shard_games: int = 10, game: Game = GAME) -> None:
    """Write the shards of one generation of random games; the generation's number is the seed."""
    records = random_records(game, num_games, seed=int(gen[1:]))
    for shard, begin in enumerate(range(0, num_games, shard_games)):
        path = paths.games(gen) / f"shard-{shard:05d}.parquet"
        write_shard(path, records[begin : begin + shard_games], game.spec(), gen)


def play_and_buffer(paths: RunPaths, gen: str, num_games: int = 24, **overrides: dict[str, object]) -> None:
    """Self-play and the buffer stage of one generation."""
    play(paths, gen, num_games)
    buffer_stage.run(make_params(gen, overrides), gen, paths.root, paths)
