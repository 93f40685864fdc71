"""The heads of the net on vectors of positions: 1x1 convolutions, pooling, linear layers.

A *vector list* is flat float32[n][LANES]: one feature of LANES positions after the other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import kernel
from stonezero.network.native.simd import LANES, load, load_splat, maximum, multiply_add, splat, store
from stonezero.network.native.winograd import MATRIX_ROWS, Floats, Grid, multiply, pack_rows

FIRST = np.int64(0)
"""Of channels or vectors; a plain 0 as an argument would make numba compile a kernel once more."""


class Layer(NamedTuple):
    """A linear layer, or a 1x1 convolution."""

    weights: Floats  #: from `pack_rows`
    bias: Floats  #: [rows]
    rows: int  #: outputs, a multiple of 4; 0 for a layer that the net doesn't have
    columns: int  #: inputs


class Heads(NamedTuple):
    """Weights of both heads; layers of the other kind of heads have no rows."""

    is_pooled: bool
    policy_channels: int
    value_channels: int
    squeeze: Layer  #: the 1x1 convolutions: policy summary, policy points (pooled only), value summary
    point_bias: Layer  #: pooled: pooled features -> policy channels
    point_output: Floats  #: pooled: [policy_channels], points -> logits
    pass_output: Layer  #: pooled: pooled features -> logit of the pass
    policy_output: Layer  #: dense: the flattened board -> logits
    value_hidden: Layer
    value_output: Layer


class HeadWork(NamedTuple):
    """Scratch and results of `run_heads`."""

    squeezed: Floats  #: [channels of squeeze][size][row_width]: 1x1 convolutions, without bias
    features: Floats  #: vector list: pooled features or the flattened board
    small: Floats  #: vector list: hidden layer, or biases of the points
    logits: Floats  #: vector list: policy logits
    value_logits: Floats  #: vector list


def make_layer(weight: NDArray[np.float64], bias: NDArray[np.float64]) -> Layer:
    """From weight[rows, columns] and bias[rows]."""
    padding = -len(bias) % MATRIX_ROWS
    padded = np.pad(bias, (0, padding)).astype(np.float32)
    return Layer(pack_rows(weight), padded, len(padded), weight.shape[1])


def empty_layer() -> Layer:
    return Layer(np.zeros(0, np.float32), np.zeros(0, np.float32), 0, 0)


def make_head_work(grid: Grid, heads: Heads, num_actions: int) -> HeadWork:
    num_features = 2 * max(heads.policy_channels, heads.value_channels)
    if not heads.is_pooled:
        num_features = max(heads.policy_channels, heads.value_channels) * grid.size**2

    def vectors(count: int) -> Floats:
        return np.zeros(count * LANES, np.float32)

    return HeadWork(
        squeezed=np.zeros(heads.squeeze.rows * grid.size * row_width(grid.size), np.float32),
        features=vectors(num_features),
        small=vectors(max(heads.point_bias.rows, heads.value_hidden.rows)),
        logits=vectors(num_actions + MATRIX_ROWS),
        value_logits=vectors(heads.value_output.rows),
    )


@kernel
def row_width(size: int) -> int:
    """Floats of one board row of `HeadWork.squeezed`: `multiply` wants an even number of vectors."""
    return (size + size % 2) * LANES


@kernel
def run_heads(grid: Grid, heads: Heads, work: HeadWork, x: Floats) -> None:
    """From the trunk's output x to work.logits and work.value_logits."""
    width = row_width(grid.size)
    for y in range(grid.size):
        start = ((y + 1) * grid.side + 1) * LANES
        layer = heads.squeeze
        step = grid.size * width
        multiply(
            layer.weights,
            layer.columns,
            x,
            start,
            grid.stride,
            width,
            work.squeezed,
            y * width,
            step,
            layer.rows,
        )
    first_value = heads.policy_channels
    if heads.is_pooled:
        first_value += heads.policy_channels
        pool(grid, heads.squeeze.bias, work, FIRST, heads.policy_channels)
        apply(heads.point_bias, work.features, work.small, FIRST)
        point_logits(grid, heads, work)
        apply(heads.pass_output, work.features, work.logits, grid.size * grid.size)
        pool(grid, heads.squeeze.bias, work, first_value, heads.value_channels)
    else:
        flatten(grid, heads.squeeze.bias, work, FIRST, heads.policy_channels)
        apply(heads.policy_output, work.features, work.logits, FIRST)
        flatten(grid, heads.squeeze.bias, work, first_value, heads.value_channels)
    apply(heads.value_hidden, work.features, work.small, FIRST)
    rectify(work.small, heads.value_hidden.rows)
    apply(heads.value_output, work.small, work.value_logits, FIRST)


