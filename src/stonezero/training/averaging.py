"""Averages of the weights over training: often a better net than the last weights, at no cost in play.

ema  exponential moving average over all steps: average <- d * average + (1 - d) * weights, where the decay d
     starts low: min(ema_decay, (1 + n) / (10 + n)) after n steps, so that early weights are soon forgotten
swa  equal average over the last `swa_share` of the steps (Izmailov et al. 2018, arXiv:1803.05407; the norms'
     statistics are averaged like the weights, where the paper measures them anew)
"""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from stonezero.config.schema import TrainConfig
from stonezero.network.model import export_weights, load_weights


class Averaging:
    """Follows a model step by step."""

    def __init__(self, model: nn.Module, config: TrainConfig, num_steps: int) -> None:
        self.num_averaged = 0
        self._average = copy.deepcopy(model)
        self._followed = model
        self._kind = config.averaging
        self._decay = config.ema_decay
        self._first_step = min(round((1 - config.swa_share) * num_steps), num_steps - 1)

    @property
    def model(self) -> nn.Module:
        """The model with averaged weights; the followed one as long as nothing is averaged."""
        return self._average if self.num_averaged else self._followed

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take in the weights after step `step`, counted from 0."""
        if self._kind == "swa":
            if step < self._first_step:
                return
            share = 1 / (self.num_averaged + 1)
        else:
            share = 1 - min(self._decay, (1 + self.num_averaged) / (10 + self.num_averaged))
        self.num_averaged += 1
        followed = self._followed.state_dict()
        for name, average in self._average.state_dict().items():
            if average.is_floating_point():
                average.lerp_(followed[name], share)

    def export(self) -> dict[str, NDArray[np.float32]]:
        """The averaged weights."""
        return export_weights(self._average)

    def restore(self, weights: dict[str, Any], num_averaged: int) -> None:
        """What `export` gave after so many weights."""
        load_weights(self._average, weights)
        self.num_averaged = num_averaged
