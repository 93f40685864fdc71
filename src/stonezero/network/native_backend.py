"""Our own kernels: about two to three times the speed of ONNX Runtime in float32 on a CPU.

They multiply less (Winograd's convolutions) and keep positions side by side in vectors; see
`stonezero.network.native`. Batches are worked off in blocks of LANES positions, so that a single position
costs as much as LANES of them: for few positions at a time onnxruntime answers sooner.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import NetworkConfig
from stonezero.network.checkpoint import Checkpoint, Weights
from stonezero.network.inference import Backend, Evaluation, Planes, PreparedNetwork
from stonezero.network.native.forward import NativeNet, NativeWork, evaluate
from stonezero.network.native.heads import Heads, Layer, empty_layer, make_head_work, make_layer
from stonezero.network.native.winograd import Grid, make_grid, make_work, pack_filters
from stonezero.network.numpy_backend import NORM_EPSILON

Array = NDArray[np.float64]


class NativeBackend(Backend):
    def __init__(self, prepared: PreparedNetwork) -> None:
        super().__init__(prepared)
        checkpoint = Checkpoint.from_bytes(prepared.model)
        self.net = Folding(checkpoint.weights, checkpoint.network, prepared.size).net()
        self.work = allocate_work(self.net, prepared.num_actions)

    def _run(self, planes: Planes) -> Evaluation:
        logits = np.empty((len(planes), self.prepared.num_actions), np.float32)
        values = np.empty(len(planes), np.float32)
        evaluate(self.net, self.work, planes, logits, values)
        return logits, values


def allocate_work(net: NativeNet, num_actions: int) -> NativeWork:
    """Scratch for one net; all zero, as the space round the boards must stay."""
    rows, stride = len(net.stem_bias), net.grid.stride
    return NativeWork(
        planes=np.zeros(net.num_planes * stride, np.float32),
        x=np.zeros(rows * stride, np.float32),
        y=np.zeros(rows * stride, np.float32),
        convolution=make_work(net.grid, max(rows, net.num_planes)),
        heads=make_head_work(net.grid, net.heads, num_actions),
    )


@dataclass
class Folding:
    """Folds each BatchNorm into its convolution, in float64, and lays the weights out for the kernels."""

    weights: Weights
    network: NetworkConfig
    size: int

    def net(self) -> NativeNet:
        rows = self.network.channels + -self.network.channels % 4
        grid = make_grid(self.size, rows)
        stem_filters, stem_bias = self.conv("stem", grid)
        names = [
            f"blocks.{block}.{part}" for block in range(self.network.blocks) for part in ("first", "second")
        ]
        shape = ((grid.tile + 2) ** 2, self.network.channels * rows)
        convs = [self.conv(name, grid) for name in names]
        return NativeNet(
            grid=grid,
            num_planes=len(self.network.planes),
            channels=self.network.channels,
            stem_filters=stem_filters,
            stem_bias=stem_bias,
            block_filters=np.array([filters for filters, _ in convs], np.float32).reshape(len(convs), *shape),
            block_bias=np.array([bias for _, bias in convs], np.float32).reshape(len(convs), rows),
            heads=self.pooled_heads() if self.network.heads == "pooled" else self.dense_heads(),
            has_tanh=self.network.value == "tanh",
        )

    def wide(self, name: str) -> Array:
        return self.weights[name].astype(np.float64)

    def folded(self, name: str) -> tuple[Array, Array]:
        """Weight[out, in, K, K] and bias[out] of a convolution with its norm."""
        scale = self.wide(f"{name}.norm.weight") / np.sqrt(
            self.wide(f"{name}.norm.running_var") + NORM_EPSILON
        )
        shift = self.wide(f"{name}.norm.bias") - self.wide(f"{name}.norm.running_mean") * scale
        return self.wide(f"{name}.conv.weight") * scale[:, None, None, None], shift

    def conv(self, name: str, grid: Grid) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Filters and bias for `convolve`."""
        weight, bias = self.folded(name)
        return pack_filters(weight, grid.tile), np.pad(bias, (0, -len(bias) % 4)).astype(np.float32)

    def squeeze(self, *names: str) -> Layer:
        """Several 1x1 convolutions as one layer."""
        folded = [self.folded(name) for name in names]
        weight = np.concatenate([weight[:, :, 0, 0] for weight, _ in folded])
        return make_layer(weight, np.concatenate([bias for _, bias in folded]))

    def linear(self, name: str) -> Layer:
        return make_layer(self.wide(f"{name}.weight"), self.wide(f"{name}.bias"))

    def pooled_linear(self, name: str) -> Layer:
        """A layer on [mean, scaled mean, maximum] as one on [mean, maximum] of a board of known size."""
        mean, scaled, largest = np.split(self.wide(f"{name}.weight"), 3, axis=1)
        weight = np.concatenate([mean + scaled * ((self.size - 10) / 10), largest], axis=1)
        return make_layer(weight, self.wide(f"{name}.bias"))

    def pooled_heads(self) -> Heads:
        has_pass = "policy.pass_output.weight" in self.weights
        return Heads(
            is_pooled=True,
            policy_channels=self.network.policy_channels,
            value_channels=self.network.value_channels,
            squeeze=self.squeeze("policy.summary", "policy.points", "value.summary"),
            point_bias=self.pooled_linear("policy.bias"),
            point_output=self.weights["policy.output.weight"].ravel(),
            pass_output=self.pooled_linear("policy.pass_output") if has_pass else empty_layer(),
            policy_output=empty_layer(),
            value_hidden=self.pooled_linear("value.hidden"),
            value_output=self.linear("value.output"),
        )

    def dense_heads(self) -> Heads:
        return Heads(
            is_pooled=False,
            policy_channels=self.network.policy_channels,
            value_channels=self.network.value_channels,
            squeeze=self.squeeze("policy.summary", "value.summary"),
            point_bias=empty_layer(),
            point_output=np.zeros(0, np.float32),
            pass_output=empty_layer(),
            policy_output=self.linear("policy.output"),
            value_hidden=self.linear("value.hidden"),
            value_output=self.linear("value.output"),
        )


def open_backend(prepared: PreparedNetwork) -> NativeBackend:
    return NativeBackend(prepared)
