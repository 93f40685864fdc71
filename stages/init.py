"""Stage init: what the first generation finds: the first net, an empty window, an empty history."""

from pathlib import Path

import pandas as pd
from omegaconf import DictConfig

from stonezero.arena.history import History
from stonezero.config import paths
from stonezero.replay.index import write_empty_index
from stonezero.stage import stage_main
from stonezero.training.optimizer import write_state
from stonezero.training.start import first_checkpoint


def run(params: DictConfig, generation: str, scratch: Path) -> list[tuple[str, int, float]]:
    """Write the files of g000."""
    checkpoint = first_checkpoint(params)
    checkpoint.save(paths.candidate(generation))
    checkpoint.save(paths.champion(generation))
    write_state(paths.optimizer(generation), {}, {})
    write_empty_index(paths.buffer(generation))
    tables = [pd.DataFrame() for _ in range(4)]
    History(*tables, champions=[]).save(paths.history(generation))
    return []


if __name__ == "__main__":
    stage_main("init", run)
