"""The train stage on real files: what it writes, from what it starts, and that it can be killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from stonezero.config import RunPaths
from stonezero.network.checkpoint import Checkpoint, CheckpointError
from stonezero.network.model import initial_checkpoint
from stonezero.replay.window import WindowError
from stonezero.training.optimizer import read_state, write_state
from stonezero.training.run import run
from stonezero.training.table import COLUMNS
from stonezero.training.trainer import TrainingError
from tests.replay.common import GAME, begin_run, make_params, play_and_buffer

Overrides = dict[str, dict[str, object]]


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    """A run with one generation of games, ready to be trained on."""
    return prepare(tmp_path)


def prepare(folder: Path) -> RunPaths:
    paths = begin_run(folder)
    network = make_params("g001").network
    checkpoint = initial_checkpoint(GAME.spec(), GAME.num_actions, network, seed=1)
    checkpoint.save(paths.candidate("g000"))
    checkpoint.save(paths.champion("g000"))
    write_state(paths.optimizer("g000"), {}, {})
    play_and_buffer(paths, "g001")
    return paths


def train(
    paths: RunPaths, gen: str = "g001", overrides: Overrides | None = None
) -> list[tuple[str, int, float]]:
    return run(make_params(gen, overrides), gen, paths.root / "scratch" / gen, paths)


def outs(paths: RunPaths, gen: str = "g001") -> list[bytes]:
    return [path(gen).read_bytes() for path in (paths.candidate, paths.optimizer, paths.losses)]


def test_the_stage_writes_net_optimizer_state_and_losses(paths: RunPaths) -> None:
    figures = train(paths)
    candidate, start = Checkpoint.load(paths.candidate("g001")), Checkpoint.load(paths.candidate("g000"))
    assert candidate.generation == "g001"
    assert candidate.game == GAME.spec()
    assert candidate.params_digest
    assert candidate.weights.keys() == start.weights.keys()
    assert all((candidate.weights[name] != start.weights[name]).any() for name in start.weights)
    assert read_state(paths.optimizer("g001"))[0]
    losses = pd.read_csv(paths.losses("g001"))
    assert losses.columns.tolist() == COLUMNS
    assert losses["step"].iloc[0] == 0
    assert losses["held_out_loss"].notna().iloc[[0, -1]].all()
    assert losses["held_out_loss"].iloc[-1] < losses["held_out_loss"].iloc[0]
    last = {key: value for key, step, value in figures if step == losses["step"].iloc[-1]}
    assert last["train/loss"] == pytest.approx(losses["train_loss"].iloc[-1], rel=1e-5)
    assert {"train/lr", "train/gradient_norm", "held_out/policy_top1", "held_out/value_sign"} <= last.keys()


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    results = []
    for name in ("a", "b"):
        paths = prepare(tmp_path / name)
        train(paths)
        results.append(outs(paths))
    assert results[0] == results[1]


def test_the_next_generation_goes_on_from_the_last_net_and_optimizer(paths: RunPaths) -> None:
    train(paths)
    play_and_buffer(paths, "g002")
    train(paths, "g002")
    steps = (
        pd.read_csv(paths.losses("g001"))["step"].iloc[-1],
        pd.read_csv(paths.losses("g002"))["step"].iloc[-1],
    )
    taken = [
        array for name, array in read_state(paths.optimizer("g002"))[0].items() if name.startswith("step/")
    ]
    assert all(array == sum(steps) for array in taken)


@pytest.mark.parametrize("start", ["champion", "scratch"])
def test_other_starts_begin_with_a_fresh_optimizer(paths: RunPaths, start: str) -> None:
    train(paths)
    Checkpoint.load(paths.candidate("g000")).save(paths.champion("g001"))
    play_and_buffer(paths, "g002")
    train(paths, "g002", {"train": {"start": start}})
    steps = pd.read_csv(paths.losses("g002"))["step"].iloc[-1]
    assert read_state(paths.optimizer("g002"))[0]["step/stem.conv.weight"] == steps


def test_a_change_of_optimizer_starts_it_afresh(paths: RunPaths, caplog: pytest.LogCaptureFixture) -> None:
    train(paths)
    play_and_buffer(paths, "g002")
    train(paths, "g002", {"train": {"optimizer": "sgd"}})
    assert "starts afresh" in caplog.text
    assert all(name.startswith("momentum_buffer/") for name in read_state(paths.optimizer("g002"))[0])


@pytest.mark.parametrize(
    ("overrides", "error", "words"),
    [
        ({"train": {"batch_size": 4096}}, WindowError, "fewer than"),
        (
            {"train": {"lr": 1e30, "optimizer": "sgd", "gradient_clip": 0.0}},
            TrainingError,
            "not finite at step",
        ),
        ({"network": {"channels": 16}}, CheckpointError, "its network is not that of the params"),
        ({"game": {"k": 4}}, CheckpointError, "its game is not that of the params"),
    ],
)
def test_failures_are_one_sentence_and_write_nothing(
    paths: RunPaths, overrides: Overrides, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        train(paths, overrides=overrides)
    assert "\n" not in str(caught.value)
    assert not paths.candidate("g001").exists()
    assert not paths.losses("g001").exists()


def test_a_missing_start_net_is_named(paths: RunPaths) -> None:
    paths.candidate("g000").unlink()
    with pytest.raises(CheckpointError, match=r"g000/candidate\.safetensors"):
        train(paths)


def test_the_params_digest_depends_on_what_training_depends_on(paths: RunPaths) -> None:
    digests = []
    for overrides in ({}, {"gate": {"max_pairs": 9}}, {"train": {"lr": 0.02}}):
        train(paths, overrides=overrides)  # type: ignore[arg-type]
        digests.append(Checkpoint.load(paths.candidate("g001")).params_digest)
        for file in (paths.root / "scratch" / "g001").iterdir():
            file.unlink()
    assert digests[0] == digests[1] != digests[2]


SCRIPT = """
import sys
from pathlib import Path
from stonezero.config import RunPaths
from tests.training.test_run import LONG, train
train(RunPaths(Path(sys.argv[1]) / "runs"), overrides=LONG)
"""
LONG: Overrides = {"train": {"samples_per_position": 80.0, "checkpoint_steps": 10}}


@pytest.mark.slow
def test_a_run_killed_with_signal_9_ends_with_the_bytes_of_one_that_was_not(tmp_path: Path) -> None:
    whole, killed = prepare(tmp_path / "whole"), prepare(tmp_path / "killed")
    train(whole, overrides=LONG)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "killed")]
    resume_file = killed.root / "scratch" / "g001" / "training.safetensors"
    root = Path(__file__).parents[2]
    for _ in range(2):
        before = resume_file.stat().st_mtime_ns if resume_file.exists() else 0
        process = subprocess.Popen(command, cwd=root)
        while not (resume_file.exists() and resume_file.stat().st_mtime_ns > before):
            assert process.poll() is None
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert not killed.candidate("g001").exists()
    subprocess.run(command, check=True, cwd=root)
    assert outs(killed) == outs(whole)
