"""The net as a torch module: a residual trunk, a policy head and a value head.

    planes -> 3x3 convolution -> blocks of two 3x3 convolutions -> policy head -> logits [B, A]
                                                                -> value head  -> logits [B, 3] or [B, 1]

Two kinds of heads. `pooled` heads see the board through convolutions and global pooling only, so that one
net plays every board size (after KataGo, Wu 2019, arXiv:1902.10565, section 3.3; ours pools mean and maximum
in both heads). `dense` heads are those of AlphaZero (Silver et al. 2018): they flatten the board and are
bound to its size.

Masking illegal moves is left to the callers: search, loss and service.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from stonezero.config.schema import NetworkConfig
from stonezero.config.validation import check_network
from stonezero.errors import UserError
from stonezero.network.checkpoint import Checkpoint, CheckpointError, Weights

OUTPUT_STD = 0.001
"""Of the last layers' initial weights: small, so that an untrained net is near uniform and near a draw."""

NUM_VALUE_LOGITS = {"wdl": 3, "tanh": 1}
NUM_POOLED = 3
"""Features that `pool` makes of one channel."""


class NormedConv(nn.Module):
    """Convolution that keeps the board's size, then BatchNorm. float32[B, in, H, W] -> [B, out, H, W]."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=kernel_size // 2, bias=False)
        self.norm = nn.BatchNorm2d(out_channels)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.conv(x))


class ResidualBlock(nn.Module):
    """float32[B, C, H, W] -> the same shape."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = NormedConv(channels, channels, 3)
        self.second = NormedConv(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.second(F.relu(self.first(x))) + x)


def pool(x: Tensor, size: int) -> Tensor:
    """float32[B, C, H, W] -> [B, 3C]: per channel the mean, the mean scaled by the board's side, the maximum.

    The scaled mean lets a head give the same mean another weight on another board.
    """
    mean = F.adaptive_avg_pool2d(x, 1).flatten(1)
    largest = F.adaptive_max_pool2d(x, 1).flatten(1)
    return torch.cat([mean, mean * ((size - 10) / 10), largest], dim=1)


class PooledPolicyHead(nn.Module):
    """Per point a logit from 1x1 convolutions biased by pooled features; the pass from those alone."""

    def __init__(self, network: NetworkConfig, size: int, has_pass: bool) -> None:
        super().__init__()
        self.size = size
        channels = network.policy_channels
        self.points = NormedConv(network.channels, channels, 1)
        self.summary = NormedConv(network.channels, channels, 1)
        self.bias = nn.Linear(NUM_POOLED * channels, channels)
        self.output = nn.Conv2d(channels, 1, 1, bias=False)
        self.pass_output = nn.Linear(NUM_POOLED * channels, 1) if has_pass else None

    def forward(self, x: Tensor) -> Tensor:
        pooled = pool(F.relu(self.summary(x)), self.size)
        points = F.relu(self.points(x) + self.bias(pooled)[:, :, None, None])
        logits = self.output(points).flatten(1)
        return logits if self.pass_output is None else torch.cat([logits, self.pass_output(pooled)], dim=1)


class PooledValueHead(nn.Module):
    """1x1 convolution, pooling, a hidden layer, the value's logits."""

    def __init__(self, network: NetworkConfig, size: int) -> None:
        super().__init__()
        self.size = size
        self.summary = NormedConv(network.channels, network.value_channels, 1)
        self.hidden = nn.Linear(NUM_POOLED * network.value_channels, network.value_hidden)
        self.output = nn.Linear(network.value_hidden, NUM_VALUE_LOGITS[network.value])

    def forward(self, x: Tensor) -> Tensor:
        return self.output(F.relu(self.hidden(pool(F.relu(self.summary(x)), self.size))))


class DensePolicyHead(nn.Module):
    """1x1 convolution, flattened, one dense layer."""

    def __init__(self, network: NetworkConfig, num_points: int, num_actions: int) -> None:
        super().__init__()
        self.summary = NormedConv(network.channels, network.policy_channels, 1)
        self.output = nn.Linear(network.policy_channels * num_points, num_actions)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(F.relu(self.summary(x)).flatten(1))


