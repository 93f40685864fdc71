"""The net as a torch module: a residual trunk, a policy head and a value head.

    planes -> 3x3 convolution -> residual blocks -> policy head -> logits [B, A]
                                                 -> value head  -> logits [B, 3] or [B, 1]

With `trunk: separate` the value has a first layer and blocks of its own. Auxiliary heads lie on the trunk
that they inform; `forward`, and with it every inference backend, leaves them out. Masking illegal moves is
left to the callers: search, loss and service.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from stonezero.config.schema import NetworkConfig
from stonezero.config.validation import check_network
from stonezero.errors import UserError
from stonezero.network.blocks import Stem, make_blocks
from stonezero.network.checkpoint import Checkpoint, CheckpointError, Weights
from stonezero.network.heads import make_auxiliary_head, make_policy_head, make_value_head

OUTPUT_STD = 0.001
"""Of the last layers' initial weights: small, so that an untrained net is near uniform and near a draw."""

POLICY_SIDE = ("reply",)
"""Auxiliary heads on the policy's trunk; the others lie on the value's."""


class Net(nn.Module):
    """float32[B, planes, H, W] -> policy logits float32[B, A], value logits float32[B, 3 or 1].

    Value logits are those of win, draw and loss for the side to move, or the value before its tanh.
    """

    def __init__(self, network: NetworkConfig, size: int, num_actions: int) -> None:
        super().__init__()
        self.stem = Stem(len(network.planes), network.channels, network.stem_padding)
        self.blocks = make_blocks(network, size)
        self.policy = make_policy_head(network, size, num_actions)
        self.value = make_value_head(network, size)
        self.is_separate = network.trunk == "separate"
        if self.is_separate:
            self.value_stem = Stem(len(network.planes), network.channels, network.stem_padding)
            self.value_blocks = make_blocks(network, size)
        self.auxiliary = nn.ModuleDict(
            {name: make_auxiliary_head(name, network, size, num_actions) for name in network.auxiliary}
        )

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        policy_features, value_features = self._features(planes)
        return self.policy(policy_features), self.value(value_features)

    def all_heads(self, planes: Tensor) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """Policy and value logits, and what each auxiliary head says, by its name."""
        policy_features, value_features = self._features(planes)
        said = {
            name: head(policy_features if name in POLICY_SIDE else value_features)
            for name, head in self.auxiliary.items()
        }
        return self.policy(policy_features), self.value(value_features), said

    def _features(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """float32[B, C, H, W] for the policy and for the value."""
        x = self.blocks(F.relu(self.stem(planes)))
        return x, self.value_blocks(F.relu(self.value_stem(planes))) if self.is_separate else x


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
        net = Net(network, size, num_actions)
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
