"""The kernel that tells finished games from open ones among new leaves: rules meet trees here."""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import LegalMask
from stonezero.games.position import DRAW, ONGOING, Positions
from stonezero.jit import kernel
from stonezero.search.puct import PuctSettings, Wave, finish_leaf
from stonezero.search.tree import Tree


@kernel
def settle(
    tree: Tree,
    settings: PuctSettings,
    wave: Wave,
    start: int,
    count: int,
    positions: Positions,
    legal: LegalMask,
    leaves_wanted: NDArray[np.int32],
) -> int:
    """Note the turn of leaves start..count-1, whose positions are known now; back up those that are over.

    A finished leaf needs no evaluation: it is taken out of the wave (legal uint8[B, A] moves along) and its
    game wants one leaf more. Returns the new number of leaves.
    """
    end = start
    for b in range(start, count):
        game, leaf, row = wave.game[b], wave.node[b], wave.row[b]
        turn, status = positions.turn[row], positions.status[row]
        tree.nodes[game, leaf].turn = turn
        if status != ONGOING:
            result = 0.0 if status == DRAW else (1.0 if status == turn else -1.0)
            finish_leaf(tree, settings, game, leaf, result)
            leaves_wanted[game] += 1
            continue
        if end != b:
            wave.game[end], wave.node[end], wave.row[end] = game, leaf, row
            legal[end] = legal[b]
        end += 1
    return end
