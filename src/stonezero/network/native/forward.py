"""The whole net, LANES positions at a time."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import kernel
from stonezero.network.native.heads import Heads, HeadWork, run_heads
from stonezero.network.native.simd import LANES
from stonezero.network.native.winograd import PLAIN, RESIDUAL, Floats, Grid, Work, convolve


class NativeNet(NamedTuple):
    """Weights with their BatchNorm folded in, laid out for the kernels."""

    grid: Grid
    num_planes: int
    channels: int
    stem_filters: NDArray[np.float32]
    stem_bias: Floats  #: [padded channels]
    block_filters: NDArray[np.float32]  #: [2 blocks, as from `pack_filters`]
    block_bias: NDArray[np.float32]  #: [2 blocks, padded channels]
    heads: Heads
    has_tanh: bool


class NativeWork(NamedTuple):
    """Activations and scratch, allocated once."""

    planes: Floats  #: input in the layout of `winograd`
    x: Floats  #: the trunk's state
    y: Floats  #: inside a block
    convolution: Work
    heads: HeadWork


@kernel
def evaluate(
    net: NativeNet,
    work: NativeWork,
    planes: NDArray[np.float32],
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
) -> None:
    """Fill logits[B, A] and values[B] from planes[B, C, H, W]."""
    for first in range(0, planes.shape[0], LANES):
        read_planes(net, work, planes, first)
        run_trunk(net, work)
        run_heads(net.grid, net.heads, work.heads, work.x)
        write_results(net, work, logits, values, first)


@kernel
def read_planes(net: NativeNet, work: NativeWork, planes: NDArray[np.float32], first: int) -> None:
    """Positions first.. into the lanes; lanes without a position keep what was there."""
    grid = net.grid
    for row in range(first, min(first + LANES, planes.shape[0])):
        for plane in range(net.num_planes):
            for y in range(grid.size):
                to = plane * grid.stride + ((y + 1) * grid.side + 1) * LANES + row - first
                for x in range(grid.size):
                    work.planes[to + x * LANES] = planes[row, plane, y, x]


@kernel
def run_trunk(net: NativeNet, work: NativeWork) -> None:
    """From work.planes to work.x."""
    grid, scratch, rows = net.grid, work.convolution, len(net.stem_bias)
    convolve(grid, scratch, work.planes, net.num_planes, net.stem_filters, net.stem_bias, work.x, rows, PLAIN)
    for first in range(0, len(net.block_bias), 2):
        filters, bias = net.block_filters[first], net.block_bias[first]
        convolve(grid, scratch, work.x, net.channels, filters, bias, work.y, rows, PLAIN)
        filters, bias = net.block_filters[first + 1], net.block_bias[first + 1]
        convolve(grid, scratch, work.y, net.channels, filters, bias, work.x, rows, RESIDUAL)


@kernel
def write_results(
    net: NativeNet, work: NativeWork, logits: NDArray[np.float32], values: NDArray[np.float32], first: int
) -> None:
    """From vector lists to the caller's arrays; value = P(win) - P(loss), or the tanh."""
    raw = work.heads.value_logits
    for row in range(first, min(first + LANES, len(values))):
        lane = row - first
        for action in range(logits.shape[1]):
            logits[row, action] = work.heads.logits[action * LANES + lane]
        if net.has_tanh:
            values[row] = math.tanh(raw[lane])
        else:
            win, draw, loss = raw[lane], raw[LANES + lane], raw[2 * LANES + lane]
            largest = max(win, draw, loss)
            win, draw, loss = math.exp(win - largest), math.exp(draw - largest), math.exp(loss - largest)
            values[row] = (win - loss) / (win + draw + loss)
