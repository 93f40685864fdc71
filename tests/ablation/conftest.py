"""A checkout without git and dvc's folders: enough to plan cells in."""

import shutil
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from stonezero.ablation.grid import Grid, make_grid
from stonezero.ablation.results import CellResult, GenerationResult
from stonezero.files import file_digest
from stonezero.games import make_game
from stonezero.network.model import initial_checkpoint

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with conf/ of its own, which is the working directory."""
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    shutil.copy(ROOT / "dvc.yaml", tmp_path)
    for name in ("src", "stages"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def grid(checkout: Path) -> Grid:
    """Two variants with two seeds on a tiny board."""
    sweep = ["ablation=none,no_noise", "seed=1,2", "experiment=tictactoe", "iterations=1"]
    quick = ["network.channels=8", "network.blocks=0", "gate.simulations=4", "gate.opening_plies=2"]
    return make_grid(checkout, [*sweep, *quick, "gate.anchors=[random]"])


@pytest.fixture
def results(grid: Grid, checkout: Path) -> list[CellResult]:
    """Results of all cells, their nets as different as seeds make them; those of one seed start alike."""
    game = make_game(**grid.params.game)
    made = []
    for number, cell in enumerate(grid.cells):
        generations = []
        for name, seed in (("g000", cell.seed), ("g001", 100 + number)):
            path = checkout / "nets" / f"{cell.name}-{name}.safetensors"
            network = OmegaConf.to_object(grid.params.network)
            initial_checkpoint(game.spec(), game.num_actions, network, seed).save(path)
            metrics = {"train": [("train/loss", 10, 2.0)]} if name == "g001" else {}
            spent = 1000 + number if name == "g001" else 0
            generations.append(GenerationResult(name, path, file_digest(path), spent, metrics))
        made.append(CellResult(cell, generations, [0.0, 12.5]))
    return made
