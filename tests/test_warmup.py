"""After the warm-up no stage compiles anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

GENERATION = """
import runpy, sys
from pathlib import Path
from stonezero.arena import run as arena
from stonezero.config.composition import compose_params, stage_params
from stonezero.replay import run as replay
from stonezero.selfplay import run as selfplay
from stonezero.training import run as training

root, overrides = Path(sys.argv[1]), sys.argv[2:]
params = compose_params(root / "conf", overrides)
runpy.run_path(str(root / "stages" / "init.py"))["run"](stage_params(params, "g000"), "g000", Path())
for stage in (selfplay, replay, training, arena):
    scratch = Path("scratch", stage.__name__)
    scratch.mkdir(parents=True)
    stage.run(stage_params(params, "g001"), "g001", scratch)
"""

TINY = (
    "iterations=1",
    "network.channels=8",
    "network.blocks=1",
    "selfplay.games=8",
    "selfplay.simulations=8",
    "selfplay.shard_games=4",
    "selfplay.slots=4",
    "train.samples_per_position=1",
    "train.batch_size=16",
    "train.threads=1",
    "gate.simulations=4",
    "gate.opening_plies=2",
    "gate.round_pairs=2",
    "gate.max_pairs=2",
    "gate.anchors=[random,'rollouts:sims=4']",
    "gate.anchor_pairs=1",
    "gate.archive_pairs=1",
)
GAMES = {
    "gomoku": ("experiment=tictactoe", "inference=onnxruntime", "search.leaves_per_wave=2"),
    "othello": ("experiment=othello6", "game.size=4", "inference=numpy"),
}


def run(folder: Path, *arguments: str) -> None:
    environment = os.environ | {"STONEZERO_CACHE": str(folder / "cache"), "STONEZERO_WORKERS": "1"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def compiled(folder: Path) -> set[str]:
    return {path.name for path in (folder / "cache").glob("kernels/*/*.nbc")}


@pytest.mark.slow
def test_after_the_warm_up_a_generation_of_either_game_compiles_nothing(tmp_path: Path) -> None:
    run(tmp_path, "-m", "stonezero", "warm-up")
    warm = compiled(tmp_path)
    assert len(warm) > 30
    for game, overrides in GAMES.items():
        run(tmp_path, "-c", GENERATION, str(ROOT), *overrides, *TINY)
        assert compiled(tmp_path) == warm, game
        (tmp_path / "runs").rename(tmp_path / f"runs of {game}")
        (tmp_path / "scratch").rename(tmp_path / f"scratch of {game}")
