"""What the page shows of a training run: report, losses, games, and how often a position occurs."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stonezero.app.positions import STATUS_NAMES
from stonezero.app.problems import ProblemError
from stonezero.arena.history import History, read_csv
from stonezero.config import RunPaths
from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.notation import quoted
from stonezero.games.symmetry import NUM_SYMMETRIES, transform_planes
from stonezero.records import RecordTable, read_shard

GENERATION = re.compile(r"g\d{3,}", re.ASCII)
LOOKUP_SECONDS = 20.0  #: after which a look-up answers with what it has found so far


class Occurrences(NamedTuple):
    """How often a position, up to symmetry, was recorded, and what came of it for the side to move."""

    positions: int
    won: int
    drawn: int
    lost: int
    searched: int  #: recorded positions that were compared
    is_complete: bool


class TrainingRun:
    """Reads the folders of a run afresh each time: they grow while it goes on."""

    def __init__(self, root: Path) -> None:
        self._paths = RunPaths(root)
        self._reports = root.parent / "reports"

    def generations(self) -> list[str]:
        """Generations with records, oldest first."""
        folders = self._paths.root.glob("g*/games")
        return sorted(
            folder.parent.name
            for folder in folders
            if GENERATION.fullmatch(folder.parent.name) and _shards(folder)
        )

    def elo(self) -> list[dict[str, Any]]:
        """Rows of the report's elo.csv; none before there is a report."""
        return _rows(read_csv(self._reports / "elo.csv"))

    def history(self) -> History:
        """The newest history there is; an empty one otherwise."""
        folders = sorted(
            folder
            for folder in self._paths.root.glob("g*/history")
            if GENERATION.fullmatch(folder.parent.name)
        )
        return History.load(folders[-1] if folders else self._paths.root / "none")

    def losses(self) -> list[dict[str, Any]]:
        """The training losses, with `total_step` counted over generations."""
        losses = self.history().losses
        if losses.empty or not {"generation", "step"} <= set(losses):
            return []
        steps = losses.groupby("generation")["step"].max().sort_index()
        return _rows(
            losses.assign(total_step=losses["step"] + losses["generation"].map(steps.cumsum() - steps))
        )

    def gates(self) -> list[dict[str, Any]]:
        """One row per gate."""
        return _rows(self.history().gates)

    def games(self, generation: str, most: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The game's spec and the newest games of a generation: game_id, moves, status.

        Raises ProblemError (404) where there are no records of it.
        """
        shards = _shards(self._paths.games(generation)) if GENERATION.fullmatch(generation) else []
        if not shards:
            raise ProblemError(404, f"there are no records of generation {quoted(generation)}")
        table = read_shard(shards[-1])
        starts = np.flatnonzero(np.diff(table.game_id, prepend=-1))
        ends = np.append(starts[1:], len(table))
        games = [
            {
                "game_id": int(table.game_id[start]),
                "moves": table.move[start:end].tolist(),
                "status": STATUS_NAMES[int(table.status[start])],
            }
            for start, end in zip(starts, ends, strict=True)
        ]
        return table.game, games[::-1][:most]

    def occurrences(self, board: Board) -> Occurrences:
        """Look a position up, under all symmetries, in all records of the run."""
        wanted = _symmetric_boards(board)
        found, searched, deadline = np.zeros(3, np.int64), 0, time.monotonic() + LOOKUP_SECONDS
        for table in self._tables(board):
            if time.monotonic() > deadline:
                return _occurrences(found, searched, is_complete=False)
            searched += len(table)
            rows = np.flatnonzero(table.turn == board.turn)
            stones = np.ascontiguousarray(table.stones[rows]).view(f"V{board.game.num_points}").ravel()
            outcomes = table.outcome[rows[np.isin(stones, wanted)]]
            found += [int((outcomes == outcome).sum()) for outcome in (1, 0, -1)]
        return _occurrences(found, searched, is_complete=True)

    def _tables(self, board: Board) -> Iterator[RecordTable]:
        for generation in self.generations():
            for shard in _shards(self._paths.games(generation)):
                try:
                    yield read_shard(shard, board.game.spec())
                except UserError as error:
                    raise ProblemError(409, str(error)) from error


def _occurrences(found: NDArray[np.int64], searched: int, is_complete: bool) -> Occurrences:
    won, drawn, lost = (int(count) for count in found)
    return Occurrences(won + drawn + lost, won, drawn, lost, searched, is_complete)


def _symmetric_boards(board: Board) -> NDArray[np.void]:
    """V[8]: the stones under all symmetries, each as one item."""
    size = board.game.size
    stones = np.repeat(board.stones[np.newaxis], NUM_SYMMETRIES, axis=0)
    turned = transform_planes(stones, np.arange(NUM_SYMMETRIES)).reshape(NUM_SYMMETRIES, size * size)
    return np.ascontiguousarray(turned).view(f"V{size * size}").ravel()


def _shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("shard-*.parquet"))


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """JSON-ready rows: plain Python numbers, None where there is none."""
    plain = table.astype(object)
    rows = plain.where(table.notna() & ~table.isin([np.inf, -np.inf]), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in rows]
