import numpy as np
import pytest
import torch

from stonezero.errors import UserError
from stonezero.network.checkpoint import CheckpointError
from stonezero.network.model import (
    build_model,
    export_weights,
    initial_checkpoint,
    load_model,
    load_weights,
)
from tests.network import nets

SPEC: dict[str, str | int] = {"name": "gomoku", "size": 6, "k": 4, "rules": "freestyle"}


@pytest.mark.parametrize("heads", ["pooled", "dense"])
@pytest.mark.parametrize(("value", "num_value_logits"), [("wdl", 3), ("tanh", 1)])
@pytest.mark.parametrize(("size", "num_actions"), [(3, 9), (6, 37), (15, 225)])
def test_outputs_have_the_stated_shapes(
    heads: str, value: str, num_value_logits: int, size: int, num_actions: int
) -> None:
    net = build_model(nets.network(heads=heads, value=value), size, num_actions)
    logits, value_logits = net(torch.zeros(4, 3, size, size))
    assert logits.shape == (4, num_actions)
    assert value_logits.shape == (4, num_value_logits)


def test_no_blocks_and_one_plane_work() -> None:
    net = build_model(nets.network(blocks=0, planes=["own"], channels=8), 4, 17)
    assert net(torch.zeros(2, 1, 4, 4))[0].shape == (2, 17)


def test_initial_weights_follow_the_seed_and_nothing_else() -> None:
    torch.manual_seed(5)
    state = torch.get_rng_state()
    first = initial_checkpoint(SPEC, 36, nets.network(), seed=3)
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(6)
    assert initial_checkpoint(SPEC, 36, nets.network(), seed=3).digest == first.digest
    assert initial_checkpoint(SPEC, 36, nets.network(), seed=4).digest != first.digest


@pytest.mark.parametrize("heads", ["pooled", "dense"])
@pytest.mark.parametrize("value", ["wdl", "tanh"])
def test_untrained_net_is_near_uniform_and_near_a_draw(heads: str, value: str) -> None:
    network = nets.network(channels=64, blocks=6, policy_channels=32, heads=heads, value=value)
    net = load_model(initial_checkpoint(SPEC, 36, network, seed=1), 36)
    logits, value_logits = net(torch.from_numpy(nets.random_planes(16, 6)))
    policy = torch.softmax(logits, dim=1)
    assert policy.max() < 2 / 36
    assert policy.min() > 0.5 / 36
    assert value_logits.abs().max() < 0.3


def test_pooled_weights_are_the_same_for_every_board() -> None:
    small, large = build_model(nets.network(), 6, 37, seed=1), build_model(nets.network(), 15, 226, seed=1)
    for name, weight in export_weights(small).items():
        np.testing.assert_array_equal(weight, export_weights(large)[name])


def test_position_alone_or_in_a_batch_has_the_same_value() -> None:
    """BatchNorm must use its running statistics: a net in training mode fails this by far."""
    net = load_model(nets.checkpoint(size=6), 36)
    planes = torch.from_numpy(nets.random_planes(64, 6))
    logits, values = net(planes)
    for row in (0, 1, 63):
        alone_logits, alone_values = net(planes[row : row + 1])
        # 1e-5: torch sums in another order for another batch size
        torch.testing.assert_close(alone_logits[0], logits[row], rtol=0, atol=1e-5)
        torch.testing.assert_close(alone_values[0], values[row], rtol=0, atol=1e-5)


def test_weights_go_into_a_net_and_come_out_again() -> None:
    made = nets.checkpoint(size=6, has_pass=True)
    net = build_model(made.network, 6, 37)
    load_weights(net, made.weights)
    for name, weight in export_weights(net).items():
        np.testing.assert_array_equal(weight, made.weights[name])


def test_exported_weights_are_copies() -> None:
    net = build_model(nets.network(), 6, 36)
    weights = export_weights(net)
    with torch.no_grad():
        net.stem.conv.weight.zero_()
    assert weights["stem.conv.weight"].any()


def test_missing_extra_and_misshapen_weights_are_refused() -> None:
    made = nets.checkpoint(size=6)
    net = build_model(made.network, 6, 36)
    missing = {name: weight for name, weight in made.weights.items() if name != "stem.conv.weight"}
    with pytest.raises(CheckpointError, match=r"stem\.conv\.weight"):
        load_weights(net, missing)
    with pytest.raises(CheckpointError, match="extra"):
        load_weights(net, made.weights | {"extra": np.zeros(1, np.float32)})
    with pytest.raises(
        CheckpointError, match=r"stem\.norm\.bias is \[1\] in the checkpoint, \[8\] in the net"
    ):
        load_weights(net, made.weights | {"stem.norm.bias": np.zeros(1, np.float32)})


@pytest.mark.parametrize(
    "change",
    [
        {"heads": "round"},
        {"value": "score"},
        {"planes": []},
        {"channels": 0},
        {"blocks": -1},
        {"policy_channels": 0},
        {"value_channels": 0},
        {"value_hidden": 0},
    ],
)
def test_impossible_net_is_refused_by_the_name_of_its_parameter(change: dict[str, object]) -> None:
    with pytest.raises(UserError, match=f"network.{next(iter(change))}"):
        build_model(nets.network(**change), 6, 36)


@pytest.mark.parametrize("num_actions", [35, 38, 0])
def test_impossible_number_of_actions_is_refused(num_actions: int) -> None:
    with pytest.raises(UserError, match="6x6"):
        build_model(nets.network(), 6, num_actions)
