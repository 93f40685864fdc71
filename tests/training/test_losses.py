"""Losses: masking, signs, and values computed by hand."""

import math

import pytest
import torch

from stonezero.training.losses import (
    expected_value,
    ownership_loss,
    policy_entropy,
    policy_loss,
    reply_loss,
    score_loss,
    value_loss,
)

LEGAL = torch.tensor([[True, True, False, True], [False, True, True, False]])
POLICY = torch.tensor([[0.5, 0.25, 0.0, 0.25], [0.0, 1.0, 0.0, 0.0]])
ALL = torch.ones(2)


def test_policy_loss_is_the_cross_entropy_over_legal_moves() -> None:
    loss = policy_loss(torch.zeros(2, 4), LEGAL, POLICY, ALL)
    assert loss.item() == pytest.approx((math.log(3) + math.log(2)) / 2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_an_illegal_logit_changes_neither_loss_nor_gradient(dtype: torch.dtype) -> None:
    results = []
    for illegal in (0.0, 50.0, -50.0, 3e4):
        logits = torch.tensor([[1.0, 2, 0, 3], [0, 1, 2, 0]]).masked_fill(~LEGAL, illegal).to(dtype)
        logits.requires_grad_()
        loss = policy_loss(logits, LEGAL, POLICY, ALL)
        loss.backward()
        assert torch.isfinite(loss)
        assert (logits.grad[~LEGAL] == 0).all()
        assert torch.isfinite(logits.grad).all()
        results.append((loss.item(), logits.grad.tolist()))
    assert all(result == results[0] for result in results)


def test_rows_without_a_policy_target_are_left_out_of_the_mean() -> None:
    logits = torch.randn(2, 4, generator=torch.Generator().manual_seed(0))
    one = policy_loss(logits, LEGAL, POLICY, torch.tensor([1.0, 0.0]))
    assert one.item() == pytest.approx(policy_loss(logits[:1], LEGAL[:1], POLICY[:1], torch.ones(1)).item())
    assert policy_loss(logits, LEGAL, POLICY, torch.zeros(2)).item() == 0


def test_a_forced_move_costs_nothing() -> None:
    legal = torch.tensor([[False, False, True]])
    assert policy_loss(torch.zeros(1, 3), legal, legal.float(), torch.ones(1)).item() == 0


def test_wdl_classes_are_win_draw_loss_for_the_mover() -> None:
    sure_of = 20 * torch.eye(3)
    assert expected_value(sure_of).tolist() == pytest.approx([1, 0, -1], abs=1e-6)
    assert value_loss(sure_of, torch.tensor([1, 0, -1])).item() < 1e-6
    assert value_loss(sure_of, torch.tensor([-1, 0, 1])).item() > 13
    assert value_loss(torch.zeros(3, 3), torch.tensor([1, 0, -1])).item() == pytest.approx(math.log(3))


def test_tanh_value_loss_is_the_mean_squared_error_row_by_row() -> None:
    """[B, 1] minus [B] would broadcast to [B, B] and give 2 here."""
    logits, outcome = torch.tensor([[10.0], [-10.0]]), torch.tensor([1, -1])
    assert expected_value(logits).tolist() == pytest.approx([1, -1])
    assert value_loss(logits, outcome).item() == pytest.approx(0, abs=1e-6)
    assert value_loss(logits, -outcome).item() == pytest.approx(4, abs=1e-6)


@pytest.mark.parametrize("delta", [0.2, 1.0])
def test_huber_is_quadratic_to_delta_and_then_a_line_of_slope_delta(delta: float) -> None:
    """Published recipes confuse it with smooth L1 with beta = delta, whose slope is 1."""
    for error in (0.1, 0.5, 1.5):
        value = torch.tensor([[0.0, 0.0, 0.0]])
        target = torch.tensor([[error / 2 + 0.5, 0.0, 0.5 - error / 2]])  # expectation `error`, may be > 1
        expected = error**2 / 2 if error <= delta else delta * (error - delta / 2)
        assert value_loss(value, target, "huber", delta).item() == pytest.approx(expected, rel=1e-5)
    logits = torch.tensor([[0.0]], requires_grad=True)
    value_loss(logits, torch.tensor([-1]), "huber", 0.2).backward()
    assert logits.grad.item() == pytest.approx(0.2)  # tanh has slope 1 at 0


def test_squared_error_of_three_chances_is_that_of_their_expectation() -> None:
    logits = torch.log(torch.tensor([[0.6, 0.3, 0.1]]))
    assert value_loss(logits, torch.tensor([1]), "mse").item() == pytest.approx(0.25)
    assert value_loss(logits, torch.tensor([[0.5, 0.5, 0.0]]), "mse").item() == pytest.approx(0, abs=1e-6)


def test_soft_targets_of_one_class_give_the_loss_of_that_class() -> None:
    logits = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))
    hard, soft = torch.tensor([1, 0, -1]), torch.eye(3)
    for kind in ("cross_entropy", "mse", "huber"):
        assert value_loss(logits, hard, kind).item() == pytest.approx(value_loss(logits, soft, kind).item())
    half = value_loss(logits[:1], torch.tensor([[0.5, 0.5, 0.0]]), "cross_entropy")
    both = [value_loss(logits[:1], torch.tensor([outcome])).item() for outcome in (1, 0)]
    assert half.item() == pytest.approx(sum(both) / 2)


def test_entropy_is_over_legal_moves_and_zero_where_forced() -> None:
    assert policy_entropy(torch.zeros(2, 4), LEGAL).item() == pytest.approx((math.log(3) + math.log(2)) / 2)
    assert policy_entropy(torch.zeros(1, 3), torch.tensor([[False, False, True]])).item() == 0


def test_auxiliary_losses_leave_out_rows_without_a_target() -> None:
    ownership = torch.tensor([[1.0, -1.0, 0.0, 1.0], [9.0, 9.0, 9.0, 9.0]])
    has_end = torch.tensor([1.0, 0.0])
    assert ownership_loss(torch.zeros(2, 4), ownership, has_end).item() == pytest.approx(3 / 4)
    assert score_loss(torch.zeros(2), ownership, has_end).item() == pytest.approx((1 / 4) ** 2)
    loss = reply_loss(torch.zeros(2, 5), torch.tensor([3, -1]))
    assert loss.item() == pytest.approx(math.log(5))
    assert reply_loss(torch.zeros(1, 5), torch.tensor([-1])).item() == 0
