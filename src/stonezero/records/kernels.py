"""Compiled loops over records: packing boards, and batches of training samples out of a table.

Axis letters: P positions of a table, B rows of a batch, S points, A actions, V visited moves.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.position import Positions
from stonezero.jit import kernel

POINTS_PER_BYTE = 4


@kernel
def pack_stones(stones: NDArray[np.int8], packed: NDArray[np.uint8]) -> None:
    """Write stones int8[P, S] at two bits a point, lowest first, to zeroed packed uint8[P, ceil(S/4)]."""
    for row in range(stones.shape[0]):
        for point in range(stones.shape[1]):
            packed[row, point >> 2] |= np.uint8(stones[row, point] << (2 * (point & 3)))


@kernel
def unpack_stones(packed: NDArray[np.uint8], stones: NDArray[np.int8]) -> None:
    """Undo `pack_stones` into stones int8[P, S]."""
    for row in range(stones.shape[0]):
        for point in range(stones.shape[1]):
            stones[row, point] = (packed[row, point >> 2] >> (2 * (point & 3))) & 3


@kernel
def write_policy_targets(
    visit_moves: NDArray[np.int16],
    visit_counts: NDArray[np.int32],
    visit_offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    symmetries: NDArray[np.int64],
    tables: NDArray[np.int32],
    targets: NDArray[np.float32],
) -> None:
    """Write targets float32[B, A]: the shares of the visits of rows[b], moved by symmetry symmetries[b].

    tables is int32[8, S]: where each symmetry sends each point. A pass stays where it is.
    """
    num_points = tables.shape[1]
    for b in range(rows.shape[0]):
        targets[b] = 0.0
        begin, end = visit_offsets[rows[b]], visit_offsets[rows[b] + 1]
        total = 0.0
        for entry in range(begin, end):
            total += visit_counts[entry]
        for entry in range(begin, end):
            move = visit_moves[entry]
            if move < num_points:
                move = tables[symmetries[b], move]
            targets[b, move] = visit_counts[entry] / total


@kernel
def gather_positions(
    source: Positions,
    rows: NDArray[np.int64],
    symmetries: NDArray[np.int64],
    tables: NDArray[np.int32],
    batch: Positions,
) -> None:
    """Write into row b of `batch` the position in rows[b] of `source`, moved by symmetry symmetries[b].

    tables as in `write_policy_targets`; moves that are a pass or NO_MOVE stay as they are.
    """
    num_points = tables.shape[1]
    for b in range(rows.shape[0]):
        row, table = rows[b], tables[symmetries[b]]
        batch.turn[b] = source.turn[row]
        batch.status[b] = source.status[row]
        batch.ply[b] = source.ply[row]
        batch.passes[b] = source.passes[row]
        for point in range(num_points):
            batch.stones[b, table[point]] = source.stones[row, point]
        for age in range(source.recent_moves.shape[1]):
            move = source.recent_moves[row, age]
            if 0 <= move < num_points:
                move = table[move]
            batch.recent_moves[b, age] = move
