"""Optimisers, schedules, and state that survives a file."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from stonezero.config.schema import TrainConfig
from stonezero.training.optimizer import (
    OptimizerStateError,
    export_state,
    learning_rate,
    load_state,
    make_optimizer,
    read_state,
    set_learning_rate,
    write_state,
)
from tests.replay.common import TRAIN

CONFIG = TrainConfig(**TRAIN)  # type: ignore[arg-type]


def make_model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3), nn.Flatten(), nn.Linear(3, 1))


def step(model: nn.Module, optimizer: torch.optim.Optimizer, seed: int) -> None:
    optimizer.zero_grad()
    model(torch.randn(8, 2, 3, 3, generator=torch.Generator().manual_seed(seed))).pow(2).mean().backward()
    optimizer.step()


def rates(config: TrainConfig, num_steps: int) -> list[float]:
    return [learning_rate(config, step, num_steps) for step in range(num_steps)]


def test_schedules_warm_up_and_fall_as_stated() -> None:
    config = replace(CONFIG, lr=1.0, warmup_steps=4, lr_schedule="constant")
    assert rates(config, 6) == [0.25, 0.5, 0.75, 1, 1, 1]
    cosine = rates(replace(config, lr_schedule="cosine"), 104)
    assert cosine[4] == 1
    assert cosine[54] == pytest.approx(0.5)
    assert 0 < cosine[103] < 0.001
    steps = rates(replace(config, lr_schedule="step", warmup_steps=0), 8)
    assert steps == pytest.approx([1, 1, 1, 1, 0.1, 0.1, 0.01, 0.01])


def test_warm_up_may_last_longer_than_training() -> None:
    config = replace(CONFIG, lr=1.0, warmup_steps=10, lr_schedule="cosine")
    assert rates(config, 3) == pytest.approx([0.1, 0.2, 0.3])


@pytest.mark.parametrize("name", ["adam", "adamw", "sgd"])
def test_decay_pulls_weights_but_neither_norms_nor_biases(name: str) -> None:
    model = make_model()
    before = {key: value.clone() for key, value in model.named_parameters()}
    optimizer = make_optimizer(model, replace(CONFIG, optimizer=name, weight_decay=0.5, lr=0.1))
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    moved = {key for key, value in model.named_parameters() if not torch.equal(value, before[key])}
    assert moved == {"0.weight", "3.weight"}


@pytest.mark.parametrize("name", ["adam", "adamw", "sgd"])
def test_state_survives_a_file_and_the_next_step_is_the_same_to_the_bit(name: str, tmp_path: Path) -> None:
    config = replace(CONFIG, optimizer=name)
    model, other = make_model(), make_model()
    optimizer, other_optimizer = make_optimizer(model, config), make_optimizer(other, config)
    for seed in range(3):
        step(model, optimizer, seed)
    write_state(tmp_path / "a", export_state(model, optimizer), {"optimizer": name})
    other.load_state_dict(model.state_dict())
    arrays, metadata = read_state(tmp_path / "a")
    assert metadata == {"optimizer": name}
    assert load_state(other, other_optimizer, arrays)
    write_state(tmp_path / "b", export_state(other, other_optimizer), {"optimizer": name})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    set_learning_rate(optimizer, 0.003)
    set_learning_rate(other_optimizer, 0.003)
    for seed in (7, 8):
        step(model, optimizer, seed)
        step(other, other_optimizer, seed)
    for key, value in model.state_dict().items():
        assert torch.equal(value, other.state_dict()[key]), key


def test_state_of_another_optimizer_or_net_is_not_taken() -> None:
    model = make_model()
    adam, sgd = make_optimizer(model, CONFIG), make_optimizer(model, replace(CONFIG, optimizer="sgd"))
    step(model, adam, 0)
    arrays = export_state(model, adam)
    assert not load_state(model, sgd, arrays)
    assert not load_state(model, adam, {name: np.zeros(3, np.float32) for name in arrays})
    assert not export_state(model, sgd)


def test_sgd_without_momentum_has_no_state() -> None:
    model = make_model()
    optimizer = make_optimizer(model, replace(CONFIG, optimizer="sgd", momentum=0.0))
    step(model, optimizer, 0)
    assert export_state(model, optimizer) == {}
    assert load_state(model, optimizer, {})


def test_state_before_the_first_step_is_an_empty_file_of_the_same_kind(tmp_path: Path) -> None:
    write_state(tmp_path / "a", {}, {})
    assert read_state(tmp_path / "a")[0] == {}


def test_missing_and_damaged_state_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptimizerStateError, match="no such optimiser state"):
        read_state(tmp_path / "a")
    write_state(tmp_path / "a", {}, {})
    data = (tmp_path / "a").read_bytes()
    for damaged in (data[:5], data[:-3], b"", b"\xff" * 40):
        (tmp_path / "a").write_bytes(damaged)
        with pytest.raises(OptimizerStateError, match="truncated"):
            read_state(tmp_path / "a")


def test_onecycle_is_torchs() -> None:
    config = replace(CONFIG, lr=0.002, lr_schedule="onecycle", onecycle_warmup_share=0.1)
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.002, total_steps=50, pct_start=0.1)
    expected = []
    for _ in range(50):
        expected.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step() if len(expected) < 50 else None
    assert rates(config, 50) == pytest.approx(expected)
    assert max(expected) == pytest.approx(0.002)


def test_adamw_decays_weights_apart_from_the_gradient() -> None:
    """Without a gradient AdamW takes lr * decay off a weight; Adam's L2 moves it by about the rate."""
    for name, expected in [("adamw", 1 - 0.1 * 0.5), ("adam", 1 - 0.1)]:
        model = nn.Linear(1, 1)
        nn.init.ones_(model.weight)
        optimizer = make_optimizer(model, replace(CONFIG, optimizer=name, lr=0.1, weight_decay=0.5))
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        optimizer.step()
        assert model.weight.item() == pytest.approx(expected, rel=1e-5)
