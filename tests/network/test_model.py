import numpy as np
import pytest
import torch

from stonezero.errors import UserError
from stonezero.network.blocks import BLOCKS, PoolingBlock, Stem, make_blocks
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
        {"block": "cubic"},
        {"pooling_every": -1},
        {"stem_padding": "mirror"},
        {"trunk": "split"},
        {"auxiliary": ["territory"]},
        {"auxiliary": ["score", "score"]},
    ],
)
def test_impossible_net_is_refused_by_the_name_of_its_parameter(change: dict[str, object]) -> None:
    with pytest.raises(UserError, match=f"network.{next(iter(change))}"):
        build_model(nets.network(**change), 6, 36)


@pytest.mark.parametrize("num_actions", [35, 38, 0])
def test_impossible_number_of_actions_is_refused(num_actions: int) -> None:
    with pytest.raises(UserError, match="6x6"):
        build_model(nets.network(), 6, num_actions)


def features(padding: str) -> torch.Tensor:
    """What a first layer with all weights 1 makes of an empty 5x5 board, by point."""
    stem = Stem(1, 1, padding).eval()
    torch.nn.init.ones_(stem.conv.weight)
    return stem(torch.zeros(1, 1, 5, 5)).detach()[0, 0].round()


def test_padding_with_ones_shows_the_edge_of_an_empty_board_and_zeros_do_not() -> None:
    """An edge point's 3x3 window has 3 points outside the board, a corner's 5."""
    inside = torch.zeros(5, 5)
    assert torch.equal(features("zeros"), inside)
    assert torch.equal(features("replicate"), inside)
    edges = torch.full((5, 5), 3.0)
    edges[1:-1, 1:-1] = 0
    edges[[0, 0, -1, -1], [0, -1, 0, -1]] = 5
    assert torch.equal(features("ones"), edges)


def test_replicating_padding_repeats_the_nearest_point() -> None:
    stem = Stem(1, 1, "replicate").eval()
    torch.nn.init.ones_(stem.conv.weight)
    planes = torch.zeros(1, 1, 4, 4)
    planes[0, 0, 0, 0] = 1
    assert stem(planes)[0, 0].round().tolist()[0] == [4, 2, 0, 0]  # the corner is there four times


def reach(block: torch.nn.Module) -> int:
    """How many of 13 points in a row feel a change of the middle one."""
    planes = torch.zeros(2, 32, 1, 13)
    planes[1, :, 0, 6] = 5
    out = block.eval()(planes)
    return int(((out[0] - out[1]).abs().amax(dim=0) > 0).sum())


def test_a_pooling_block_sees_the_whole_board_and_the_others_their_neighbourhood() -> None:
    torch.manual_seed(0)
    widths = {kind: reach(block(32)) for kind, block in BLOCKS.items()}
    assert widths == {"plain": 5, "bottleneck": 3, "depthwise": 5}
    assert reach(PoolingBlock(32, 13)) == 13


def test_every_second_or_third_block_is_a_pooling_block() -> None:
    blocks = make_blocks(nets.network(blocks=7, pooling_every=3, block="bottleneck"), 6)
    assert [number for number, block in enumerate(blocks) if isinstance(block, PoolingBlock)] == [2, 5]
    assert not any(isinstance(block, PoolingBlock) for block in make_blocks(nets.network(blocks=4), 6))


def test_bottlenecks_have_a_fifth_and_depthwise_blocks_a_ninth_of_the_weights() -> None:
    sizes = {kind: sum(p.numel() for p in block(128).parameters()) for kind, block in BLOCKS.items()}
    assert sizes["bottleneck"] / sizes["plain"] == pytest.approx(1 / 5, rel=0.15)
    assert sizes["depthwise"] / sizes["plain"] == pytest.approx(1 / 9, rel=0.15)


@pytest.mark.parametrize(("trunk", "is_moved"), [("shared", True), ("separate", False)])
def test_a_separate_trunk_keeps_the_value_from_the_policys_features(trunk: str, is_moved: bool) -> None:
    net = load_model(nets.checkpoint(size=6, trunk=trunk), 36)
    planes = torch.from_numpy(nets.random_planes(4, 6))
    before = net(planes)[1]
    with torch.no_grad():
        net.stem.conv.weight.mul_(-1)
    assert (not torch.equal(net(planes)[1], before)) == is_moved


def test_auxiliary_heads_change_nothing_else() -> None:
    plain = build_model(nets.network(), 6, 37, seed=2)
    taught = build_model(nets.network(auxiliary=["reply", "ownership", "score"]), 6, 37, seed=2)
    for name, weight in export_weights(plain).items():
        np.testing.assert_array_equal(weight, export_weights(taught)[name])
    planes = torch.from_numpy(nets.random_planes(4, 6))
    policy, value, said = taught.eval().all_heads(planes)
    assert torch.equal(policy, plain.eval()(planes)[0])
    assert torch.equal(value, plain(planes)[1])
    shapes = {name: tuple(answer.shape) for name, answer in said.items()}
    assert shapes == {"reply": (4, 37), "ownership": (4, 36), "score": (4,)}
