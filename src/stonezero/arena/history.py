"""The history: tables that grow by one generation at each gate, so that a report needs only the last.

matches.parquet   one row per game of all gates: generation, kind (gate, anchor or archive) and the
                  columns of `stonezero.arena.matches`
gates.csv         one row per gate: figures, verdict, reason
losses.csv        the training losses of all generations
health.csv        the self-play figures of all generations
champions.json    the champions so far, oldest first: generation, path, sha256
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from stonezero.config import RunPaths
from stonezero.errors import UserError
from stonezero.files import atomic_write, file_digest, write_text

TABLES = ("gates", "losses", "health")


@dataclass(frozen=True)
class Champion:
    """A net that has been champion."""

    generation: str  #: that made it; also its name in ratings
    path: str  #: of its checkpoint, relative to the checkout
    sha256: str  #: of that file

    @classmethod
    def of_file(cls, generation: str, path: Path, paths: RunPaths) -> "Champion":
        return cls(generation, path.relative_to(paths.root.parent).as_posix(), file_digest(path))

    def checked_path(self, paths: RunPaths) -> Path:
        """The checkpoint's path; UserError unless the file is there and still the same."""
        path = paths.root.parent / self.path
        if not path.is_file():
            raise UserError(f"{path}, the champion of {self.generation}, is missing: run `dvc pull`")
        if file_digest(path) != self.sha256:
            raise UserError(f"{path} is no longer the champion of {self.generation}: run `dvc checkout`")
        return path


@dataclass
class History:
    """All tables in memory."""

    matches: pd.DataFrame
    gates: pd.DataFrame
    losses: pd.DataFrame
    health: pd.DataFrame
    champions: list[Champion]

    @classmethod
    def load(cls, folder: Path) -> "History":
        """Read a folder; tables that aren't there yet are empty. UserError for a damaged one."""
        try:
            matches = folder / "matches.parquet"
            champions = folder / "champions.json"
            entries = json.loads(champions.read_text()) if champions.exists() else []
            return cls(
                matches=pd.read_parquet(matches) if matches.exists() else pd.DataFrame(),
                gates=read_csv(folder / "gates.csv"),
                losses=read_csv(folder / "losses.csv"),
                health=read_csv(folder / "health.csv"),
                champions=[Champion(**entry) for entry in entries],
            )
        except (OSError, ValueError, TypeError) as error:
            raise UserError(f"the history in {folder} can't be read: {error}") from error

    def save(self, folder: Path) -> None:
        """Write all tables, each atomically."""
        with atomic_write(folder / "matches.parquet") as path:
            self.matches.to_parquet(path, index=False)
        for name in TABLES:
            table: pd.DataFrame = getattr(self, name)
            write_text(folder / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
        entries = [asdict(champion) for champion in self.champions]
        write_text(folder / "champions.json", json.dumps(entries, indent=1) + "\n")

    def extended(self, generation: str, **rows: pd.DataFrame) -> "History":
        """With rows added to the named tables, marked with their generation."""
        tables = {name: getattr(self, name) for name in ("matches", *TABLES)}
        for name, table in rows.items():
            new = table.copy()
            new.insert(0, "generation", generation)
            tables[name] = pd.concat([tables[name], new], ignore_index=True) if len(tables[name]) else new
        return History(**tables, champions=list(self.champions))

    def has_met(self, player: str, opponents: list[str]) -> bool:
        """Whether the player has played any of the opponents."""
        if self.matches.empty:
            return False
        black, white = self.matches["black"], self.matches["white"]
        met = ((black == player) & white.isin(opponents)) | ((white == player) & black.isin(opponents))
        return bool(met.any())


def read_csv(path: Path) -> pd.DataFrame:
    """A table, or an empty one where the file is missing or empty."""
    if not path.exists() or path.stat().st_size <= 1:
        return pd.DataFrame()
    return pd.read_csv(path)
