"""3x3 convolutions by Winograd's minimal filtering (Lavin & Gray 2016, arXiv:1509.09308).

The board is cut into tiles of m x m outputs. Each needs a patch of (m+2) x (m+2) inputs, which linear
transforms turn into (m+2)² products instead of 9m²: 2.8 (m = 3) or 3.2 (m = 4) times fewer in practice. The
products of all tiles and channels are (m+2)² matrix products, where the time goes. Rounding errors are about
2 (m = 3) or 4 (m = 4) times those of a direct float32 convolution.

Layout of activations: flat float32[channels][side][side][LANES], channels `Grid.stride` floats apart. The
board's point (y, x) lies at (y+1, x+1); everything around the board is zero and stays so.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import kernel
from stonezero.network.native.simd import LANES, load, load_splat, maximum, multiply_add, splat, store

Floats = NDArray[np.float32]

CACHE_LINE = 16
"""Floats that strides get on top, lest equal places of all channels share one set of the cache."""

MATRIX_ROWS = 4
MATRIX_COLUMNS = 2 * LANES
"""The block that `multiply` keeps in registers."""

GROUP_BYTES = 300_000
"""Transformed patches worked on at a time: they stay in a core's own cache."""

VECTOR = np.int64(LANES)
LINE = np.int64(6 * LANES)
"""Strides of the scratch that a 2D transform keeps between its two directions.

NumPy numbers where they are arguments: numba would compile a kernel once for each plain one.
"""

PLAIN, RESIDUAL = np.bool_(False), np.bool_(True)
"""Whether `convolve` adds to what its output held."""

FILTER_TRANSFORM = {
    3: np.array([[3, 0, 0], [-3, -3, -3], [-1, 1, -1], [1, 2, 4], [0, 0, 6]]) / 6,
    4: np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24,
}
"""G of F(m x m, 3 x 3); B and A are written out in `transform_inputs` and `transform_outputs`."""


class Grid(NamedTuple):
    """How a board is cut into tiles, and where its activations lie."""

    size: int  #: of the board
    tile: int  #: m
    tiles: int  #: along one side
    side: int  #: of the board and what surrounds it
    stride: int  #: floats from one channel to the next
    group: int  #: tiles transformed at a time, even


class Work(NamedTuple):
    """Scratch of `convolve`."""

    patches: Floats  #: [(m+2)²][channels][group][LANES], transformed
    products: Floats  #: the same, of the outputs
    lines: Floats  #: [6][6][LANES]
    patch_stride: int  #: floats between two of the (m+2)²