class DenseValueHead(nn.Module):
    """1x1 convolution, flattened, a hidden layer, the value's logits."""

    def __init__(self, network: NetworkConfig, num_points: int) -> None:
        super().__init__()
        self.summary = NormedConv(network.channels, network.value_channels, 1)
        self.hidden = nn.Linear(network.value_channels * num_points, network.value_hidden)
        self.output = nn.Linear(network.value_hidden, NUM_VALUE_LOGITS[network.value])

    def forward(self, x: Tensor) -> Tensor:
        return self.output(F.relu(self.hidden(F.relu(self.summary(x)).flatten(1))))


class Net(nn.Module):
    """float32[B, planes, H, W] -> policy logits float32[B, A], value logits float32[B, 3 or 1].

    Value logits are those of win, draw and loss for the side to move, or the value before its tanh.
    """

    def __init__(self, network: NetworkConfig, policy: nn.Module, value: nn.Module) -> None:
        super().__init__()
        self.stem = NormedConv(len(network.planes), network.channels, 3)
        self.blocks = nn.Sequential(*(ResidualBlock(network.channels) for _ in range(network.blocks)))
        self.policy = policy
        self.value = value

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = self.blocks(F.relu(self.stem(planes)))
        return self.policy(x), self.value(x)


def build_model(network: NetworkConfig, size: int, num_actions: int, seed: int = 0) -> Net:
    """A net in training mode with initial weights made from `seed` alone.

    Pooled heads have the same weights for every `size`, and a pass logit where `num_actions` > size².
    Neither reads nor moves torch's global random state.
    """
    check_network(network)
    num_points = size * size
    if num_actions - num_points not in (0, 1):
        raise UserError(f"a {size}x{size} board has {num_points} moves and maybe a pass, not {num_actions}")
    with torch.random.fork_rng(devices=[]):
        if network.heads == "pooled":
            policy: nn.Module = PooledPolicyHead(network, size, has_pass=num_actions > num_points)
            net = Net(network, policy, PooledValueHead(network, size))
        else:
            policy = DensePolicyHead(network, num_points, num_actions)
            net = Net(network, policy, DenseValueHead(network, num_points))
    initialise(net, torch.Generator().manual_seed(seed))
    return net


@torch.no_grad()
def initialise(net: Net, generator: torch.Generator) -> None:
    """He initialisation (He et al. 2015) of all weights but the outputs', which are small; biases are 0."""
    for name, module in net.named_modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            if name.endswith("output"):
                nn.init.normal_(module.weight, std=OUTPUT_STD, generator=generator)
            else:
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu", generator=generator)
            if module.bias is not None:
                nn.init.zeros_(module.bias)


def export_weights(net: nn.Module) -> Weights:
    """Copies of all parameters and norm statistics as NumPy arrays."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in _tensors(net).items()}


@torch.no_grad()
def load_weights(net: nn.Module, weights: Weights) -> None:
    """Set all parameters and norm statistics; `CheckpointError` when names or shapes differ."""
    tensors = _tensors(net)
    if tensors.keys() != weights.keys():
        name = min(tensors.keys() ^ weights.keys())
        raise CheckpointError(f"the checkpoint doesn't fit this net: weight {name} is on one side only")
    for name, tensor in tensors.items():
        if tensor.shape != weights[name].shape:
            shapes = f"{list(weights[name].shape)} in the checkpoint, {list(tensor.shape)} in the net"
            raise CheckpointError(f"the checkpoint doesn't fit this net: weight {name} is {shapes}")
        tensor.copy_(torch.tensor(weights[name]))


def _tensors(net: nn.Module) -> dict[str, Tensor]:
    """All state but BatchNorm's batch counter, which nothing reads."""
    return {name: tensor for name, tensor in net.state_dict().items() if tensor.is_floating_point()}


def initial_checkpoint(
    game_spec: dict[str, str | int], num_actions: int, network: NetworkConfig, seed: int
) -> Checkpoint:
    """The untrained net of a run, the same in every process for the same `seed`."""
    checkpoint = Checkpoint({}, game_spec, network, generation="g000", params_digest="")
    net = build_model(checkpoint.network, checkpoint.size, num_actions, seed)
    checkpoint.weights = export_weights(net)
    return checkpoint


def load_model(checkpoint: Checkpoint, num_actions: int, size: int | None = None) -> Net:
    """The checkpoint's net in evaluation mode, on another board `size` where its heads are pooled."""
    net = build_model(checkpoint.network, size or checkpoint.size, num_actions)
    load_weights(net, checkpoint.weights)
    return net.eval()
