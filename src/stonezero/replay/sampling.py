"""How often each position is seen in training, beyond its weight: by game, by phase, by rarity."""

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import BufferConfig
from stonezero.replay.loading import Window
from stonezero.replay.merging import position_groups


def sampling_weights(window: Window, config: BufferConfig, size: int) -> NDArray[np.float32] | None:
    """float32[P]: relative frequencies; None where they are the window's own weights."""
    factors = []
    if config.sampling == "games":
        factors.append(by_game(window))
    if config.phase_weights:
        factors.append(by_phase(window, config))
    if config.rare_weight != 1:
        factors.append(by_rarity(window, config, size))
    if not factors:
        return None
    return (window.weight * np.prod(factors, axis=0)).astype(np.float32)


def by_game(window: Window) -> NDArray[np.float64]:
    """float64[P]: a random game, then a random position of it: 1 / the game's positions trained on."""
    table = window.table
    starts = np.ones(len(table), bool)
    starts[1:] = (np.diff(table.game_id) != 0) | (np.diff(table.ply) <= 0)
    number = np.cumsum(starts) - 1
    return 1 / np.maximum(np.bincount(number, ~window.is_held_out), 1)[number]


def by_phase(window: Window, config: BufferConfig) -> NDArray[np.float64]:
    """float64[P]: the weight of the phase of the game that the ply lies in."""
    return np.array(config.phase_weights)[np.digitize(window.table.ply, config.phase_plies)]


def by_rarity(window: Window, config: BufferConfig, size: int) -> NDArray[np.float64]:
    """float64[P]: `rare_weight` for positions seen fewer than `rare_below` times, up to symmetry, else 1."""
    number, _ = position_groups(window.table, size)
    return np.where(np.bincount(number)[number] < config.rare_below, config.rare_weight, 1.0)
