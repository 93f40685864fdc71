"""Convolutions against their definition, transforms against their algebra."""

import numpy as np
import pytest
from numpy.typing import NDArray

from stonezero.jit import kernel
from stonezero.network.native import forward, heads, simd, winograd
from stonezero.network.native.simd import LANES
from stonezero.network.native.winograd import (
    PLAIN,
    RESIDUAL,
    Grid,
    convolve,
    make_grid,
    make_work,
    pack_filters,
)

# Rounding of F(4x4, 3x3) in float32: about 2e-6 of the largest output; a direct convolution has 5e-7.
TOLERANCE = 1e-5


def direct_convolution(x: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[C, H, W, lanes] and float64[D, C, 3, 3] -> float64[D, H, W, lanes], zeros outside the board."""
    size = x.shape[1]
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    total = np.zeros((len(weight), *x.shape[1:]))
    for dy in range(3):
        for dx in range(3):
            total += np.einsum(
                "dc,chwl->dhwl", weight[:, :, dy, dx], padded[:, dy : dy + size, dx : dx + size]
            )
    return total


def board_view(grid: Grid, activations: NDArray[np.float32]) -> NDArray[np.float32]:
    """The channels of flat activations as [channels, side, side, LANES]."""
    channels = activations.reshape(-1, grid.stride)[:, : grid.side**2 * LANES]
    return channels.reshape(-1, grid.side, grid.side, LANES)


@pytest.mark.parametrize("size", range(3, 21))
@pytest.mark.parametrize(("channels", "out_channels"), [(3, 8), (8, 12)])
def test_convolution_is_that_of_the_definition(size: int, channels: int, out_channels: int) -> None:
    generator = np.random.default_rng(size)
    weight = generator.normal(size=(out_channels, channels, 3, 3))
    bias = generator.normal(size=out_channels).astype(np.float32)
    grid = make_grid(size, max(channels, out_channels))
    x = np.zeros(channels * grid.stride, np.float32)
    y = np.zeros(out_channels * grid.stride, np.float32)
    inside = slice(1, size + 1)
    board_view(grid, x)[:, inside, inside] = generator.normal(size=(channels, size, size, LANES))
    work, filters = make_work(grid, max(channels, out_channels)), pack_filters(weight, grid.tile)

    expected = direct_convolution(board_view(grid, x)[:, inside, inside].astype(np.float64), weight)
    expected = np.maximum(expected + bias[:, None, None, None], 0)
    convolve(grid, work, x, channels, filters, bias, y, out_channels, PLAIN)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(
        board_view(grid, y)[:, inside, inside], expected, atol=TOLERANCE * scale, rtol=0
    )

    twice = direct_convolution(board_view(grid, x)[:, inside, inside].astype(np.float64), weight)
    twice = np.maximum(twice + bias[:, None, None, None] + board_view(grid, y)[:, inside, inside], 0)
    convolve(grid, work, x, channels, filters, bias, y, out_channels, RESIDUAL)
    np.testing.assert_allclose(
        board_view(grid, y)[:, inside, inside], twice, atol=2 * TOLERANCE * scale, rtol=0
    )

    board_view(grid, y)[:, inside, inside] = 0
    assert not y.any(), "something was written outside the board"


@pytest.mark.parametrize("size", range(3, 21))
@pytest.mark.parametrize("channels", [4, 32, 64, 256])
def test_grid_covers_the_board_in_even_groups(size: int, channels: int) -> None:
    grid = make_grid(size, channels)
    assert grid.tiles * grid.tile >= size > (grid.tiles - 1) * grid.tile
    assert grid.side == grid.tiles * grid.tile + 2
    assert grid.group % 2 == 0
    assert grid.group == 2 or grid.group * (grid.tile + 2) ** 2 * channels * LANES * 4 <= winograd.GROUP_BYTES


@pytest.mark.parametrize("tile", [3, 4])
def test_transforms_give_the_products_of_polynomials(tile: int) -> None:
    """Lavin & Gray, section 4.1, in one dimension: A'((G g) * (B' d)) is the correlation of d and g."""
    generator = np.random.default_rng(tile)
    data = generator.normal(size=(tile + 2, LANES)).astype(np.float32)
    taps = generator.normal(size=3)
    transformed, outputs = np.zeros_like(data), np.zeros((tile, LANES), np.float32)
    step = np.int64(LANES)
    winograd.transform_inputs(tile, data.ravel(), 0, step, transformed.ravel(), 0, step)
    products = (winograd.FILTER_TRANSFORM[tile] @ taps)[:, None].astype(np.float32) * transformed
    winograd.transform_outputs(tile, products.ravel(), 0, step, outputs.ravel(), 0, step)
    expected = sum(taps[k] * data[k : k + tile] for k in range(3))
    np.testing.assert_allclose(outputs, expected, atol=2e-5, rtol=0)


@pytest.mark.parametrize(("rows", "columns", "width"), [(4, 1, 16), (12, 7, 48), (32, 32, 32)])
def test_multiply_is_the_matrix_product(rows: int, columns: int, width: int) -> None:
    generator = np.random.default_rng(rows)
    matrix = generator.normal(size=(rows, columns))
    source = generator.normal(size=(columns, width)).astype(np.float32)
    target = np.zeros((rows, width + 3), np.float32)
    packed = winograd.pack_rows(matrix)
    winograd.multiply(packed, columns, source.ravel(), 0, width, width, target.ravel(), 0, width + 3, rows)
    np.testing.assert_allclose(target[:, :width], matrix @ source, atol=1e-4, rtol=0)
    assert not target[:, width:].any()


@kernel
def _all_instructions(a: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    first, second = simd.load(a, 1), simd.load(a, 9)
    simd.store(out, 0, first + second)
    simd.store(out, LANES, first - second)
    simd.store(out, 2 * LANES, first * second)
    simd.store(out, 3 * LANES, simd.multiply_add(first, second, first))
    simd.store(out, 4 * LANES, simd.maximum(first, second))
    simd.store(out, 5 * LANES, simd.load_splat(a, 3) * simd.splat(np.float32(2)))


def test_vector_instructions_do_what_they_say() -> None:
    a = np.random.default_rng(0).normal(size=20).astype(np.float32)
    out = np.zeros((6, LANES), np.float32)
    _all_instructions(a, out.reshape(-1))
    x, y = a[1 : 1 + LANES], a[9 : 9 + LANES]
    np.testing.assert_array_equal(out[:3], [x + y, x - y, x * y])
    fused = x.astype(np.float64) * y + x  # the product of two float32 is exact in float64
    np.testing.assert_allclose(out[3], fused, rtol=6e-8)
    np.testing.assert_array_equal(out[4:], [np.maximum(x, y), np.full(LANES, 2 * a[3])])


def test_each_kernel_is_compiled_for_one_signature() -> None:
    for module in (winograd, heads, forward):
        for name, function in vars(module).items():
            if hasattr(function, "signatures"):
                assert len(function.signatures) <= 1, name
