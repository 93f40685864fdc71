"""The losses, each a mean over a batch. Axis letters: B rows of a batch, A actions.

A value target is the outcome for the side to move, int64[B] of 1, 0 and -1, or, where targets are soft
(merged positions, results of lesser quality), shares of win, draw and loss, float32[B, 3].
"""

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
    return mean_where(cross_entropy, has_policy)


def policy_entropy(logits: Tensor, legal: Tensor) -> Tensor:
    """Mean entropy of the net's policy over legal moves, in nats; 0 where a move is forced."""
    log_policy = F.log_softmax(mask_illegal(logits, legal), dim=1)
    return -(log_policy.exp() * log_policy).sum(dim=1).mean()


def value_loss(logits: Tensor, target: Tensor, kind: str = "auto", huber_delta: float = 1.0) -> Tensor:
    """Loss of the value for the side to move against its target.

    logits float[B, 3] (win, draw, loss) or float[B, 1] (before tanh). `kind` is cross_entropy (three logits,
    in nats), mse or huber of the expected value, or auto: cross_entropy for three logits, mse for one.
    Huber's loss is e^2 / 2 up to |e| = delta and then a line of slope delta (Huber 1964), not torch's smooth
    L1, whose slope is 1 for every beta.
    """
    if kind == "auto":
        kind = "mse" if logits.shape[1] == 1 else "cross_entropy"
    if kind == "cross_entropy":
        return F.cross_entropy(logits.float(), 1 - target if target.ndim == 1 else target)
    if kind == "huber":
        return F.huber_loss(expected_value(logits), expected_target(target), delta=huber_delta)
    return F.mse_loss(expected_value(logits), expected_target(target))


def expected_value(logits: Tensor) -> Tensor:
    """float32[B]: P(win) - P(loss), or the tanh."""
    if logits.shape[1] == 1:
        return torch.tanh(logits.float()).squeeze(1)
    chances = torch.softmax(logits.float(), dim=1)
    return chances[:, 0] - chances[:, 2]


def expected_target(target: Tensor) -> Tensor:
    """float32[B]: a value target as one number in [-1, 1]."""
    return target.float() if target.ndim == 1 else target[:, 0] - target[:, 2]


def mean_where(losses: Tensor, has_target: Tensor) -> Tensor:
    """Mean of float32[B] over the rows whose `has_target`, float32[B], is 1; 0 where there is none."""
    return (losses * has_target).sum() / has_target.sum().clamp(min=1)


def ownership_loss(said: Tensor, ownership: Tensor, has_end: Tensor) -> Tensor:
    """Mean squared error over points, float32[B, S] against 1, 0 and -1, over rows with a known end."""
    return mean_where((said.float() - ownership).square().mean(dim=1), has_end)


def score_loss(said: Tensor, ownership: Tensor, has_end: Tensor) -> Tensor:
    """Squared error of the final difference of stones as a share of the points, float32[B]."""
    return mean_where((said.float() - ownership.mean(dim=1)).square(), has_end)


def reply_loss(logits: Tensor, reply: Tensor) -> Tensor:
    """Cross entropy, in nats, of the opponent's next move int64[B] over rows that have one (not -1).

    Over all actions: what is legal then depends on the move played now.
    """
    losses = F.cross_entropy(logits.float(), reply, ignore_index=-1, reduction="none")
    return mean_where(losses, (reply >= 0).float())
