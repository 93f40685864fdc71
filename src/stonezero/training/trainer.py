"""The training loop: a net, its optimiser and a window in; a trained net and its losses out.

The loop can be killed at any moment: it leaves resume points, and a run that starts from one ends with
the same bits as a run that was never killed.
"""

import logging
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from stonezero.config.schema import TrainConfig
from stonezero.errors import UserError
from stonezero.games import Game
from stonezero.network.model import export_weights, load_weights
from stonezero.replay.loading import Window
from stonezero.replay.window import WindowError
from stonezero.training import optimizer as optim
from stonezero.training.averaging import Averaging
from stonezero.training.evaluation import HELD_OUT_COLUMNS, evaluate, looks, spread, to_tensors
from stonezero.training.objective import Objective
from stonezero.training.samples import BatchMaker, Sampler

log = logging.getLogger(__name__)

LOGGED_ROWS = 20
"""Rows of the loss table a generation has, about."""
HELD_OUT_LOOKS = 4
"""Looks at the held-out positions after the one before the first step."""
HELD_OUT_SHARE = 0.02
"""Positions per look as a share of all training samples; forward passes only, so 3% of the time in all."""
HELD_OUT_POSITIONS = (256, 4096)
"""Fewest and most positions per look."""
LOWEST_SCALE = 1.0
"""fp16 training whose gradients overflow even below this loss scale has diverged."""

Row = dict[str, float]


class TrainingError(UserError):
    """Training has come to a loss or weight that is not a finite number, or cannot begin."""


@dataclass(frozen=True)
class TrainingData:
    """What a net is trained on."""

    game: Game
    window: Window
    planes: list[str]  #: input planes of the net
    seed: tuple[int, int]  #: root seed and number of the generation


def number_of_steps(window: Window, config: TrainConfig) -> int:
    """Steps in which new positions times `samples_per_position` samples are seen.

    Or, with `epochs`, in which all positions are seen so often. Copies of a game count once, held-out
    positions not at all. WindowError for too few positions.
    """
    is_trained = ~window.is_held_out
    if is_trained.sum() < config.batch_size:
        raise WindowError(
            f"the window holds {is_trained.sum()} positions to train on, fewer than train.batch_size "
            f"{config.batch_size}: play more games or take a smaller batch"
        )
    num_new = float(window.weight[is_trained & (window.staleness == 0)].sum())
    if num_new == 0:
        raise WindowError("all new games are held out: play more games or lower buffer.held_out_fraction")
    if config.epochs:
        return math.ceil(float(window.weight[is_trained].sum()) * config.epochs / config.batch_size)
    return math.ceil(num_new * config.samples_per_position / config.batch_size)


def steps_per_epoch(window: Window, config: TrainConfig) -> int:
    """Steps of one pass over the positions trained on."""
    return math.ceil(float(window.weight[~window.is_held_out].sum()) / config.batch_size)


def configure_torch(config: TrainConfig) -> None:
    """The process-wide settings that make the same run give the same bits."""
    if config.device == "cuda":
        if not torch.cuda.is_available():
            raise TrainingError("train.device is cuda, but torch finds no CUDA device")
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    # on CUDA some backward passes have no deterministic form: a warning, where a CPU never needs one
    torch.use_deterministic_algorithms(True, warn_only=config.device == "cuda")
    torch.set_num_threads(config.threads)


