"""What the net that training begins with thinks of the window's policy targets: filter and weights.

The divergence KL(target || net) tells two things. An old position whose target is far from what the net has
come to know is stale: the filter drops it. Among new ones it tells what there is to learn: policy-surprise
weighting (KataGo, docs/KataGoMethods.md) shows them more often. Both in training, where the net is, so that
the buffer stage needs none.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F  # noqa: N812

from stonezero.config.schema import BufferConfig
from stonezero.replay.loading import Window
from stonezero.training.evaluation import to_tensors
from stonezero.training.losses import mask_illegal
from stonezero.training.samples import BatchMaker

CHUNK_ROWS = 1024


@torch.no_grad()
def divergences(model: nn.Module, maker: BatchMaker, num_rows: int, device: str) -> NDArray[np.float32]:
    """float32[P]: KL(policy target || net's policy over legal moves) of every row, in nats."""
    was_training = model.training
    model.eval()
    parts = []
    for begin in range(0, num_rows, CHUNK_ROWS):
        rows = np.arange(begin, min(begin + CHUNK_ROWS, num_rows))
        batch = to_tensors(maker.make(rows, np.zeros(len(rows), np.int64)), device)
        log_policy = F.log_softmax(mask_illegal(model(batch.planes)[0], batch.legal), dim=1)
        divergence = (torch.xlogy(batch.policy, batch.policy) - batch.policy * log_policy).sum(dim=1)
        parts.append(divergence.cpu().numpy())
    model.train(was_training)
    return np.concatenate(parts)


def is_stale(
    window: Window, divergence: NDArray[np.float32], config: BufferConfig, seed: tuple[int, int]
) -> NDArray[np.bool_]:
    """bool[P]: positions of earlier generations to drop: above `kl_threshold`, with probability `kl_drop`."""
    drawn = np.random.default_rng([*seed, 1]).random(len(window)) < config.kl_drop
    is_far = divergence > config.kl_threshold
    return is_far & drawn & (window.staleness > 0) & window.is_policy_target


def surprise_factors(window: Window, divergence: NDArray[np.float32], share: float) -> NDArray[np.float64]:
    """float64[P] with mean 1 over policy targets trained on: (1 - share) + share * divergence / its mean."""
    counted = window.is_policy_target & ~window.is_held_out
    mean = np.average(divergence, weights=window.weight * counted) if counted.any() else 0.0
    if mean <= 0:
        return np.ones(len(window))
    return np.where(window.is_policy_target, 1 - share + share * np.maximum(divergence, 0) / mean, 1.0)
