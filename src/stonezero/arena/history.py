"""The history: tables that grow by one generation at each gate, so that a report needs only the last.

matches.parquet   one row per game of all gates: generation, kind (gate, anchor or archive) and the
                  columns of `stonezero.arena.matches`
gates.csv         one row per gate: figures, verdict, reason
losses.csv        the training losses of all generations
health.csv        the self-play figures of all generations
champions.json    the champions so far, oldest first: generation, path, sha256
"""

import json
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from stonezero.config import RunPaths
from stonezero.errors import UserError
from stonezero.files import atomic_write, file_digest, write_text

TABLES = ("gates", "losses", "health")
GATE_COLUMNS = (
    *("generation", "candidate", "champion", "accepted", "verdict", "reason", "score", "wins", "draws"),
    *("losses", "distinct_pairs", "llr", "lower_bound", "upper_bound"),
)  #: what a report needs of gates.csv


@dataclass(frozen=True)
class Champion:
    """A net that has been champion."""

    generation: str  #: that made it; also its name in ratings
    path: str  #: of its checkpoint, relative to the checkout
    sha256: str  #: of that file

    @classmethod
    def of_file(cls, generation: str, path: Path, paths: RunPaths) -> "Champion":
        return cls(generation, path.relative_to(paths.root.parent).as_posix(), file_digest(path))

    @classmethod
    def of_entry(cls, entry: object) -> "Champion":
        """An entry of champions.json; ValueError where it is something else."""
        names = [field.name for field in fields(cls)]
        if not isinstance(entry, dict) or sorted(entry) != sorted(names):
            raise ValueError(f"a champion has {', '.join(names)}, not {json.dumps(entry)[:100]}")
        if wrong := [name for name in names if not isinstance(entry[name], str)]:
            raise ValueError(f"a champion's {wrong[0]} is a text, not {json.dumps(entry[wrong[0]])[:100]}")
        if not re.fullmatch(r"g\d{3,}", entry["generation"]):
            raise ValueError(f"a champion's generation looks like g003, not {entry['generation']!r}")
        return cls(**entry)

    def checked_path(self, paths: RunPaths) -> Path:
        """The checkpoint's path; UserError unless the file is there and still the same."""
        parts = Path(self.path).parts
        if parts[:1] != (paths.root.name,) or ".." in parts:
            raise UserError(
                f"{self.path}, the champion of {self.generation}, lies outside {paths.root.name}/"
            )
        return self.checked(paths.root.parent / self.path)

    def checked(self, path: Path) -> Path:
        """`path`; UserError unless the champion lies there."""
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
            if not isinstance(entries, list):
                raise ValueError("champions.json is no list")
            gates = read_csv(folder / "gates.csv")
            if len(gates) and (missing := [name for name in GATE_COLUMNS if name not in gates]):
                raise ValueError(f"gates.csv has no column {missing[0]}")
            return cls(
                matches=pd.read_parquet(matches) if matches.exists() else pd.DataFrame(),
                gates=gates,
                losses=read_csv(folder / "losses.csv"),
                health=read_csv(folder / "health.csv"),
                champions=[Champion.of_entry(entry) for entry in entries],
            )
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f"the history in {folder} can't be read: {' '.join(str(error).split())}"
            ) from error

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
