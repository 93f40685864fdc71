"""The heads: from the trunk's features to logits. Auxiliary heads are trained and never played with.

`pooled` heads see the board through convolutions and global pooling only, so that one net plays every board
size (after KataGo, Wu 2019, arXiv:1902.10565, section 3.3; ours pools mean and maximum in both heads).
`dense` heads are those of AlphaZero (Silver et al. 2018): they flatten the board and are bound to its size.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from stonezero.config.schema import NetworkConfig
from stonezero.network.blocks import NUM_POOLED, NormedConv, pool

NUM_VALUE_LOGITS = {"wdl": 3, "tanh": 1}


class PooledPolicyHead(nn.Module):
    """Per point a logit from 1x1 convolutions biased by pooled features; the pass from those alone."""

    def __init__(self, network: NetworkConfig, size: int, has_pass: bool) -> None:
        super().__init__()
        self.size = size
        channels = network.policy_channels
        self.points = NormedConv(network.channels, channels, 1)
        self.summary = NormedConv(network.channels, channels, 1)
        self.bias = nn.Linear(NUM_POOLED * channels, channels)
        self.output = nn.Conv2d(channels, 1, 1, bias=False)
        self.pass_output = nn.Linear(NUM_POOLED * channels, 1) if has_pass else None

    def forward(self, x: Tensor) -> Tensor:
        pooled = pool(F.relu(self.summary(x)), self.size)
        points = F.relu(self.points(x) + self.bias(pooled)[:, :, None, None])
        logits = self.output(points).flatten(1)
        return logits if self.pass_output is None else torch.cat([logits, self.pass_output(pooled)], dim=1)


class PooledValueHead(nn.Module):
    """1x1 convolution, pooling, a hidden layer, the value's logits."""

    def __init__(self, network: NetworkConfig, size: int) -> None:
        super().__init__()
        self.size = size
        self.summary = NormedConv(network.channels, network.value_channels, 1)
        self.hidden = nn.Linear(NUM_POOLED * network.value_channels, network.value_hidden)
        self.output = nn.Linear(network.value_hidden, NUM_VALUE_LOGITS[network.value])

    def forward(self, x: Tensor) -> Tensor:
        return self.output(F.relu(self.hidden(pool(F.relu(self.summary(x)), self.size))))


class DensePolicyHead(nn.Module):
    """1x1 convolution, flattened, one dense layer."""

    def __init__(self, network: NetworkConfig, num_points: int, num_actions: int) -> None:
        super().__init__()
        self.summary = NormedConv(network.channels, network.policy_channels, 1)
        self.output = nn.Linear(network.policy_channels * num_points, num_actions)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(F.relu(self.summary(x)).flatten(1))


class DenseValueHead(nn.Module):
    """1x1 convolution, flattened, a hidden layer, the value's logits."""

    def __init__(self, network: NetworkConfig, num_points: int) -> None:
        super().__init__()
        self.summary = NormedConv(network.channels, network.value_channels, 1)
        self.hidden = nn.Linear(network.value_channels * num_points, network.value_hidden)
        self.output = nn.Linear(network.value_hidden, NUM_VALUE_LOGITS[network.value])

    def forward(self, x: Tensor) -> Tensor:
        return self.output(F.relu(self.hidden(F.relu(self.summary(x)).flatten(1))))


class OwnershipHead(nn.Module):
    """Per point whose stone lies there at the end, 1 for own and -1 for the opponent's: float32[B, S].

    Auxiliary target of KataGo (the same paper, section 3.5), which has a chance for each side instead.
    """

    def __init__(self, network: NetworkConfig) -> None:
        super().__init__()
        self.points = NormedConv(network.channels, network.value_channels, 1)
        self.output = nn.Conv2d(network.value_channels, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.output(F.relu(self.points(x))).flatten(1))


class ScoreHead(nn.Module):
    """The final difference of stones as a share of the board's points, own minus opponent's: float32[B]."""

    def __init__(self, network: NetworkConfig, size: int) -> None:
        super().__init__()
        self.size = size
        self.summary = NormedConv(network.channels, network.value_channels, 1)
        self.hidden = nn.Linear(NUM_POOLED * network.value_channels, network.value_hidden)
        self.output = nn.Linear(network.value_hidden, 1)

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.relu(self.hidden(pool(F.relu(self.summary(x)), self.size)))
        return torch.tanh(self.output(hidden)).squeeze(1)


def make_policy_head(network: NetworkConfig, size: int, num_actions: int) -> nn.Module:
    """The head that `network.heads` names."""
    if network.heads == "pooled":
        return PooledPolicyHead(network, size, has_pass=num_actions > size * size)
    return DensePolicyHead(network, size * size, num_actions)


def make_value_head(network: NetworkConfig, size: int) -> nn.Module:
    """The head that `network.heads` names."""
    if network.heads == "pooled":
        return PooledValueHead(network, size)
    return DenseValueHead(network, size * size)


def make_auxiliary_head(name: str, network: NetworkConfig, size: int, num_actions: int) -> nn.Module:
    """ownership, score, or reply: the policy of the opponent's next move (the same paper, section 3.4)."""
    if name == "ownership":
        return OwnershipHead(network)
    if name == "score":
        return ScoreHead(network, size)
    return make_policy_head(network, size, num_actions)
