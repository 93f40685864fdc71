"""Training on fixed records, and runs that begin with what it made."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from omegaconf import DictConfig, OmegaConf

from stonezero.commands_of_records import fit as fit_command
from stonezero.config import RunPaths
from stonezero.config.composition import stage_params
from stonezero.config.schema import NetworkConfig
from stonezero.files import file_digest
from stonezero.games import make_game
from stonezero.network.checkpoint import Checkpoint, CheckpointError
from stonezero.network.model import initial_checkpoint
from stonezero.plan import make_plan
from stonezero.replay.window import WindowError
from stonezero.training.fit import Fit, fit
from stonezero.training.optimizer import read_state
from stonezero.training.start import first_checkpoint
from tests.replay.common import GAME, make_params, play, play_and_buffer
from tests.training.test_run import prepare, train


@pytest.fixture
def records(tmp_path: Path) -> list[Path]:
    paths = RunPaths(tmp_path / "runs")
    play(paths, "g001", num_games=60)
    return sorted(paths.games("g001").iterdir())


def fitted(records: list[Path], folder: Path, **train: object) -> Fit:
    return fit(make_params("g001", {"train": {"samples_per_position": 10.0} | train}), records, folder)


def test_a_net_learns_from_records_alone_and_the_same_way_again(records: list[Path], tmp_path: Path) -> None:
    first, again = fitted(records, tmp_path / "a"), fitted(records[::-1], tmp_path / "b")
    assert first.checkpoint.to_bytes() == again.checkpoint.to_bytes()
    assert first.held_out == again.held_out
    assert first.rows[-1]["held_out_loss"] < first.rows[0]["held_out_loss"]
    assert set(first.held_out) == {"policy_loss", "value_loss", "policy_top1", "value_sign", "value_mse"}


def test_other_training_is_judged_on_the_same_held_out_games(records: list[Path], tmp_path: Path) -> None:
    """Before the first step nets of one seed say the same, so their figures there are equal."""
    plain = fitted(records, tmp_path / "a")
    other = fitted(records, tmp_path / "b", symmetry="none", value_loss="mse", averaging="ema")
    assert plain.rows[0] == other.rows[0]
    assert plain.held_out != other.held_out


def test_no_records_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WindowError, match="no records"):
        fit(make_params("g001"), [], tmp_path)


def started(path: Path, size: int = 4, name: str = "gomoku", **network: object) -> DictConfig:
    game = make_game(name, size, 3) if name == "gomoku" else make_game(name, size)
    start = {"start_file": str(path), "start_digest": file_digest(path)}
    return make_params("g001", {"train": start, "network": network}, game)


def test_a_run_begins_with_the_net_of_a_file(records: list[Path], tmp_path: Path) -> None:
    checkpoint = fitted(records, tmp_path / "a").checkpoint
    checkpoint.save(tmp_path / "net")
    first = first_checkpoint(started(tmp_path / "net"))
    assert (first.game, first.generation) == (GAME.spec(), "g000")
    assert all((first.weights[name] == weight).all() for name, weight in checkpoint.weights.items())


def test_pooled_heads_begin_with_a_net_of_a_smaller_board_and_dense_ones_do_not(tmp_path: Path) -> None:
    for heads in ("pooled", "dense"):
        network = cast(NetworkConfig, OmegaConf.to_object(make_params("g001").network))
        made = initial_checkpoint(GAME.spec(), GAME.num_actions, replace(network, heads=heads), seed=1)
        made.save(tmp_path / heads)
    first = first_checkpoint(started(tmp_path / "pooled", size=6))
    assert first.game["size"] == 6
    with pytest.raises(CheckpointError, match="dense heads made for 4x4"):
        first_checkpoint(started(tmp_path / "dense", size=6, heads="dense"))


def test_files_that_do_not_fit_or_have_changed_are_refused(tmp_path: Path) -> None:
    network = cast(NetworkConfig, OmegaConf.to_object(make_params("g001").network))
    initial_checkpoint(GAME.spec(), GAME.num_actions, network, seed=1).save(tmp_path / "net")
    with pytest.raises(CheckpointError, match="a net of gomoku, not of othello"):
        first_checkpoint(started(tmp_path / "net", name="othello"))
    with pytest.raises(CheckpointError, match="its network is not that of the params"):
        first_checkpoint(started(tmp_path / "net", channels=16))
    params = started(tmp_path / "net")
    initial_checkpoint(GAME.spec(), GAME.num_actions, network, seed=2).save(tmp_path / "net")
    with pytest.raises(CheckpointError, match="has changed since the plan"):
        first_checkpoint(params)


def test_averaged_training_goes_on_from_the_weights_that_were_not_averaged(tmp_path: Path) -> None:
    paths = prepare(tmp_path)
    train(paths, overrides={"train": {"averaging": "ema"}})
    state, _ = read_state(paths.optimizer("g001"))
    raw = {name.removeprefix("raw/"): a for name, a in state.items() if name.startswith("raw/")}
    candidate = Checkpoint.load(paths.candidate("g001"))
    assert raw.keys() == candidate.weights.keys()
    assert any((raw[name] != weight).any() for name, weight in candidate.weights.items())
    play_and_buffer(paths, "g002")
    train(paths, "g002", {"train": {"averaging": "ema", "lr": 1e-12, "warmup_steps": 0}})
    state, _ = read_state(paths.optimizer("g002"))
    for name, weight in raw.items():
        if ".running_" not in name:  # the rate is as good as 0: only the norms' statistics move
            np.testing.assert_allclose(state[f"raw/{name}"], weight, atol=1e-6)


BUFFERS: list[dict[str, object]] = [
    {"kl_threshold": 0.5, "surprise_share": 0.5},
    {"merge_positions": True, "quality_simple_four": 0.8, "quality_decided": 0.9},
    {"sampling": "games", "phase_plies": [3], "phase_weights": [0.5, 1.0], "rare_weight": 2.0},
]


@pytest.mark.parametrize("buffer", BUFFERS)
def test_every_way_to_see_the_window_trains_and_repeats(buffer: dict[str, object], tmp_path: Path) -> None:
    results = []
    for name in ("a", "b"):
        paths = prepare(tmp_path / name)
        train(paths, overrides={"buffer": buffer})
        play_and_buffer(paths, "g002", buffer=buffer)
        train(paths, "g002", {"buffer": buffer})
        results.append(paths.candidate("g002").read_bytes())
    assert results[0] == results[1]
    paths = prepare(tmp_path / "plain")
    train(paths)
    play_and_buffer(paths, "g002")
    train(paths, "g002")
    plain = Checkpoint.load(paths.candidate("g002")).weights["stem.conv.weight"]
    assert (Checkpoint.from_bytes(results[0]).weights["stem.conv.weight"] != plain).any()


def test_the_command_writes_the_net_and_prints_the_held_out_figures(
    records: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(Path(__file__).parents[2] / "conf", tmp_path / "conf")
    monkeypatch.chdir(tmp_path)
    overrides = ["game.size=4", "game.k=3", "train.batch_size=32", "buffer.held_out_fraction=0.2"]
    overrides += ["selfplay.random_opening_plies=2", "gate.opening_plies=2", "train.checkpoint_steps=3"]
    fit_command(records[0].parent, tmp_path / "net", overrides)
    printed = json.loads(capsys.readouterr().out)
    assert 0 < printed["policy_loss"] < 3
    assert Checkpoint.load(tmp_path / "net").game == GAME.spec()
    assert not list((tmp_path / ".scratch").iterdir())
    params = stage_params(make_plan(tmp_path, [*overrides, "train.start_file=net"]), "g001")
    assert first_checkpoint(params).weights.keys() == Checkpoint.load(tmp_path / "net").weights.keys()
