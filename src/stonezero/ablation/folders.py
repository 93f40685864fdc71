"""Where a grid keeps what is not an output: all below .scratch/ablation in the main checkout."""

from pathlib import Path


class Folders:
    """Paths below one checkout."""

    def __init__(self, root: Path) -> None:
        self.base = root / ".scratch" / "ablation"

    @property
    def records(self) -> Path:
        """Of finished stages (`stonezero.outbox`): with lineage, so with wall times."""
        return self.base / "records"

    @property
    def matches(self) -> Path:
        """Tables of games between champions."""
        return self.base / "matches"

    @property
    def start_lock(self) -> Path:
        return self.base / "start.lock"

    def lock(self, name: str) -> Path:
        """Of a cell: one process at a time runs it."""
        return self.base / "locks" / f"{name}.lock"

    def log(self, name: str) -> Path:
        """What dvc and the stages of a cell said."""
        return self.base / "logs" / f"{name}.log"

    def outcome(self, name: str) -> Path:
        """How a cell's job ended."""
        return self.base / "outcomes" / f"{name}.json"

    def cell(self, name: str) -> Path:
        """Folder of what is compared: champions and figures."""
        return self.base / "cells" / name
