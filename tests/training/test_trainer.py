"""The loop: it learns, it evaluates without side effects, it resumes to the bit, it fails loudly."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from stonezero.config.schema import NetworkConfig, TrainConfig
from stonezero.games import Game, make_game
from stonezero.network.model import build_model, export_weights
from stonezero.replay.loading import Window
from stonezero.replay.window import WindowError
from stonezero.training.evaluation import evaluate, looks, spread
from stonezero.training.optimizer import export_state, make_optimizer
from stonezero.training.samples import BatchMaker
from stonezero.training.trainer import Trainer, TrainingData, TrainingError, number_of_steps
from tests.replay.common import NETWORK, TRAIN
from tests.training.windows import make_window

GAME = make_game("gomoku", 4, 3)
LEARNING_RATES = {"adam": 0.01, "sgd": 0.05}
CONFIG = TrainConfig(**TRAIN)  # type: ignore[arg-type]


def make_trainer(
    folder: Path, window: Window, config: TrainConfig = CONFIG, game: Game = GAME, value: str = "wdl"
) -> tuple[Trainer, nn.Module, torch.optim.Optimizer]:
    network = NetworkConfig(**(NETWORK | {"value": value}))  # type: ignore[arg-type]
    model = build_model(network, game.size, game.num_actions, seed=3)
    optimizer = make_optimizer(model, config)
    data = TrainingData(game, window, network.planes, (1, 2))
    return Trainer(model, optimizer, data, config, folder / "training.safetensors"), model, optimizer


def same_arrays(left: dict[str, np.ndarray], right: dict[str, np.ndarray]) -> bool:
    return left.keys() == right.keys() and all(left[k].tobytes() == right[k].tobytes() for k in left)


def test_the_number_of_steps_follows_the_new_positions() -> None:
    window = make_window(GAME, 40, num_held_out=10)
    num_trained = int((~window.is_held_out).sum())
    config = replace(CONFIG, samples_per_position=3.0, batch_size=16)
    assert number_of_steps(window, config) == -(-3 * num_trained // 16)
    window.staleness[len(window) // 2 :] = 1
    num_new = int((~window.is_held_out & (window.staleness == 0)).sum())
    assert number_of_steps(window, config) == -(-3 * num_new // 16)
    window.weight[:] = 0.5
    assert number_of_steps(window, config) == -(-3 * num_new // 32)


def test_a_window_smaller_than_a_batch_is_refused() -> None:
    window = make_window(GAME, 4)
    with pytest.raises(WindowError, match=rf"holds {len(window)} positions .* train\.batch_size 512"):
        number_of_steps(window, replace(CONFIG, batch_size=512))
    window = make_window(GAME, 40, num_held_out=39)
    with pytest.raises(WindowError, match=r"fewer than train\.batch_size"):
        number_of_steps(window, CONFIG)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("value", ["wdl", "tanh"])
def test_a_small_window_is_learnt_by_heart(optimizer: str, value: str, tmp_path: Path) -> None:
    """The policy loss comes near the targets' entropy, its lower bound, and the value loss near 0."""
    window = make_window(GAME, 5)
    config = replace(CONFIG, batch_size=len(window), samples_per_position=150.0)
    config = replace(
        config, optimizer=optimizer, lr=LEARNING_RATES[optimizer], symmetry="none", weight_decay=0.0
    )
    rows = make_trainer(tmp_path, window, config, value=value)[0].run()
    policy = BatchMaker(GAME, window, ["own"]).make(np.arange(len(window)), np.zeros(len(window), int)).policy
    entropy = -(policy * np.log(np.maximum(policy, 1e-9))).sum(axis=1).mean()
    first, last = rows[1], rows[-1]
    assert last["step"] == 150
    assert last["train_policy_loss"] - entropy < 0.5 * (first["train_policy_loss"] - entropy)
    assert last["train_value_loss"] < 0.25 * first["train_value_loss"]


def test_held_out_games_are_looked_at_and_never_trained_on(tmp_path: Path) -> None:
    window = make_window(GAME, 30, num_held_out=10)
    trainer, _, _ = make_trainer(tmp_path, window)
    for step in range(trainer.num_steps):
        assert not window.is_held_out[trainer._sampler.draw(step)[0]].any()
    rows = trainer.run()
    looked = [row for row in rows if "held_out_loss" in row]
    assert [row["step"] for row in looked] == list(looks(trainer.num_steps, 4))
    for row in looked:
        assert row["held_out_loss"] == pytest.approx(row["held_out_policy_loss"] + row["held_out_value_loss"])
        assert 0 <= row["held_out_policy_top1"] <= 1
        assert 0 <= row["held_out_value_sign"] <= 1


