"""Training alone, on records as they are: to begin a run with what others have played, and to compare
losses, symmetries and nets on one fixed set of positions.
"""

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig

from stonezero.config import typed_section
from stonezero.config.schema import BufferConfig
from stonezero.files import file_digest
from stonezero.games import make_game
from stonezero.network.checkpoint import Checkpoint
from stonezero.replay.run import index_of_records
from stonezero.training.run import params_digest, train
from stonezero.training.start import first_checkpoint
from stonezero.training.trainer import Row


@dataclass(frozen=True)
class Fit:
    """A net trained on fixed records, and how it does on the games of them it has not seen."""

    checkpoint: Checkpoint
    rows: list[Row]  #: the loss table
    held_out: dict[str, float]  #: over all held-out positions: `stonezero.training.evaluation.FIGURES`


def fit(params: DictConfig, records: Sequence[Path], scratch: Path) -> Fit:
    """Train the run's first net (`train.start_file`, or untrained) on records files.

    Resume points lie in `scratch`. `params` are those of a stage (`stage_params(params, "g001")`). Which
    games are held out depends on their moves and the seed alone, so other params of train and network are
    judged on the same positions.
    """
    game = make_game(**params.game)
    buffer = typed_section(params, "buffer", BufferConfig)
    index = index_of_records(records, game, buffer, params.seed, Path())
    trained = train(params, index, (first_checkpoint(params), {}), scratch, Path())
    return Fit(trained.checkpoint, trained.rows, trained.trainer.held_out_figures())


def fit_in_scratch(params: DictConfig, records: Sequence[Path]) -> Fit:
    """`fit` with resume points in a folder of .scratch/ for these params and records, removed at the end."""
    inputs = [
        params_digest(params),
        params.train.start_digest,
        *(file_digest(path) for path in sorted(records)),
    ]
    scratch = Path(".scratch") / f"fit-{hashlib.sha256(' '.join(inputs).encode()).hexdigest()[:16]}"
    fitted = fit(params, records, scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    return fitted
