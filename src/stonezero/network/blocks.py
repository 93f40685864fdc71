"""The parts of a trunk: normed convolutions, the first layer, residual blocks, global pooling.

plain       two 3x3 convolutions (He et al. 2016, arXiv:1512.03385, in the form of AlphaZero)
bottleneck  1x1 to half the channels, 3x3, 1x1 back (the same paper, figure 5)
depthwise   two depthwise separable convolutions: 3x3 per channel, then 1x1 (Howard et al. 2017,
            arXiv:1704.04861)
pooling     plain, but its first half is biased by pooled features of the whole board (Wu 2019,
            arXiv:1902.10565, section 3.3; ours pools channels made beside the others, not split off them)
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from stonezero.config.schema import NetworkConfig

NUM_POOLED = 3
"""Features that `pool` makes of one channel."""
POOLED_SHARE = 4
"""A pooling block pools a fourth as many channels as the trunk has."""


class NormedConv(nn.Module):
    """Convolution that keeps the board's size, then BatchNorm. float32[B, in, H, W] -> [B, out, H, W]."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, groups: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, out_channels, kernel_size, padding=kernel_size // 2, groups=groups, bias=False
        )
        self.norm = nn.BatchNorm2d(out_channels)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.conv(x))


class Stem(NormedConv):
    """The first layer. What it sees outside the board is the cure for edge blindness.

    zeros: an outside point looks like an empty one, unless there is a plane of ones. ones: like a point that
    both sides hold, which no point of the board is. replicate: like its nearest point of the board.
    """

    def __init__(self, in_channels: int, out_channels: int, padding: str) -> None:
        super().__init__(in_channels, out_channels, 3)
        self.padding = padding
        if padding != "zeros":
            self.conv.padding = (0, 0)

    def forward(self, x: Tensor) -> Tensor:
        if self.padding == "ones":
            x = F.pad(x, (1, 1, 1, 1), value=1.0)
        elif self.padding == "replicate":
            x = F.pad(x, (1, 1, 1, 1), mode="replicate")
        return super().forward(x)


class ResidualBlock(nn.Module):
    """float32[B, C, H, W] -> the same shape, as every block."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = NormedConv(channels, channels, 3)
        self.second = NormedConv(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.second(F.relu(self.first(x))) + x)


class BottleneckBlock(nn.Module):
    """About a fifth of a plain block's weights."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        inner = channels // 2
        self.reduce = NormedConv(channels, inner, 1)
        self.middle = NormedConv(inner, inner, 3)
        self.expand = NormedConv(inner, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.expand(F.relu(self.middle(F.relu(self.reduce(x))))) + x)


class SeparableConv(nn.Module):
    """3x3 channel by channel, then 1x1 over channels."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depthwise = NormedConv(channels, channels, 3, groups=channels)
        self.pointwise = NormedConv(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.pointwise(F.relu(self.depthwise(x)))


class DepthwiseBlock(nn.Module):
    """About a ninth of a plain block's weights."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = SeparableConv(channels)
        self.second = SeparableConv(channels)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.second(F.relu(self.first(x))) + x)


class PoolingBlock(nn.Module):
    """A plain block in which every point learns of the whole board."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.size = size
        pooled_channels = max(1, channels // POOLED_SHARE)
        self.first = NormedConv(channels, channels, 3)
        self.pooled = NormedConv(channels, pooled_channels, 3)
        self.bias = nn.Linear(NUM_POOLED * pooled_channels, channels)
        self.second = NormedConv(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        bias = self.bias(pool(F.relu(self.pooled(x)), self.size))
        return F.relu(self.second(F.relu(self.first(x) + bias[:, :, None, None])) + x)


BLOCKS: dict[str, type[ResidualBlock | BottleneckBlock | DepthwiseBlock]] = {
    "plain": ResidualBlock,
    "bottleneck": BottleneckBlock,
    "depthwise": DepthwiseBlock,
}


def make_blocks(network: NetworkConfig, size: int) -> nn.Sequential:
    """The residual blocks of one trunk; every `pooling_every`-th is a pooling block."""
    every = network.pooling_every
    return nn.Sequential(
        *(
            PoolingBlock(network.channels, size)
            if every and number % every == 0
            else BLOCKS[network.block](network.channels)
            for number in range(1, network.blocks + 1)
        )
    )


def pool(x: Tensor, size: int) -> Tensor:
    """float32[B, C, H, W] -> [B, 3C]: per channel the mean, the mean scaled by the board's side, the maximum.

    The scaled mean lets a head give the same mean another weight on another board.
    """
    mean = F.adaptive_avg_pool2d(x, 1).flatten(1)
    largest = F.adaptive_max_pool2d(x, 1).flatten(1)
    return torch.cat([mean, mean * ((size - 10) / 10), largest], dim=1)