def test_without_held_out_games_there_are_no_held_out_figures(tmp_path: Path) -> None:
    rows = make_trainer(tmp_path, make_window(GAME, 20))[0].run()
    assert not any("held_out_loss" in row for row in rows)


def test_evaluation_changes_nothing_and_takes_each_position_by_itself(tmp_path: Path) -> None:
    """Norms use their statistics: alone or in a batch, a position gets the same loss."""
    window = make_window(GAME, 20)
    trainer, model, _ = make_trainer(tmp_path, window)
    trainer.run()
    maker = BatchMaker(GAME, window, NETWORK["planes"])  # type: ignore[arg-type]
    before, rows = export_weights(model), np.arange(50)
    together = evaluate(model, maker, rows, 64, "cpu")
    alone = evaluate(model, maker, rows, 1, "cpu")
    assert together == pytest.approx(alone, abs=1e-5)  # float32 sums in another order
    assert model.training
    assert same_arrays(before, export_weights(model))


def test_evaluation_counts_agreement_and_signs() -> None:
    window = make_window(GAME, 3)
    maker = BatchMaker(GAME, window, ["own"])
    rows = np.arange(len(window))
    batch = maker.make(rows, np.zeros(len(rows), np.int64))

    class Oracle(nn.Module):
        def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            value = 3.0 * torch.from_numpy(batch.outcome).float()[:, None]
            return 9 * torch.from_numpy(batch.policy), value

    figures = evaluate(Oracle(), maker, rows, len(rows), "cpu")
    assert figures["policy_top1"] == 1
    assert figures["value_sign"] == 1
    assert figures["value_loss"] < 0.01


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("killed_after", [3, 5, 7, 17])
def test_a_killed_run_resumes_to_the_same_bits(optimizer: str, killed_after: int, tmp_path: Path) -> None:
    window = make_window(GAME, 30, num_held_out=5)
    config = replace(CONFIG, optimizer=optimizer, checkpoint_steps=5)
    whole, whole_model, whole_optimizer = make_trainer(tmp_path / "whole", window, config)
    rows = whole.run()
    assert whole.num_steps > 20

    killed, _, _ = make_trainer(tmp_path / "killed", window, config)
    train_step = killed._train_step

    def die() -> None:
        if killed._step == killed_after:
            raise KeyboardInterrupt
        train_step()

    killed._train_step = die  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        killed.run()
    resumed, model, state = make_trainer(tmp_path / "killed", window, config)
    resumed.resume()
    assert resumed._step == killed_after // 5 * 5
    assert resumed.run() == rows
    assert same_arrays(export_weights(model), export_weights(whole_model))
    assert same_arrays(export_state(model, state), export_state(whole_model, whole_optimizer))


def test_a_damaged_resume_point_is_left_aside(tmp_path: Path) -> None:
    window = make_window(GAME, 20)
    rows = make_trainer(tmp_path, window)[0].run()
    (tmp_path / "training.safetensors").write_bytes(b"half a file")
    trainer, _, _ = make_trainer(tmp_path, window)
    trainer.resume()
    assert trainer.run() == rows


def test_a_loss_that_is_not_finite_stops_the_run_and_names_the_step(tmp_path: Path) -> None:
    config = replace(
        CONFIG, optimizer="sgd", lr=1e30, gradient_clip=0.0, warmup_steps=0, checkpoint_steps=1000
    )
    trainer, _, _ = make_trainer(tmp_path, make_window(GAME, 20), config)
    with pytest.raises(TrainingError, match=r"is not finite at step \d+ of") as caught:
        trainer.run()
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_cuda_is_refused_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="no CUDA device"):
        make_trainer(tmp_path, make_window(GAME, 20), replace(CONFIG, device="cuda"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_training_runs_on_cuda(tmp_path: Path) -> None:
    window = make_window(GAME, 20, num_held_out=4)
    rows = make_trainer(tmp_path, window, replace(CONFIG, device="cuda"))[0].run()
    assert rows[-1]["held_out_loss"] < rows[0]["held_out_loss"]


def test_othello_trains_on_its_pass(tmp_path: Path) -> None:
    game = make_game("othello", 4)
    window = make_window(game, 30)
    assert (window.table.visit_moves == game.pass_move).any()
    rows = make_trainer(tmp_path, window, game=game)[0].run()
    assert rows[-1]["train_loss"] < rows[1]["train_loss"]


def test_looks_and_spread_cover_both_ends() -> None:
    assert list(looks(100, 4)) == [0, 25, 50, 75, 100]
    assert list(looks(2, 4)) == [0, 1, 2]
    assert spread(np.arange(10, 1010), 5).tolist()[::4] == [10, 1009]
    assert spread(np.arange(3), 5).tolist() == [0, 1, 2]
