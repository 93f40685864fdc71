"""From an index to the positions themselves."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stonezero.records import RecordTable, concatenate, read_shard
from stonezero.replay.index import WindowIndex
from stonezero.replay.window import WindowError


@dataclass(frozen=True)
class Window:
    """The positions of a window in memory; row p of each array belongs to position p of the table."""

    table: RecordTable
    weight: NDArray[np.float32]  #: float32[P]: relative frequency in training
    staleness: NDArray[np.int16]  #: int16[P]: generations since it was played
    is_held_out: NDArray[np.bool_]  #: bool[P]
    is_policy_target: NDArray[np.bool_]  #: bool[P]

    def __len__(self) -> int:
        return len(self.table)


def load_window(index: WindowIndex, game_spec: dict[str, Any], root: Path) -> Window:
    """Read the rows of a non-empty index; files lie below `root` and must have the digests of the index."""
    if not len(index):
        raise WindowError("the window holds no positions: play at least one generation of games")
    parts = []
    for code, file in enumerate(index.files):
        rows = index.row[index.file == code].astype(np.int64)
        parts.append(read_shard(root / file.path, game_spec, file.sha256).select(rows))
    return Window(
        table=concatenate(parts),
        weight=index.weight,
        staleness=index.staleness,
        is_held_out=index.is_held_out,
        is_policy_target=index.is_policy_target,
    )
