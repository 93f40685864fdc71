"""Random numbers inside kernels: splitmix64, one stream per key (Steele, Lea & Flood, OOPSLA 2014)."""

import numpy as np

from stonezero.jit import kernel

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
SHIFT_27 = np.uint64(27)
SHIFT_30 = np.uint64(30)
SHIFT_31 = np.uint64(31)
SHIFT_32 = np.uint64(32)


@kernel
def next_state(state: np.uint64) -> np.uint64:
    """The state (uint64) after `state`; a stream starts with its key as state."""
    return state + GOLDEN_GAMMA


@kernel
def random_below(state: np.uint64, limit: int) -> np.int64:
    """A number in 0..limit-1 out of `state`; limit (int64) below 2**31, bias below 2**-22 for a board."""
    mixed = (state ^ (state >> SHIFT_30)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> SHIFT_27)) * SECOND_FACTOR
    mixed = mixed ^ (mixed >> SHIFT_31)
    return np.int64(((mixed >> SHIFT_32) * np.uint64(limit)) >> SHIFT_32)
