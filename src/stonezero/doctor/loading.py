"""From the files of a run to `RunFacts`."""

import numpy as np

from stonezero.arena.history import History
from stonezero.config import RunPaths, generation_name, generation_number
from stonezero.doctor.facts import RunFacts
from stonezero.errors import UserError
from stonezero.records import RecordTable, concatenate, read_shard
from stonezero.replay.index import read_index


def load_facts(paths: RunPaths, generation: str, batch_size: int) -> RunFacts:
    """The facts of a run up to `generation`; games and window may be missing. UserError for damaged files."""
    history = History.load(paths.history(generation))
    window = paths.buffer(generation)
    return RunFacts(
        generation=generation,
        table=_games(paths, generation),
        losses=history.losses,
        gates=history.gates,
        staleness=read_index(window).staleness if window.exists() else None,
        batch_size=batch_size,
    )


def last_generation(paths: RunPaths) -> str:
    """The newest generation whose gate has been; UserError where there is none."""
    folders = [path.parent.parent for path in paths.root.glob("g*/history/gates.csv")]
    numbers = [generation_number(folder.name) for folder in folders if folder.name[1:].isdecimal()]
    done = [number for number in numbers if number > 0]
    if not done:
        raise UserError(
            f"{paths.root}: no generation has been through its gate yet: `dvc repro` runs them, "
            "`dvc pull` fetches those that ran elsewhere"
        )
    return generation_name(max(done))


def _games(paths: RunPaths, generation: str) -> RecordTable | None:
    tables = [read_shard(path) for path in sorted(paths.games(generation).glob("[!.]*.parquet"))]
    if not tables or not np.sum([len(table) for table in tables]):
        return None
    if any(table.game != tables[0].game for table in tables):
        raise UserError(f"{paths.games(generation)}: its files are of different games")
    return concatenate(tables)
