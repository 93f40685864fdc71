"""Evaluation under symmetries: a net that is not symmetric itself is asked about turned boards.

random   each leaf under one of the 8 symmetries, drawn from its key (AlphaGo Zero)
mean     over all 8: mean of the probabilities of legal moves and of the values, at 8 times the cost
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import LegalMask
from stonezero.games.symmetry import INVERSE, NUM_SYMMETRIES, transform_planes, transform_policy
from stonezero.players.cache import Ask, Evaluation
from stonezero.players.keys import mixed

SALT = np.uint64(0x5851F42D4C957F2D)
"""Keeps these draws apart from others made of the same keys."""


def symmetries_of(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """A symmetry 0..7 for each key: int64[B]."""
    return (mixed(keys ^ SALT) >> np.uint64(61)).astype(np.int64)


def ask_under(symmetry: int | NDArray[np.int64], ask: Ask, planes: NDArray[np.float32]) -> Evaluation:
    """Logits and values for the board as it lies, of the net's answer for it turned by `symmetry`."""
    logits, values = ask(np.ascontiguousarray(transform_planes(planes, symmetry)))
    return transform_policy(logits, INVERSE[symmetry], planes.shape[-1]), values


def ask_mean(ask: Ask, planes: NDArray[np.float32], legal: LegalMask) -> Evaluation:
    """Logarithms of the mean probabilities (0 for illegal moves), and mean values, over all symmetries."""
    probabilities = np.zeros(legal.shape, np.float64)
    values = np.zeros(len(planes), np.float64)
    for symmetry in range(NUM_SYMMETRIES):
        logits, of_symmetry = ask_under(symmetry, ask, planes)
        logits = np.where(legal, logits, -np.inf).astype(np.float64)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities += weights / weights.sum(axis=1, keepdims=True)
        values += of_symmetry
    logits = np.log(np.maximum(probabilities / NUM_SYMMETRIES, 1e-38))
    return np.where(legal, logits, 0).astype(np.float32), (values / NUM_SYMMETRIES).astype(np.float32)
