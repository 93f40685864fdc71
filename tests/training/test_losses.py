"""Losses: masking, signs, and values computed by hand."""

import math

import pytest
import torch

from stonezero.training.losses import expected_value, policy_loss, value_loss

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
