"""Where each stage's files lie. dvc.yaml names the same files."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunPaths:
    """Files of a run by generation name (`g001`); relative to the checkout unless `root` says otherwise."""

    root: Path = Path("runs")

    def folder(self, generation: str) -> Path:
        return self.root / generation

    def games(self, generation: str) -> Path:
        """Folder of the self-play shards `shard-00000.parquet`, ..."""
        return self.folder(generation) / "games"

    def health(self, generation: str) -> Path:
        return self.folder(generation) / "health.json"

    def buffer(self, generation: str) -> Path:
        return self.folder(generation) / "buffer.parquet"

    def candidate(self, generation: str) -> Path:
        return self.folder(generation) / "candidate.safetensors"

    def optimizer(self, generation: str) -> Path:
        return self.folder(generation) / "optimizer.safetensors"

    def losses(self, generation: str) -> Path:
        return self.folder(generation) / "losses.csv"

    def champion(self, generation: str) -> Path:
        return self.folder(generation) / "champion.safetensors"

    def gate(self, generation: str) -> Path:
        return self.folder(generation) / "gate.json"

    def history(self, generation: str) -> Path:
        """Folder of the tables that grow from generation to generation."""
        return self.folder(generation) / "history"
