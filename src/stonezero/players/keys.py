"""Randomness as data: numbers derived from a game's key, so that nothing depends on who shares a batch."""

import numpy as np
from numpy.typing import NDArray

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64[B] -> uint64[B]: the finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA 2014), a bijection.

    Neighbouring numbers come out as if drawn at random.
    """
    result = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    result = (result ^ (result >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return result ^ (result >> np.uint64(31))


def keys_of_plies(keys: NDArray[np.uint64], plies: NDArray[np.int16]) -> NDArray[np.uint64]:
    """One key for each game (keys uint64[B]) and ply (int16[B])."""
    return mixed(keys + (plies.astype(np.uint64) + np.uint64(1)) * GOLDEN_GAMMA)


def uniforms(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    """A number in [0, 1) for each key: float64[B]."""
    return (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53