@kernel
def apply(layer: Layer, source: Floats, target: Floats, to: int) -> None:
    """Vectors target[to : to + rows] = layer(source), `to` counting vectors."""
    for row in range(0, layer.rows, MATRIX_ROWS):
        a0 = load_splat(layer.bias, row)
        a1 = load_splat(layer.bias, row + 1)
        a2 = load_splat(layer.bias, row + 2)
        a3 = load_splat(layer.bias, row + 3)
        w = row * layer.columns
        for column in range(layer.columns):
            x = load(source, column * LANES)
            a0 = multiply_add(load_splat(layer.weights, w), x, a0)
            a1 = multiply_add(load_splat(layer.weights, w + 1), x, a1)
            a2 = multiply_add(load_splat(layer.weights, w + 2), x, a2)
            a3 = multiply_add(load_splat(layer.weights, w + 3), x, a3)
            w += MATRIX_ROWS
        t = (to + row) * LANES
        store(target, t, a0)
        store(target, t + LANES, a1)
        store(target, t + 2 * LANES, a2)
        store(target, t + 3 * LANES, a3)


@kernel
def rectify(vectors: Floats, count: int) -> None:
    """ReLU in place."""
    zero = splat(np.float32(0))
    for place in range(0, count * LANES, LANES):
        store(vectors, place, maximum(load(vectors, place), zero))


@kernel
def pool(grid: Grid, bias: Floats, work: HeadWork, first: int, count: int) -> None:
    """Features: over the board the mean of each of `count` squeezed channels, then the maximum of each."""
    zero = splat(np.float32(0))
    share = splat(np.float32(1.0 / (grid.size * grid.size)))
    width = row_width(grid.size)
    for channel in range(count):
        shift = load_splat(bias, first + channel)
        total = zero
        largest = zero
        for y in range(grid.size):
            row = ((first + channel) * grid.size + y) * width
            for place in range(row, row + grid.size * LANES, LANES):
                value = maximum(load(work.squeezed, place) + shift, zero)
                total = total + value
                largest = maximum(largest, value)
        store(work.features, channel * LANES, total * share)
        store(work.features, (count + channel) * LANES, largest)


@kernel
def flatten(grid: Grid, bias: Floats, work: HeadWork, first: int, count: int) -> None:
    """Features: relu of `count` squeezed channels, point by point."""
    zero = splat(np.float32(0))
    width = row_width(grid.size)
    to = 0
    for channel in range(first, first + count):
        shift = load_splat(bias, channel)
        for y in range(grid.size):
            row = (channel * grid.size + y) * width
            for place in range(row, row + grid.size * LANES, LANES):
                store(work.features, to, maximum(load(work.squeezed, place) + shift, zero))
                to += LANES


@kernel
def point_logits(grid: Grid, heads: Heads, work: HeadWork) -> None:
    """Logits of the points: work.small holds what the pooled features add to each channel."""
    zero = splat(np.float32(0))
    count = heads.policy_channels
    width = row_width(grid.size)
    for channel in range(count):
        shift = load_splat(heads.squeeze.bias, count + channel) + load(work.small, channel * LANES)
        factor = load_splat(heads.point_output, channel)
        to = 0
        for y in range(grid.size):
            row = ((count + channel) * grid.size + y) * width
            for place in range(row, row + grid.size * LANES, LANES):
                value = factor * maximum(load(work.squeezed, place) + shift, zero)
                if channel > 0:
                    value = value + load(work.logits, to)
                store(work.logits, to, value)
                to += LANES
