"""The body of the train stage: the window of a generation and the last net make the next candidate."""

import hashlib
import json
import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from omegaconf import DictConfig, OmegaConf
from torch import nn

from stonezero.config import (
    RunPaths,
    generation_number,
    generation_section,
    previous_generation,
    typed_section,
)
from stonezero.config import paths as default_paths
from stonezero.config.schema import BufferConfig, NetworkConfig, TrainConfig
from stonezero.files import write_text
from stonezero.games import make_game
from stonezero.metrics import Metric
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.model import build_model, export_weights, load_weights
from stonezero.replay.index import WindowIndex, read_index
from stonezero.replay.loading import Window, load_window
from stonezero.replay.merging import merged
from stonezero.replay.sampling import sampling_weights
from stonezero.replay.window import WindowError
from stonezero.training.optimizer import (
    Arrays,
    export_state,
    load_state,
    make_optimizer,
    read_state,
    write_state,
)
from stonezero.training.samples import BatchMaker
from stonezero.training.start import start_checkpoint
from stonezero.training.surprise import divergences, is_stale, surprise_factors
from stonezero.training.table import metrics, summary, to_csv
from stonezero.training.trainer import Row, Trainer, TrainingData

log = logging.getLogger(__name__)

RAW = "raw/"
"""Where weights are averaged, the optimiser's state holds the unaveraged ones, too, to go on from."""


@dataclass(frozen=True)
class Trained:
    """What training makes."""

    checkpoint: Checkpoint
    state: Arrays  #: of the optimiser
    rows: list[Row]  #: the loss table
    trainer: Trainer


def run(params: DictConfig, gen: str, scratch: Path, paths: RunPaths = default_paths) -> list[Metric]:
    """Write candidate, optimiser state and losses of `gen`; return the losses as figures.

    Resume points lie in `scratch`. Nothing is written when training fails with a UserError.
    """
    config = typed_section(params, "train", TrainConfig)
    game = make_game(**params.game)
    index = read_index(paths.buffer(gen))
    start = start_checkpoint(params, config, game, paths)
    state: Arrays = {}
    if config.start == "last":
        state, _ = read_state(paths.optimizer(previous_generation(params)))
    trained = train(params, index, (start, state), scratch, paths.root.parent)
    trained.checkpoint.save(paths.candidate(gen))
    write_state(paths.optimizer(gen), trained.state, {"optimizer": config.optimizer})
    write_text(paths.losses(gen), to_csv(trained.rows))
    log.info("%s: %s", gen, summary(trained.rows))
    return metrics(trained.rows)


def train(
    params: DictConfig, index: WindowIndex, start: tuple[Checkpoint, Arrays], scratch: Path, root: Path
) -> Trained:
    """Train the net `start`, with the state of an optimiser or none, on the rows of an index.

    The index's files lie below `root`; resume points in `scratch`.
    """
    config = typed_section(params, "train", TrainConfig)
    network = typed_section(params, "network", NetworkConfig)
    game = make_game(**params.game)
    checkpoint, state = start
    model = build_model(network, game.size, game.num_actions)
    load_weights(model, checkpoint.weights)
    # channels last: 10 to 20% faster steps on a CPU; before the optimiser's state takes its layout
    model.to(config.device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimizer = make_optimizer(model, config)
    window = prepared_window(params, index, model, root)
    seed = (params.seed, generation_number(params.gen))
    trainer = Trainer(
        model,
        optimizer,
        TrainingData(game, window, network.planes, seed),
        config,
        scratch / "training.safetensors",
    )
    _continue(model, optimizer, state, config)
    trainer.resume()
    rows = trainer.run()
    weights = export_weights(trainer.trained)
    made = Checkpoint(weights, game.spec(), network, params.gen, params_digest(params))
    left = export_state(model, optimizer)
    if config.averaging != "none":
        left |= {RAW + name: array for name, array in export_weights(model).items()}
    return Trained(made, left, rows, trainer)


def _continue(model: nn.Module, optimizer: torch.optim.Optimizer, state: Arrays, config: TrainConfig) -> None:
    """Take over what the training before left beside its candidate."""
    raw = {name.removeprefix(RAW): array for name, array in state.items() if name.startswith(RAW)}
    moments = {name: array for name, array in state.items() if not name.startswith(RAW)}
    if moments and not load_state(model, optimizer, moments):
        log.warning("the optimiser starts afresh: its state is another optimiser's or net's")
    elif raw and config.averaging != "none":
        load_weights(model, raw)


def prepared_window(params: DictConfig, index: WindowIndex, model: nn.Module, root: Path) -> Window:
    """The window as `buffer` wants it seen; `model` is the net that training begins with."""
    buffer = typed_section(params, "buffer", BufferConfig)
    network = typed_section(params, "network", NetworkConfig)
    game = make_game(**params.game)
    window = load_window(index, game, root, buffer, has_outlook=bool(network.auxiliary))
    if buffer.merge_positions:
        window = merged(window, game)
    sampling = sampling_weights(window, buffer, game.size)
    if buffer.kl_threshold or buffer.surprise_share:
        maker = BatchMaker(game, window, network.planes)
        divergence = divergences(model, maker, len(window), params.train.device)
        sampling = np.array(window.weight if sampling is None else sampling)
        if buffer.kl_threshold:
            stale = is_stale(window, divergence, buffer, (params.seed, generation_number(params.gen)))
            sampling[stale] = 0
            log.info("%d of %d positions are stale and left out", stale.sum(), len(window))
        sampling *= surprise_factors(window, divergence, buffer.surprise_share).astype(np.float32)
    window = window if sampling is None else replace(window, sampling=sampling)
    if sampling is not None and not sampling[~window.is_held_out].any():
        raise WindowError("the buffer's weights leave no position to train on")
    return window


def params_digest(params: DictConfig) -> str:
    """Hex digest of the parameters that this generation's training depends on."""
    sections: dict[str, Any] = {name: OmegaConf.to_container(params[name]) for name in ("game", "network")}
    sections |= {"seed": params.seed, "gen": params.gen}
    for name in ("buffer", "train"):
        sections[name] = OmegaConf.to_container(generation_section(params, name))
    return hashlib.sha256(json.dumps(sections, sort_keys=True).encode()).hexdigest()[:16]
