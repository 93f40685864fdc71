"""Kernels over trees and the positions that mirror them: row game * N + node belongs to that node."""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import LegalMask
from stonezero.games.position import DRAW, ONGOING, Positions
from stonezero.jit import inlined_kernel, kernel
from stonezero.search.puct import Wave, finish_leaf
from stonezero.search.selection import PuctSettings
from stonezero.search.tree import NO_NODE, Tree, child_by_move, keep_subtree


@kernel
def settle(
    tree: Tree,
    settings: PuctSettings,
    wave: Wave,
    start: int,
    count: int,
    positions: Positions,
    legal: LegalMask,
) -> int:
    """Note the turn of leaves start..count-1, whose positions are known now; back up those that are over.

    A finished leaf needs no evaluation: it is taken out of the wave (legal uint8[B, A] moves along).
    Returns the new number of leaves.
    """
    end = start
    for b in range(start, count):
        game, leaf, row = wave.game[b], wave.node[b], wave.row[b]
        turn, status = positions.turn[row], positions.status[row]
        tree.nodes[game, leaf].turn = turn
        if status != ONGOING:
            result = 0.0 if status == DRAW else (1.0 if status == turn else -1.0)
            finish_leaf(tree, settings, game, leaf, result)
            continue
        if end != b:
            wave.game[end], wave.node[end], wave.row[end] = game, leaf, row
            legal[end] = legal[b]
        end += 1
    return end


@kernel
def note_leaves(
    wave: Wave,
    search_keys: NDArray[np.uint64],
    cost: int,
    evaluations: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> None:
    """Count `cost` evaluations more for the game of each leaf, and write the leaves' keys.

    evaluations int64[G]; keys uint64[B] = the key of the game's search (search_keys uint64[G]) + the node.
    """
    for b in range(keys.shape[0]):
        evaluations[wave.game[b]] += cost
        keys[b] = search_keys[wave.game[b]] + np.uint64(wave.node[b])


@kernel
def advance_root(tree: Tree, positions: Positions, game: int, move: int, kept: NDArray[np.int32]) -> bool:
    """Make the root's child after `move` the root, dropping what is not below it, and move positions along.

    kept int32[N] is work space. Returns False, and changes nothing, where that move was never visited.
    """
    child = child_by_move(tree, game, move)
    if child == NO_NODE:
        return False
    first_row = game * tree.nodes.shape[1]
    for node in range(keep_subtree(tree, game, child, kept)):
        _move_row(positions, first_row + kept[node], first_row + node)
    return True


@inlined_kernel
def _move_row(positions: Positions, old: int, new: int) -> None:
    positions.stones[new] = positions.stones[old]
    positions.turn[new] = positions.turn[old]
    positions.status[new] = positions.status[old]
    positions.ply[new] = positions.ply[old]
    positions.passes[new] = positions.passes[old]
    positions.recent_moves[new] = positions.recent_moves[old]
