"""What a training step minimises: losses with their weights, by epoch, and frozen heads."""

from typing import Any

import torch
from torch import Tensor

from stonezero.config.schema import TrainConfig
from stonezero.training.losses import (
    ownership_loss,
    policy_entropy,
    policy_loss,
    reply_loss,
    score_loss,
    value_loss,
)
from stonezero.training.samples import Batch

STEP_COLUMNS = ("loss", "policy_loss", "value_loss", "gradient_norm")
"""Of every step; losses of auxiliary heads come after them."""

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


class Objective:
    """The loss of a batch at a step. Epochs are passes over the positions trained on."""

    def __init__(self, model: Any, config: TrainConfig, steps_per_epoch: int) -> None:
        self._model = model
        self._config = config
        self._steps_per_epoch = steps_per_epoch
        self._weights = {
            "ownership": config.ownership_weight,
            "score": config.score_weight,
            "reply": config.reply_weight,
        }
        self.auxiliary = list(getattr(model, "auxiliary", {}))
        self.columns = (*STEP_COLUMNS, *(f"{name}_loss" for name in self.auxiliary))

    def value_weight(self, step: int) -> float:
        """Of the value loss: by epoch where there is a list, whose last entry holds on."""
        by_epoch = self._config.value_weight_by_epoch
        if not by_epoch:
            return self._config.value_weight
        return by_epoch[min(step // self._steps_per_epoch, len(by_epoch) - 1)]

    def settle_frozen_head(self, step: int) -> None:
        """Freeze or free the head that `freeze_head` names: neither its weights nor its norms move."""
        if self._config.freeze_head == "none":
            return
        head = self._model.get_submodule(self._config.freeze_head)
        is_frozen = step < self._config.freeze_epochs * self._steps_per_epoch
        head.requires_grad_(not is_frozen)
        head.train(not is_frozen)

    def losses(self, batch: Batch, step: int) -> tuple[Tensor, list[Tensor]]:
        """The sum to minimise, and its parts: of policy, value and the auxiliary heads."""
        config = self._config
        device = batch.planes.device.type
        with torch.autocast(device, DTYPES[config.precision], enabled=config.precision != "f32"):
            if self.auxiliary:
                policy_logits, value_logits, said = self._model.all_heads(batch.planes)
            else:
                policy_logits, value_logits = self._model(batch.planes)
                said = {}
        policy_part = policy_loss(policy_logits, batch.legal, batch.policy, batch.has_policy)
        value_part = value_loss(value_logits, batch.value, config.value_loss, config.huber_delta)
        total = config.policy_weight * policy_part + self.value_weight(step) * value_part
        if config.entropy_bonus:
            total = total - config.entropy_bonus * policy_entropy(policy_logits, batch.legal)
        extra = [self._auxiliary_loss(name, said[name], batch) for name in self.auxiliary]
        for name, part in zip(self.auxiliary, extra, strict=True):
            total = total + self._weights[name] * part
        return total, [policy_part, value_part, *extra]

    def _auxiliary_loss(self, name: str, said: Tensor, batch: Batch) -> Tensor:
        if name == "reply":
            return reply_loss(said, batch.reply)
        loss = ownership_loss if name == "ownership" else score_loss
        return loss(said, batch.ownership, batch.has_end)
