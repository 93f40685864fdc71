"""How well a net does on positions it is not trained on."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from stonezero.training.losses import expected_value, mask_illegal, policy_loss, value_loss
from stonezero.training.samples import Batch, BatchMaker

HELD_OUT_COLUMNS = ("policy_loss", "value_loss", "policy_top1", "value_sign")
FIGURES = (*HELD_OUT_COLUMNS, "value_mse")
"""value_mse is the one that nets with other heads have in common."""


def to_tensors(batch: Batch, device: str) -> Batch:
    """A batch's arrays on `device`: planes with channels last, the legal mask as booleans."""
    tensors = Batch(*(None if a is None else torch.from_numpy(a).to(device) for a in batch))
    planes = tensors.planes.contiguous(memory_format=torch.channels_last)
    return tensors._replace(planes=planes, legal=tensors.legal.bool())


def evaluate(
    model: nn.Module, maker: BatchMaker, rows: NDArray[np.int64], batch_size: int, device: str
) -> dict[str, float]:
    """Figures over some rows of the window, by the names of FIGURES; norms use their statistics.

    policy_top1 is the share of policy targets whose most visited move is the net's first choice; value_sign
    the share of decided games whose winner the value's sign names. 0 where there is none to judge. Losses are
    those that go with the head (cross entropy or squared error) against outcomes as played, whatever training
    minimises, so that nets trained in other ways can be compared.
    """
    was_training = model.training
    model.eval()
    totals = np.zeros((2, len(FIGURES)))
    for begin in range(0, len(rows), batch_size):
        chunk = rows[begin : begin + batch_size]
        totals += _sums_and_counts(model, maker.make(chunk, np.zeros(len(chunk), np.int64)), device)
    model.train(was_training)
    means = totals[0] / np.maximum(totals[1], 1)
    return dict(zip(FIGURES, means.tolist(), strict=True))


@torch.no_grad()
def _sums_and_counts(model: nn.Module, batch: Batch, device: str) -> NDArray[np.float64]:
    """float64[2, 5]: for each of FIGURES its sum over a batch and over how many rows that is."""
    b = to_tensors(batch, device)
    policy_logits, value_logits = model(b.planes)
    choice = mask_illegal(policy_logits, b.legal).argmax(dim=1, keepdim=True)
    is_top = b.policy.gather(1, choice).squeeze(1) == b.policy.amax(dim=1)
    value = expected_value(value_logits)
    is_sign = value * b.outcome > 0
    num_policies, num_decided = float(b.has_policy.sum()), float((b.outcome != 0).sum())
    sums = [
        float(policy_loss(policy_logits, b.legal, b.policy, b.has_policy)) * num_policies,
        float(value_loss(value_logits, b.outcome)) * len(b.outcome),
        float((is_top * b.has_policy).sum()),
        float(is_sign.sum()),
        float((value - b.outcome).square().sum()),
    ]
    counts = [num_policies, len(b.outcome), num_policies, num_decided, len(b.outcome)]
    return np.array([sums, counts])


def spread(rows: NDArray[np.int64], num_rows: int) -> NDArray[np.int64]:
    """At most `num_rows` of `rows`, evenly spaced."""
    if len(rows) <= num_rows:
        return rows
    return rows[np.linspace(0, len(rows) - 1, num_rows).astype(np.int64)]


def looks(num_steps: int, num_looks: int) -> Sequence[int]:
    """Steps at which held-out positions are looked at: 0, the last, and evenly between."""
    return sorted({round(num_steps * look / num_looks) for look in range(num_looks + 1)})
