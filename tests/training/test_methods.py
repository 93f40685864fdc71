"""Averages of weights, epochs, frozen heads, auxiliary heads, staleness and surprise, mixed precision."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from stonezero.config.schema import BufferConfig, NetworkConfig, TrainConfig
from stonezero.games import Game, make_game
from stonezero.games.symmetry import NUM_SYMMETRIES, transform_planes, transform_policy
from stonezero.network.model import Net, build_model, export_weights
from stonezero.replay.loading import Window
from stonezero.replay.outlook import outlook_of
from stonezero.training.averaging import Averaging
from stonezero.training.optimizer import export_state, make_optimizer
from stonezero.training.samples import BatchMaker, Sampler
from stonezero.training.surprise import divergences, is_stale, surprise_factors
from stonezero.training.trainer import Trainer, TrainingData, number_of_steps, steps_per_epoch
from tests.replay.common import BUFFER, NETWORK, TRAIN
from tests.training.windows import make_window

GOMOKU, OTHELLO = make_game("gomoku", 4, 3), make_game("othello", 4)
CONFIG = TrainConfig(**TRAIN)  # type: ignore[arg-type]
ALL_HEADS = ["ownership", "score", "reply"]


def make_trainer(
    folder: Path, window: Window, config: TrainConfig, game: Game = GOMOKU, **network: object
) -> tuple[Trainer, Net, torch.optim.Optimizer]:
    net_config = NetworkConfig(**(NETWORK | network))  # type: ignore[arg-type]
    model = build_model(net_config, game.size, game.num_actions, seed=3)
    optimizer = make_optimizer(model, config)
    data = TrainingData(game, window, net_config.planes, (1, 2))
    return Trainer(model, optimizer, data, config, folder / "training.safetensors"), model, optimizer


def othello_window(num_games: int = 30, num_held_out: int = 5) -> Window:
    window = make_window(OTHELLO, num_games, num_held_out)
    return replace(window, outlook=outlook_of(window.table, OTHELLO))


@pytest.mark.parametrize("kind", ["ema", "swa"])
def test_averages_are_those_of_the_weights_step_by_step(kind: str) -> None:
    model = nn.Linear(1, 1, bias=False)
    config = replace(CONFIG, averaging=kind, ema_decay=0.75, swa_share=0.5)
    with torch.no_grad():
        model.weight.fill_(8.0)
    averaging = Averaging(model, config, num_steps=6)
    expected, average = [], 8.0
    for step, weight in enumerate([4.0, 2.0, 7.0, 1.0, 5.0, 3.0]):
        with torch.no_grad():
            model.weight.fill_(weight)
        averaging.update(step)
        decay = min(0.75, (1 + step) / (10 + step))
        average = decay * average + (1 - decay) * weight
        expected.append(average)
    wanted = expected[-1] if kind == "ema" else (1 + 5 + 3) / 3
    assert averaging.model.weight.item() == pytest.approx(wanted, rel=1e-6)  # type: ignore[operator]


def test_before_its_first_step_an_average_is_the_model_itself() -> None:
    model = nn.Linear(1, 1)
    averaging = Averaging(model, replace(CONFIG, averaging="swa"), num_steps=8)
    averaging.update(0)
    assert averaging.model is model


METHODS: list[tuple[dict[str, object], dict[str, object]]] = [
    ({"averaging": "ema"}, {}),
    ({"averaging": "swa", "optimizer": "adamw"}, {}),
    ({"precision": "bf16", "lr_schedule": "onecycle"}, {}),
    ({"freeze_head": "value", "freeze_epochs": 1.0, "value_weight_by_epoch": [0.0, 0.3, 1.0]}, {}),
    ({"symmetry": "all8", "value_loss": "huber", "huber_delta": 0.2, "entropy_bonus": 0.01}, {}),
    ({"policy_weight": 0.5}, {"auxiliary": ALL_HEADS, "trunk": "separate"}),
]


@pytest.mark.parametrize(("train", "network"), METHODS)
@pytest.mark.parametrize("killed_after", [4, 13])
def test_every_method_resumes_to_the_same_bits(
    train: dict[str, object], network: dict[str, object], killed_after: int, tmp_path: Path
) -> None:
    window = othello_window()
    config = replace(CONFIG, checkpoint_steps=5, **train)  # type: ignore[arg-type]
    whole, model, optimizer = make_trainer(tmp_path / "whole", window, config, OTHELLO, **network)
    rows = whole.run()
    assert whole.num_steps > 20

    killed, _, _ = make_trainer(tmp_path / "killed", window, config, OTHELLO, **network)
    train_step = killed._train_step

    def die() -> None:
        if killed._step == killed_after:
            raise KeyboardInterrupt
        train_step()

    killed._train_step = die  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        killed.run()
    resumed, other, state = make_trainer(tmp_path / "killed", window, config, OTHELLO, **network)
    resumed.resume()
    assert resumed.run() == rows
    for one, another in [
        (export_weights(resumed.trained), export_weights(whole.trained)),
        (export_weights(other), export_weights(model)),
        (export_state(other, state), export_state(model, optimizer)),
    ]:
        assert one.keys() == another.keys()
        assert all(one[name].tobytes() == another[name].tobytes() for name in one)


@pytest.mark.parametrize(("train", "network"), METHODS)
def test_every_method_learns_a_small_window(
    train: dict[str, object], network: dict[str, object], tmp_path: Path
) -> None:
    window = othello_window(6, 0)
    config = replace(CONFIG, samples_per_position=100.0, batch_size=len(window) // 8 * 8)
    config = replace(config, **train)  # type: ignore[arg-type]
    rows = make_trainer(tmp_path, window, config, OTHELLO, **network)[0].run()
    for name in ("train_policy_loss", "train_value_loss"):
        assert rows[-1][name] < rows[1][name], name


def test_the_candidate_is_the_average_and_differs_from_the_last_weights(tmp_path: Path) -> None:
    trainer, model, _ = make_trainer(tmp_path, make_window(GOMOKU, 20, 4), replace(CONFIG, averaging="ema"))
    trainer.run()
    assert not np.array_equal(
        export_weights(trainer.trained)["stem.conv.weight"], export_weights(model)["stem.conv.weight"]
    )


def test_epochs_are_passes_over_the_whole_window() -> None:
    window = make_window(GOMOKU, 40, num_held_out=10)
    window.staleness[len(window) // 2 :] = 1
    num_trained = int((~window.is_held_out).sum())
    config = replace(CONFIG, batch_size=16, epochs=2.5)
    assert number_of_steps(window, config) == -(-5 * num_trained // 32)
    assert steps_per_epoch(window, config) == -(-num_trained // 16)


def test_a_frozen_head_stays_until_its_epochs_are_over_and_the_rest_learns(tmp_path: Path) -> None:
    window = make_window(GOMOKU, 30)
    config = replace(CONFIG, epochs=3.0, freeze_head="value", freeze_epochs=2.0)
    trainer, model, _ = make_trainer(tmp_path, window, config)
    before = export_weights(model)
    per_epoch = steps_per_epoch(window, config)
    for step in range(3 * per_epoch - 2):
        trainer._train_step()
        now = export_weights(model)
        head = [name for name in before if name.startswith("value.")]
        is_same = all(np.array_equal(now[name], before[name]) for name in head)
        assert is_same == (step < 2 * per_epoch)
    assert not np.array_equal(now["policy.output.weight"], before["policy.output.weight"])


def test_the_value_weight_follows_the_epochs_and_its_last_entry_holds_on(tmp_path: Path) -> None:
    window = make_window(GOMOKU, 30)
    config = replace(CONFIG, value_weight_by_epoch=[0.0, 0.3, 1.0])
    objective = make_trainer(tmp_path, window, config)[0]._objective
    each = steps_per_epoch(window, config)
    steps = [0, each - 1, each, 2 * each - 1, 2 * each, 9 * each]
    assert [objective.value_weight(step) for step in steps] == [0.0, 0.0, 0.3, 0.3, 1.0, 1.0]


def test_all_eight_symmetries_of_each_row_are_in_one_batch() -> None:
    sampler = Sampler(np.ones(500, np.float32), 32, (1, 2), "all8")
    rows, symmetries = sampler.draw(3)
    assert rows.reshape(4, 8).tolist() == [[row] * 8 for row in rows[::8]]
    assert len(set(rows)) == 4
    assert symmetries.reshape(4, 8).tolist() == [list(range(8))] * 4


@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_auxiliary_targets_turn_with_the_board(symmetry: int) -> None:
    window = othello_window(6, 0)
    maker = BatchMaker(OTHELLO, window, ["own"])
    rows = np.arange(len(window))
    plain = maker.make(rows, np.zeros(len(rows), np.int64))
    moved = maker.make(rows, np.full(len(rows), symmetry))
    boards = plain.ownership.reshape(-1, 4, 4)
    assert (moved.ownership == transform_planes(boards, symmetry).reshape(-1, 16)).all()
    one_hot = np.eye(OTHELLO.num_actions)
    has_reply = plain.reply >= 0
    assert (moved.reply >= 0).tolist() == has_reply.tolist()
    expected = transform_policy(one_hot[plain.reply[has_reply]], symmetry, 4)
    assert (one_hot[moved.reply[has_reply]] == expected).all()
    assert (moved.has_end == 1).all()


def test_ownership_is_seen_by_the_side_to_move() -> None:
    window = othello_window(6, 0)
    rows = np.arange(len(window))
    batch = BatchMaker(OTHELLO, window, ["own"]).make(rows, np.zeros(len(rows), np.int64))
    assert window.outlook is not None
    for row in rows:
        final, own = window.outlook.final_stones[row], window.table.turn[row]
        expected = [0 if stone == 0 else 1 if stone == own else -1 for stone in final]
        assert batch.ownership[row].tolist() == expected
        assert np.sign(sum(expected)) == window.table.outcome[row]


def test_auxiliary_heads_learn_what_they_are_for(tmp_path: Path) -> None:
    window = othello_window(6, 0)
    config = replace(CONFIG, samples_per_position=200.0, batch_size=len(window), symmetry="none")
    rows = make_trainer(tmp_path, window, config, OTHELLO, auxiliary=ALL_HEADS)[0].run()
    for name in ALL_HEADS:
        assert rows[-1][f"train_{name}_loss"] < 0.6 * rows[1][f"train_{name}_loss"], name


BUFFER_CONFIG = BufferConfig(**BUFFER)  # type: ignore[arg-type]


def test_divergence_is_that_of_the_target_from_the_nets_policy_over_legal_moves() -> None:
    """A uniform net: KL = log(legal moves) - entropy of the target."""
    window = make_window(GOMOKU, 6)
    maker = BatchMaker(GOMOKU, window, ["own"])

    class Uniform(nn.Module):
        def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return torch.zeros(len(planes), 16), torch.zeros(len(planes), 3)

    batch = maker.make(np.arange(len(window)), np.zeros(len(window), np.int64))
    entropy = -(batch.policy * np.log(np.where(batch.policy > 0, batch.policy, 1))).sum(axis=1)
    expected = np.log(batch.legal.sum(axis=1)) - entropy
    assert divergences(Uniform(), maker, len(window), "cpu") == pytest.approx(expected, abs=1e-5)


def test_only_older_positions_far_from_the_net_are_stale_and_dropped_in_the_asked_share() -> None:
    window = make_window(GOMOKU, 200)
    window.staleness[: len(window) // 2] = 1
    divergence = np.random.default_rng(0).uniform(0, 2, len(window)).astype(np.float32)
    config = replace(BUFFER_CONFIG, kl_threshold=1.0, kl_drop=1.0)
    far = (divergence > 1) & (window.staleness > 0) & window.is_policy_target
    assert is_stale(window, divergence, config, (1, 2)).tolist() == far.tolist()
    some = is_stale(window, divergence, replace(config, kl_drop=0.5), (1, 2))
    assert not some[~far].any()
    assert some[far].mean() == pytest.approx(0.5, abs=3 * 0.5 / np.sqrt(far.sum()))
    assert some.tolist() == is_stale(window, divergence, replace(config, kl_drop=0.5), (1, 2)).tolist()


def test_surprise_keeps_the_mean_weight_and_favours_what_surprises() -> None:
    window = make_window(GOMOKU, 4, num_held_out=1)
    window.is_policy_target[-1] = False
    divergence = np.linspace(0, 3, len(window)).astype(np.float32)
    factors = surprise_factors(window, divergence, 0.5)
    counted = window.is_policy_target & ~window.is_held_out
    mean = divergence[counted].mean()
    assert factors[counted] == pytest.approx(0.5 + 0.5 * divergence[counted] / mean)
    assert factors[counted].mean() == pytest.approx(1)
    assert factors[-1] == 1
    assert surprise_factors(window, divergence, 0.0).tolist() == [1] * len(window)


def test_soft_value_targets_reach_the_batch_and_hard_ones_stay_classes() -> None:
    window = make_window(GOMOKU, 3)
    soft = np.random.default_rng(0).dirichlet([1, 1, 1], len(window)).astype(np.float32)
    rows, none = np.array([4, 0, 2]), np.zeros(3, np.int64)
    hard = BatchMaker(GOMOKU, window, ["own"]).make(rows, none)
    assert hard.value.tolist() == window.table.outcome[rows].tolist()
    batch = BatchMaker(GOMOKU, replace(window, value_target=soft), ["own"]).make(rows, none)
    assert (batch.value == soft[rows]).all()
    assert batch.outcome.tolist() == hard.outcome.tolist()