class Trainer:
    """Trains `model` in place. Make one, `resume` it from a resume point if there is one, and `run` it."""

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        data: TrainingData,
        config: TrainConfig,
        resume_file: Path,
    ) -> None:
        configure_torch(config)
        window = data.window
        self.num_steps = number_of_steps(window, config)
        self.rows: list[Row] = []  #: the loss table
        self._model = model.train()
        self._optimizer = optimizer
        self._objective = Objective(model, config, steps_per_epoch(window, config))
        self._scaler = torch.amp.GradScaler(config.device, enabled=config.precision == "fp16")
        self._averaging = None if config.averaging == "none" else Averaging(model, config, self.num_steps)
        self._config = config
        self._resume_file = resume_file
        sampling = window.weight if window.sampling is None else window.sampling
        weight = np.where(window.is_held_out, np.float32(0), sampling)
        self._sampler = Sampler(weight, config.batch_size, data.seed, config.symmetry)
        self._maker = BatchMaker(data.game, window, data.planes)
        fewest, most = HELD_OUT_POSITIONS
        wanted = int(np.clip(HELD_OUT_SHARE * self.num_steps * config.batch_size, fewest, most))
        self._all_held_out = np.flatnonzero(window.is_held_out)
        self._held_out = spread(self._all_held_out, wanted)
        self._looks = looks(self.num_steps, HELD_OUT_LOOKS)
        self._step = 0
        self._sums = np.zeros(len(self._objective.columns))  # over the steps since the last row
        self._num_summed = 0

    @property
    def trained(self) -> nn.Module:
        """The candidate: the model, or the one with its averaged weights."""
        return self._model if self._averaging is None else self._averaging.model

    def run(self) -> list[Row]:
        """Train to the last step; returns the loss table. TrainingError at a loss that is not finite."""
        if self._step == 0:
            self._log_row()
        every = max(1, self.num_steps // LOGGED_ROWS)
        progress = tqdm(total=self.num_steps, initial=self._step, desc="train", unit="step", disable=None)
        with progress:
            while self._step < self.num_steps:
                self._train_step()
                progress.update()
                if self._step % every == 0 or self._step in self._looks:
                    self._log_row()
                if self._step % self._config.checkpoint_steps == 0:
                    self.save()
        if not all(bool(torch.isfinite(p).all()) for p in self._model.state_dict().values()):
            raise TrainingError(f"training: a weight is not finite after step {self._step}; lower train.lr")
        return self.rows

    def _train_step(self) -> None:
        config, optimizer = self._config, self._optimizer
        batch = self._maker.make(*self._sampler.draw(self._step))
        tensors = to_tensors(batch, config.device)
        optim.set_learning_rate(optimizer, optim.learning_rate(config, self._step, self.num_steps))
        self._objective.settle_frozen_head(self._step)
        loss, parts = self._objective.losses(tensors, self._step)
        optimizer.zero_grad(set_to_none=True)
        self._scaler.scale(loss).backward()
        self._scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(self._model.parameters(), config.gradient_clip or math.inf)
        if not self._scaler.is_enabled() or bool(torch.isfinite(norm)):
            self._add(torch.stack([loss, *parts[:2], norm, *parts[2:]]))
        self._scaler.step(optimizer)  # leaves out a step whose gradients overflow in fp16
        self._scaler.update()
        if self._scaler.is_enabled() and self._scaler.get_scale() < LOWEST_SCALE:
            raise TrainingError(f"training: gradients overflow in fp16 at step {self._step + 1}; take bf16")
        if self._averaging is not None:
            self._averaging.update(self._step)
        self._step += 1

    def _add(self, figures: Tensor) -> None:
        values = figures.tolist()
        if not all(math.isfinite(value) for value in values):
            name = next(
                n for n, v in zip(self._objective.columns, values, strict=True) if not math.isfinite(v)
            )
            raise TrainingError(
                f"training: the {name.replace('_', ' ')} is not finite at step {self._step + 1} of "
                f"{self.num_steps}; lower train.lr or set train.gradient_clip"
            )
        self._sums += values
        self._num_summed += 1

    def _log_row(self) -> None:
        """Add a row: means since the last one, and a look at the held-out positions when due."""
        last = max(0, self._step - 1)
        row: Row = {"step": self._step, "lr": optim.learning_rate(self._config, last, self.num_steps)}
        if self._num_summed:
            means = (self._sums / self._num_summed).tolist()
            row |= dict(zip((f"train_{name}" for name in self._objective.columns), means, strict=True))
        if self._step in self._looks and len(self._held_out):
            row |= self._look()
        self.rows.append(row)
        self._sums[:] = 0
        self._num_summed = 0

    def _look(self) -> Row:
        config = self._config
        figures = evaluate(self.trained, self._maker, self._held_out, config.batch_size, config.device)
        loss = config.policy_weight * figures["policy_loss"] + config.value_weight * figures["value_loss"]
        row = {"held_out_loss": loss}
        return row | {f"held_out_{name}": figures[name] for name in HELD_OUT_COLUMNS}

    def held_out_figures(self) -> dict[str, float]:
        """FIGURES of the candidate over all held-out positions."""
        config = self._config
        return evaluate(self.trained, self._maker, self._all_held_out, config.batch_size, config.device)

    def save(self) -> None:
        """Write a resume point."""
        weights = {f"weights/{name}": array for name, array in export_weights(self._model).items()}
        state = {f"state/{name}": a for name, a in optim.export_state(self._model, self._optimizer).items()}
        progress: dict[str, Any] = {
            "step": self._step,
            "rows": self.rows,
            "sums": self._sums.tolist(),
            "num_summed": self._num_summed,
        }
        if self._averaging is not None:
            weights |= {f"average/{name}": array for name, array in self._averaging.export().items()}
            progress["num_averaged"] = self._averaging.num_averaged
        if self._scaler.is_enabled():
            progress["scaler"] = self._scaler.state_dict()
        optim.write_state(self._resume_file, weights | state, progress)

    def resume(self) -> None:
        """Go on from the resume point, if there is one that can be read."""
        if not self._resume_file.exists():
            return
        try:
            arrays, progress = optim.read_state(self._resume_file)
        except optim.OptimizerStateError as error:
            log.warning("training starts over: %s", error)
            return
        load_weights(self._model, _under("weights/", arrays))
        optim.load_state(self._model, self._optimizer, _under("state/", arrays))
        if self._averaging is not None:
            self._averaging.restore(_under("average/", arrays), progress["num_averaged"])
        if self._scaler.is_enabled():
            self._scaler.load_state_dict(progress["scaler"])
        self._step = progress["step"]
        self.rows = progress["rows"]
        self._sums[:] = progress["sums"]
        self._num_summed = progress["num_summed"]
        log.info("training resumes after step %d of %d", self._step, self.num_steps)


def _under(prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
