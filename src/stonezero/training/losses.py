"""The losses, each a mean over a batch. Axis letters: B rows of a batch, A actions."""

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

ILLEGAL_LOGIT = -1e9
"""Takes the place of illegal moves' logits: no probability, and 0 * log(probability) stays 0, not NaN."""


def mask_illegal(logits: Tensor, legal: Tensor) -> Tensor:
    """float32[B, A]: logits of legal moves, ILLEGAL_LOGIT for the others, whatever their logits."""
    return logits.float().masked_fill(~legal, ILLEGAL_LOGIT)


def policy_loss(logits: Tensor, legal: Tensor, policy: Tensor, has_policy: Tensor) -> Tensor:
    """Cross entropy of the net's policy over legal moves against `policy`, over rows that have a target.

    logits float[B, A], legal bool[B, A], policy float32[B, A], has_policy float32[B] (0 or 1). In nats.
    """
    log_policy = F.log_softmax(mask_illegal(logits, legal), dim=1)
    cross_entropy = -(policy * log_policy).sum(dim=1)
    return (cross_entropy * has_policy).sum() / has_policy.sum().clamp(min=1)


def value_loss(logits: Tensor, outcome: Tensor) -> Tensor:
    """Loss of the value for the side to move against its `outcome`, int64[B] of 1, 0, -1.

    logits float[B, 3] (win, draw, loss): cross entropy in nats. float[B, 1] (before tanh): squared error.
    """
    if logits.shape[1] == 1:
        return F.mse_loss(torch.tanh(logits.float()).squeeze(1), outcome.float())
    return F.cross_entropy(logits.float(), 1 - outcome)


def expected_value(logits: Tensor) -> Tensor:
    """float32[B]: P(win) - P(loss), or the tanh."""
    if logits.shape[1] == 1:
        return torch.tanh(logits.float()).squeeze(1)
    chances = torch.softmax(logits.float(), dim=1)
    return chances[:, 0] - chances[:, 2]
