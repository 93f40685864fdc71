"""Randomness as data: numbers derived from a game's key, so that nothing depends on who shares a batch."""

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import inlined_kernel, kernel

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@inlined_kernel
def mix(number: np.uint64) -> np.uint64:
    """The finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA 2014), a bijection of uint64."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@kernel
def mix_all(numbers: NDArray[np.uint64], result: NDArray[np.uint64]) -> None:
    """Kernel of `mixed`."""
    for i in range(numbers.shape[0]):
        result[i] = mix(numbers[i])


@kernel
def mix_plies(keys: NDArray[np.uint64], plies: NDArray[np.int16], result: NDArray[np.uint64]) -> None:
    """Kernel of `keys_of_plies`."""
    for i in range(keys.shape[0]):
        result[i] = mix(keys[i] + (np.uint64(plies[i]) + np.uint64(1)) * GOLDEN_GAMMA)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64[B] -> uint64[B]: neighbouring numbers come out as if drawn at random. See `mix`."""
    result = np.empty_like(numbers)
    mix_all(numbers, result)
    return result


def keys_of_plies(keys: NDArray[np.uint64], plies: NDArray[np.int16]) -> NDArray[np.uint64]:
    """One key for each game (keys uint64[B]) and ply (int16[B])."""
    result = np.empty_like(keys)
    mix_plies(keys, plies, result)
    return result


def uniforms(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    """A number in [0, 1) for each key: float64[B]."""
    return (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53
