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
from stonezero.training.evaluation import evaluate, looks, spread, to_tensors
from stonezero.training.losses import policy_loss, value_loss
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
STEP_COLUMNS = ("loss", "policy_loss", "value_loss", "gradient_norm")

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

    Copies of a game count once, held-out positions not at all. WindowError for too few positions.
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
    return math.ceil(num_new * config.samples_per_position / config.batch_size)


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
        self._config = config
        self._resume_file = resume_file
        weight = np.where(window.is_held_out, np.float32(0), window.weight)
        self._sampler = Sampler(weight, config.batch_size, data.seed, config.symmetry)
        self._maker = BatchMaker(data.game, window, data.planes)
        fewest, most = HELD_OUT_POSITIONS
        wanted = int(np.clip(HELD_OUT_SHARE * self.num_steps * config.batch_size, fewest, most))
        self._held_out = spread(np.flatnonzero(window.is_held_out), wanted)
        self._looks = looks(self.num_steps, HELD_OUT_LOOKS)
        self._step = 0
        self._sums = np.zeros(len(STEP_COLUMNS))  # over the steps since the last row
        self._num_summed = 0

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
        planes, legal, policy, has_policy, outcome = to_tensors(batch, config.device)
        optim.set_learning_rate(optimizer, optim.learning_rate(config, self._step, self.num_steps))
        policy_logits, value_logits = self._model(planes)
        policy_part = policy_loss(policy_logits, legal, policy, has_policy)
        value_part = value_loss(value_logits, outcome)
        loss = policy_part + config.value_weight * value_part
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self._model.parameters(), config.gradient_clip or math.inf)
        self._add(torch.stack([loss, policy_part, value_part, norm]))
        optimizer.step()
        self._step += 1

    def _add(self, figures: Tensor) -> None:
        values = figures.tolist()
        if not all(math.isfinite(value) for value in values):
            name = next(n for n, v in zip(STEP_COLUMNS, values, strict=True) if not math.isfinite(v))
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
            row |= dict(zip((f"train_{name}" for name in STEP_COLUMNS), means, strict=True))
        if self._step in self._looks and len(self._held_out):
            row |= self._held_out_figures()
        self.rows.append(row)
        self._sums[:] = 0
        self._num_summed = 0

    def _held_out_figures(self) -> Row:
        config = self._config
        figures = evaluate(self._model, self._maker, self._held_out, config.batch_size, config.device)
        figures = {"loss": figures["policy_loss"] + config.value_weight * figures["value_loss"], **figures}
        return {f"held_out_{name}": value for name, value in figures.items()}

    def save(self) -> None:
        """Write a resume point."""
        weights = {f"weights/{name}": array for name, array in export_weights(self._model).items()}
        state = {f"state/{name}": a for name, a in optim.export_state(self._model, self._optimizer).items()}
        progress = {
            "step": self._step,
            "rows": self.rows,
            "sums": self._sums.tolist(),
            "num_summed": self._num_summed,
        }
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
        self._step = progress["step"]
        self.rows = progress["rows"]
        self._sums[:] = progress["sums"]
        self._num_summed = progress["num_summed"]
        log.info("training resumes after step %d of %d", self._step, self.num_steps)


def _under(prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
