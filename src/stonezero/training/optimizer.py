"""Optimisers, learning rate schedules, and optimiser state as a safetensors file with repeatable bytes."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors
from torch import nn

from stonezero.config.schema import TrainConfig
from stonezero.errors import UserError
from stonezero.files import atomic_write

Arrays = dict[str, NDArray[np.float32]]
STEP_FACTOR_AT = (0.5, 0.75)
"""Shares of the steps after which the schedule `step` lowers the rate."""

ONECYCLE_START, ONECYCLE_END = 25.0, 1e4
"""The rate starts at the peak over the first and ends at the start over the second."""


class OptimizerStateError(UserError):
    """An optimiser state file is missing, damaged or of another kind."""


def make_optimizer(model: nn.Module, config: TrainConfig) -> torch.optim.Optimizer:
    """The optimiser of the config; `weight_decay` on all weights but norms and biases (one-axis tensors).

    Adam and SGD take it as L2 (into the gradient), AdamW apart from the gradient (Loshchilov & Hutter 2019).
    """
    decayed = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    groups = [
        {"params": decayed, "weight_decay": config.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    if config.optimizer == "adam":
        return torch.optim.Adam(groups, lr=config.lr)
    if config.optimizer == "adamw":
        return torch.optim.AdamW(groups, lr=config.lr)
    return torch.optim.SGD(groups, lr=config.lr, momentum=config.momentum)


def learning_rate(config: TrainConfig, step: int, num_steps: int) -> float:
    """Of step 0..num_steps-1: warm-up from lr / warmup_steps, then the schedule over what remains."""
    if config.lr_schedule == "onecycle":
        return _onecycle(config, step, num_steps)
    if step < config.warmup_steps:
        return config.lr * (step + 1) / config.warmup_steps
    done = (step - config.warmup_steps) / max(1, num_steps - config.warmup_steps)
    if config.lr_schedule == "cosine":
        return config.lr * (1 + math.cos(math.pi * done)) / 2
    if config.lr_schedule == "step":
        return config.lr * config.lr_step_factor ** sum(done >= share for share in STEP_FACTOR_AT)
    return config.lr


def _onecycle(config: TrainConfig, step: int, num_steps: int) -> float:
    """Up to the peak along half a cosine, down along another (Smith 2018, arXiv:1803.09820).

    Starts at lr / 25 and ends at a ten-thousandth of that, as torch's OneCycleLR, momentum left as it is.
    """
    lowest = config.lr / ONECYCLE_START
    peak_step = config.onecycle_warmup_share * num_steps - 1
    if step <= peak_step:
        start, end, done = lowest, config.lr, step / max(peak_step, 1e-9)
    else:
        start, end = config.lr, lowest / ONECYCLE_END
        done = (step - peak_step) / max(num_steps - 1 - peak_step, 1e-9)
    return end + (start - end) * (1 + math.cos(math.pi * done)) / 2


def set_learning_rate(optimizer: torch.optim.Optimizer, lr: float) -> None:
    """For all parameters."""
    for group in optimizer.param_groups:
        group["lr"] = lr


def export_state(model: nn.Module, optimizer: torch.optim.Optimizer) -> Arrays:
    """All state as arrays named `exp_avg/blocks.0.first.conv.weight`; empty before the first step."""
    return {
        f"{key}/{name}": tensor.detach().cpu().numpy().copy()
        for name, parameter in model.named_parameters()
        for key, tensor in optimizer.state[parameter].items()
        if tensor is not None
    }


def load_state(model: nn.Module, optimizer: torch.optim.Optimizer, arrays: Arrays) -> bool:
    """Set the state `export_state` gave; False, and nothing set, where it is another optimiser's or net's.

    Parameters that were never trained (a frozen head) have no state and stay without.
    """
    parameters = dict(model.named_parameters())
    keys = _state_keys(optimizer)
    trained = {name.partition("/")[2] for name in arrays}
    if not trained <= parameters.keys() or bool(trained) != bool(keys):
        return False
    wanted = {
        f"{key}/{name}": () if key == "step" else tuple(parameters[name].shape)
        for name in trained
        for key in keys
    }
    if {name: array.shape for name, array in arrays.items()} != wanted:
        return False
    for name, array in arrays.items():
        key, parameter_name = name.split("/")
        tensor = torch.from_numpy(array.copy())
        if key != "step":
            tensor = torch.zeros_like(parameters[parameter_name]).copy_(tensor)
        optimizer.state[parameters[parameter_name]][key] = tensor
    return True


def _state_keys(optimizer: torch.optim.Optimizer) -> tuple[str, ...]:
    if isinstance(optimizer, torch.optim.Adam | torch.optim.AdamW):
        return ("step", "exp_avg", "exp_avg_sq")
    return ("momentum_buffer",) if optimizer.param_groups[0]["momentum"] else ()


def write_state(path: Path | str, arrays: Arrays, metadata: dict[str, Any]) -> None:
    """Write arrays and JSON `metadata` atomically; under one key, as several are written in random order."""
    data = save_tensors(dict(sorted(arrays.items())), {"stonezero": json.dumps(metadata, sort_keys=True)})
    with atomic_write(path) as temporary:
        temporary.write_bytes(data)


def read_state(path: Path | str) -> tuple[Arrays, dict[str, Any]]:
    """Arrays and metadata of `write_state`; OptimizerStateError when the file is missing or not one."""
    path = Path(path)
    try:
        data = path.read_bytes()
        arrays = load_tensors(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        return arrays, json.loads(header["__metadata__"]["stonezero"])
    except FileNotFoundError:
        raise OptimizerStateError(f"{path}: no such optimiser state") from None
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise OptimizerStateError(f"{path}: truncated, damaged or not an optimiser state ({error})") from None
