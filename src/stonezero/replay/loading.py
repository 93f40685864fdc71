"""From an index to the positions themselves."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import BufferConfig
from stonezero.games.game import Game
from stonezero.records import RecordTable, concatenate, read_shard
from stonezero.replay.index import WindowIndex
from stonezero.replay.outlook import Outlook, outlook_of
from stonezero.replay.quality import has_quality, value_targets
from stonezero.replay.window import WindowError


@dataclass(frozen=True)
class Window:
    """The positions of a window in memory; row p of each array belongs to position p of the table."""

    table: RecordTable
    weight: NDArray[np.float32]  #: float32[P]: relative frequency in training
    staleness: NDArray[np.int16]  #: int16[P]: generations since it was played
    is_held_out: NDArray[np.bool_]  #: bool[P]
    is_policy_target: NDArray[np.bool_]  #: bool[P]
    sampling: NDArray[np.float32] | None = None  #: float32[P]: frequency in training where not `weight`
    value_target: NDArray[np.float32] | None = None  #: float32[P, 3]: win, draw, loss where not the outcome
    outlook: Outlook | None = None  #: what became of each position, where auxiliary heads ask for it

    def __len__(self) -> int:
        return len(self.table)

    def select(self, rows: NDArray[np.int64]) -> "Window":
        """The given rows, in their order."""
        arrays: dict[str, Any] = {
            field.name: None if value is None else value[rows]
            for field in fields(self)
            if field.name not in ("table", "outlook")
            for value in [getattr(self, field.name)]
        }
        outlook = None if self.outlook is None else self.outlook.select(rows)
        return Window(table=self.table.select(rows), outlook=outlook, **arrays)


def load_window(
    index: WindowIndex, game: Game, root: Path, config: BufferConfig | None = None, has_outlook: bool = False
) -> Window:
    """Read the rows of a non-empty index; files lie below `root` and must have the digests of the index.

    `config` says what results are worth, where not all in full; `has_outlook` asks for auxiliary targets.
    """
    if not len(index):
        raise WindowError("the window holds no positions: play at least one generation of games")
    is_soft = config is not None and has_quality(config)
    tables, values, outlooks = [], [], []
    for code, file in enumerate(index.files):
        table = read_shard(root / file.path, game.spec(), file.sha256)
        rows = index.row[index.file == code].astype(np.int64)
        tables.append(table.select(rows))
        if config is not None and is_soft:
            values.append(value_targets(table, game, config)[rows])
        if has_outlook:
            outlooks.append(outlook_of(table, game).select(rows))
    return Window(
        table=concatenate(tables),
        weight=index.weight,
        staleness=index.staleness,
        is_held_out=index.is_held_out,
        is_policy_target=index.is_policy_target,
        value_target=np.concatenate(values) if values else None,
        outlook=Outlook(*(np.concatenate(field) for field in zip(*outlooks, strict=True)))
        if outlooks
        else None,
    )
