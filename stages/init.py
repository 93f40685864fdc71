"""Stage init: what the first generation finds: the untrained net, an empty window, an empty history."""

from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
from omegaconf import DictConfig, OmegaConf

from stonezero.arena.history import History
from stonezero.config import paths
from stonezero.config.schema import NetworkConfig
from stonezero.games import make_game
from stonezero.network.model import initial_checkpoint
from stonezero.replay.index import write_empty_index
from stonezero.stage import stage_main
from stonezero.training.optimizer import write_state


def run(params: DictConfig, generation: str, scratch: Path) -> list[tuple[str, int, float]]:
    """Write the files of g000."""
    game = make_game(**params.game)
    network = cast(NetworkConfig, OmegaConf.to_object(params.network))
    seed = int(np.random.SeedSequence([params.seed, 0]).generate_state(1)[0])
    checkpoint = initial_checkpoint(game.spec(), game.num_actions, network, seed)
    checkpoint.save(paths.candidate(generation))
    checkpoint.save(paths.champion(generation))
    write_state(paths.optimizer(generation), {}, {})
    write_empty_index(paths.buffer(generation))
    tables = [pd.DataFrame() for _ in range(4)]
    History(*tables, champions=[]).save(paths.history(generation))
    return []


if __name__ == "__main__":
    stage_main("init", run)