def make_grid(size: int, channels: int) -> Grid:
    """The cheaper tile for this board, in groups that waste least."""
    tile = min((3, 4), key=lambda m: (-(-size // m) * (m + 2)) ** 2)
    tiles = -(-size // tile)
    side = tiles * tile + 2
    limit = GROUP_BYTES // ((tile + 2) ** 2 * channels * LANES * 4)
    groups = range(2, max(2, min(limit, tiles**2 + 1)) + 1, 2)
    group = min(groups, key=lambda g: (-(-(tiles**2) // g) * g, -g))
    return Grid(size, tile, tiles, side, side * side * LANES + CACHE_LINE, group)


def make_work(grid: Grid, channels: int) -> Work:
    """Scratch for convolutions of up to so many channels."""
    patch_stride = channels * grid.group * LANES + CACHE_LINE
    floats = (grid.tile + 2) ** 2 * patch_stride
    return Work(
        np.zeros(floats, np.float32),
        np.zeros(floats, np.float32),
        np.zeros(6 * 6 * LANES, np.float32),
        patch_stride,
    )


def pack_rows(matrix: NDArray[np.float64]) -> Floats:
    """[..., rows, columns] -> flat [..., rows / 4, columns, 4], rows filled up with zeros, for `multiply`."""
    *others, rows, columns = matrix.shape
    padding = -rows % MATRIX_ROWS
    filled = np.pad(matrix, [(0, 0)] * len(others) + [(0, padding), (0, 0)])
    blocks = filled.reshape(*others, -1, MATRIX_ROWS, columns)
    return np.ascontiguousarray(blocks.swapaxes(-1, -2), np.float32).ravel()


def pack_filters(weight: NDArray[np.float64], tile: int) -> Floats:
    """Transform float64[out, in, 3, 3] and pack it for `convolve`: float32[(m+2)², out * in]."""
    transform = FILTER_TRANSFORM[tile]
    filters = np.einsum("ay,bx,ocyx->aboc", transform, transform, weight)
    return pack_rows(filters).reshape((tile + 2) ** 2, -1)


@kernel
def multiply(
    matrix: Floats,
    columns: int,
    source: Floats,
    start: int,
    step: int,
    width: int,
    target: Floats,
    to: int,
    to_step: int,
    rows: int,
) -> None:
    """target[rows, width] = matrix[rows, columns] @ source[columns, width].

    `matrix` is packed by `pack_rows`; the rows of source and target begin at `start` and `to` and lie `step`
    and `to_step` floats apart. rows is a multiple of 4, width of 2 LANES.
    """
    zero = splat(np.float32(0))
    for column in range(0, width, MATRIX_COLUMNS):
        for row in range(0, rows, MATRIX_ROWS):
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zero
            m = row * columns
            s = start + column
            for _ in range(columns):
                a = load(source, s)
                b = load(source, s + LANES)
                factor = load_splat(matrix, m)
                a0 = multiply_add(factor, a, a0)
                b0 = multiply_add(factor, b, b0)
                factor = load_splat(matrix, m + 1)
                a1 = multiply_add(factor, a, a1)
                b1 = multiply_add(factor, b, b1)
                factor = load_splat(matrix, m + 2)
                a2 = multiply_add(factor, a, a2)
                b2 = multiply_add(factor, b, b2)
                factor = load_splat(matrix, m + 3)
                a3 = multiply_add(factor, a, a3)
                b3 = multiply_add(factor, b, b3)
                m += MATRIX_ROWS
                s += step
            t = to + row * to_step + column
            store(target, t, a0)
            store(target, t + LANES, b0)
            store(target, t + to_step, a1)
            store(target, t + to_step + LANES, b1)
            store(target, t + 2 * to_step, a2)
            store(target, t + 2 * to_step + LANES, b2)
            store(target, t + 3 * to_step, a3)
            store(target, t + 3 * to_step + LANES, b3)


@kernel
def transform_inputs(
    tile: int, source: Floats, start: int, step: int, target: Floats, to: int, to_step: int
) -> None:
    """Apply B: m+2 vectors of source, `step` floats apart, to as many of target."""
    two = splat(np.float32(2))
    d0 = load(source, start)
    d1 = load(source, start + step)
    d2 = load(source, start + 2 * step)
    d3 = load(source, start + 3 * step)
    d4 = load(source, start + 4 * step)
    if tile == 3:
        odd = d3 - d1
        store(target, to, two * (d0 - d2) + odd)
        store(target, to + to_step, d3 - d2 - two * d1)
        store(target, to + 2 * to_step, d3 - d2 + two * (d1 - d2))
        store(target, to + 3 * to_step, odd)
        store(target, to + 4 * to_step, d4 - d2 - two * odd)
        return
    four = splat(np.float32(4))
    d5 = load(source, start + 5 * step)
    even = d4 - four * d2
    odd = d3 - four * d1
    even2 = d4 - d2
    odd2 = two * (d3 - d1)
    store(target, to, four * (d0 - d2) + even2)
    store(target, to + to_step, even + odd)
    store(target, to + 2 * to_step, even - odd)
    store(target, to + 3 * to_step, even2 + odd2)
    store(target, to + 4 * to_step, even2 - odd2)
    store(target, to + 5 * to_step, d5 - d3 - four * (d3 - d1))


@kernel
def transform_outputs(
    tile: int, source: Floats, start: int, step: int, target: Floats, to: int, to_step: int
) -> None:
    """Apply A: m+2 vectors of source to m of target."""
    two = splat(np.float32(2))
    four = splat(np.float32(4))
    m0 = load(source, start)
    m1 = load(source, start + step)
    m2 = load(source, start + 2 * step)
    m3 = load(source, start + 3 * step)
    m4 = load(source, start + 4 * step)
    total = m1 + m2
    difference = m1 - m2
    if tile == 3:
        store(target, to, m0 + total + m3)
        store(target, to + to_step, multiply_add(two, m3, difference))
        store(target, to + 2 * to_step, multiply_add(four, m3, total) + m4)
        return
    m5 = load(source, start + 5 * step)
    total2 = m3 + m4
    difference2 = two * (m3 - m4)
    store(target, to, m0 + total + total2)
    store(target, to + to_step, difference + difference2)
    store(target, to + 2 * to_step, multiply_add(four, total2, total))
    store(target, to + 3 * to_step, multiply_add(four, difference2, difference) + m5)


@kernel
def transform_patches(grid: Grid, work: Work, first: int, num_tiles: int, x: Floats, channels: int) -> None:
    """Patches of `num_tiles` tiles from tile `first` on, transformed, into work.patches."""
    m = grid.tile
    for channel in range(channels):
        for place in range(num_tiles):
            row, column = divmod(first + place, grid.tiles)
            corner = channel * grid.stride + (row * grid.side + column) * m * LANES
            for j in range(m + 2):
                start = corner + j * LANES
                transform_inputs(m, x, start, grid.side * LANES, work.lines, j * LANES, LINE)
            to = (channel * grid.group + place) * LANES
            for i in range(m + 2):
                stride = work.patch_stride
                transform_inputs(
                    m, work.lines, i * LINE, VECTOR, work.patches, to + i * (m + 2) * stride, stride
                )


@kernel
def finish_tiles(
    grid: Grid, work: Work, first: int, num_tiles: int, bias: Floats, y: Floats, channels: int, adds: bool
) -> None:
    """Transform work.products back; y = relu(that + bias), or relu(that + bias + y)."""
    m = grid.tile
    zero = splat(np.float32(0))
    for channel in range(channels):
        shift = load_splat(bias, channel)
        for place in range(num_tiles):
            row, column = divmod(first + place, grid.tiles)
            start = (channel * grid.group + place) * LANES
            for j in range(m + 2):
                stride = work.patch_stride
                begin = start + j * stride
                transform_outputs(m, work.products, begin, (m + 2) * stride, work.lines, j * LANES, LINE)
            corner = channel * grid.stride + ((row * m + 1) * grid.side + column * m + 1) * LANES
            for i in range(min(m, grid.size - row * m)):
                transform_outputs(m, work.lines, i * LINE, VECTOR, work.lines, i * LINE, VECTOR)
                to = corner + i * grid.side * LANES
                for j in range(min(m, grid.size - column * m)):
                    value = load(work.lines, i * LINE + j * LANES) + shift
                    if adds:
                        value = value + load(y, to + j * LANES)
                    store(y, to + j * LANES, maximum(value, zero))


@kernel
def convolve(
    grid: Grid,
    work: Work,
    x: Floats,
    channels: int,
    filters: NDArray[np.float32],
    bias: Floats,
    y: Floats,
    out_channels: int,
    adds: bool,
) -> None:
    """y = relu(convolution of x + bias), or relu(convolution of x + bias + y) if RESIDUAL.

    `filters` as from `pack_filters`; `bias` float32[out_channels], a multiple of 4; x and y don't overlap.
    """
    num_products = (grid.tile + 2) ** 2
    width = grid.group * LANES
    num_tiles = grid.tiles * grid.tiles
    for first in range(0, num_tiles, grid.group):
        count = min(grid.group, num_tiles - first)
        transform_patches(grid, work, first, count, x, channels)
        for product in range(num_products):
            start = product * work.patch_stride
            matrix = filters[product]
            multiply(
                matrix, channels, work.patches, start, width, width, work.products, start, width, out_channels
            )
        finish_tiles(grid, work, first, count, bias, y, out_channels, adds)
