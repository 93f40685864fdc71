"""The eight symmetries of the square board for points, moves, planes and policies; a hash of positions.

Symmetry s turns the board by s % 4 quarter turns, counter-clockwise, and for s >= 4 mirrors it left to
right first. Symmetry 0 changes nothing. A pass stays a pass.
"""

import hashlib
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

NUM_SYMMETRIES = 8
INVERSE: NDArray[np.int8] = np.array([0, 3, 2, 1, 4, 5, 6, 7], np.int8)
"""INVERSE[s] undoes s."""

Scalar = TypeVar("Scalar", bound=np.generic)
Symmetries = int | NDArray[np.integer]  #: one symmetry for all, or one per row (int[B])


@cache
def symmetry_tables(size: int) -> NDArray[np.int32]:
    """int32[8, S], read-only: tables[s, p] is where symmetry s takes point p."""
    sources = np.arange(size * size, dtype=np.int32).reshape(size, size)
    tables = np.empty((NUM_SYMMETRIES, size * size), np.int32)
    for symmetry in range(NUM_SYMMETRIES):
        board = sources[:, ::-1] if symmetry >= 4 else sources
        tables[symmetry, np.rot90(board, symmetry % 4).ravel()] = sources.ravel()
    tables.setflags(write=False)
    return tables


def transform_planes(planes: NDArray[Scalar], symmetry: Symmetries) -> NDArray[Scalar]:
    """A new array [B, ..., H, W]: `planes` under one symmetry, or each row b under symmetry[b]."""
    size = planes.shape[-1]
    flat = planes.reshape(*planes.shape[:-2], size * size)
    return _gather(flat, symmetry_tables(size)[INVERSE[symmetry]]).reshape(planes.shape)


def transform_policy(policy: NDArray[Scalar], symmetry: Symmetries, size: int) -> NDArray[Scalar]:
    """A new array [B, ..., A]: values per move under one symmetry, or each row b under symmetry[b]."""
    num_points = size * size
    moved = policy.copy()
    moved[..., :num_points] = _gather(policy[..., :num_points], symmetry_tables(size)[INVERSE[symmetry]])
    return moved


def transform_move(move: int, symmetry: int, size: int) -> int:
    """Where `symmetry` takes `move`; a pass stays."""
    return move if move >= size * size else int(symmetry_tables(size)[symmetry, move])


def position_hash(stones: NDArray[np.int8], turn: int) -> int:
    """64 bits of a digest of stones int8[S] and the side to move: the same on every machine and for ever.

    Positions that some symmetry maps onto each other have hashes of their own.
    """
    content = bytes([turn]) + stones.astype(np.int8).tobytes()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")


def _gather(values: NDArray[Scalar], sources: NDArray[np.int32]) -> NDArray[Scalar]:
    """values[..., sources], or row by row where `sources` is [B, S]."""
    if sources.ndim == 1:
        return values[..., sources]
    shape = (len(sources), *[1] * (values.ndim - 2), sources.shape[-1])
    return np.take_along_axis(values, sources.reshape(shape), axis=-1)
