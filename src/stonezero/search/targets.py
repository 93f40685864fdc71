"""What a search teaches the policy, and how a distribution is recorded.

Records hold whole numbers per move, to be normalised: plain visits where nothing is done to them, else
`WEIGHT_TOTAL` parts of a distribution.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.search.root import move_probabilities

WEIGHT_TOTAL = 65536


def weights_of(probabilities: NDArray[np.float64]) -> NDArray[np.int32]:
    """int32[A]: `WEIGHT_TOTAL` parts of a distribution, rounded; the greatest has at least one part."""
    return np.rint(probabilities * WEIGHT_TOTAL).astype(np.int32)


def tempered_target(visits: NDArray[np.int32], temperature: float) -> NDArray[np.int32]:
    """visits ** (1 / temperature) as weights; the visits themselves at temperature 1."""
    if temperature == 1:
        return visits
    return weights_of(move_probabilities(visits, temperature))


def prune_forced(
    visits: NDArray[np.int32],
    priors: NDArray[np.float32],
    values: NDArray[np.float32],
    factor: float,
    forced_playouts: float,
) -> NDArray[np.int32]:
    """Take forced playouts out of the visits of a root (policy target pruning: KataGo, Wu 2019, 3.2).

    Every move but the most visited one gives back up to sqrt(forced_playouts * prior * total) visits, as
    long as PUCT, with the values as they are, would not prefer it to the most visited; a move left with a
    single visit loses it.

    Parameters
    ----------
    visits, priors, values : int32[A], float32[A] (noise included), float32[A] for the side to move
    factor : what PUCT multiplies P / (1 + N) with at this root
    forced_playouts : the constant k, > 0; 2 in the paper
    """
    best = int(np.argmax(visits))
    best_score = values[best] + factor * priors[best] / (1 + visits[best])
    pruned = visits.copy()
    for move in np.flatnonzero(visits):
        if move == best:
            continue
        forced = int(np.sqrt(forced_playouts * float(priors[move]) * visits.sum()))
        lead = best_score - values[move]
        needed = np.ceil(factor * priors[move] / lead - 1) if lead > 0 else visits[move]
        pruned[move] = min(visits[move], max(visits[move] - forced, int(min(needed, visits[move]))))
        if pruned[move] <= 1:
            pruned[move] = 0
    return pruned
