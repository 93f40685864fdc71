"""The net in plain NumPy: a readable twin of `stonezero.network.model`, and the backend that always runs.

One position at a time, so that a row can't depend on its batch.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.network.checkpoint import Checkpoint, Weights
from stonezero.network.inference import Backend, Evaluation, Planes, PreparedNetwork

Array = NDArray[np.float32]
NORM_EPSILON = 1e-5


class NumpyBackend(Backend):
    def __init__(self, prepared: PreparedNetwork) -> None:
        super().__init__(prepared)
        checkpoint = Checkpoint.from_bytes(prepared.model)
        self.network = checkpoint.network
        self.weights: Weights = checkpoint.weights

    def _run(self, planes: Planes) -> Evaluation:
        rows = [self.evaluate_one(position) for position in planes]
        return np.array([logits for logits, _ in rows]), np.array([value for _, value in rows], np.float32)

    def is_batch_invariant(self) -> bool:
        """By construction."""
        return True

    def evaluate_one(self, planes: Array) -> tuple[Array, np.float32]:
        """float32[C, H, W] -> policy logits float32[A] and the value."""
        x = self.trunk(planes, "")
        logits = self.pooled_policy(x) if self.network.heads == "pooled" else self.dense_policy(x)
        return logits, self.value(self.trunk(planes, "value_") if self.network.trunk == "separate" else x)

    def trunk(self, planes: Array, prefix: str) -> Array:
        """Planes float32[P, H, W] -> features float32[C, H, W]."""
        x = relu(self.norm(self.stem(planes, f"{prefix}stem.conv.weight"), f"{prefix}stem"))
        blocks = {
            "plain": self.plain_block,
            "bottleneck": self.bottleneck_block,
            "depthwise": self.depthwise_block,
        }
        for name in (f"{prefix}blocks.{number}" for number in range(self.network.blocks)):
            is_pooling = f"{name}.pooled.conv.weight" in self.weights
            block = self.pooling_block if is_pooling else blocks[self.network.block]
            x = relu(block(x, name) + x)
        return x

    def stem(self, planes: Array, name: str) -> Array:
        """The first layer's convolution, which sees `stem_padding` outside the board."""
        margins = ((0, 0), (1, 1), (1, 1))
        if self.network.stem_padding == "replicate":
            return convolve_inside(np.pad(planes, margins, mode="edge"), self.weights[name])
        outside = 1 if self.network.stem_padding == "ones" else 0
        return convolve_inside(np.pad(planes, margins, constant_values=outside), self.weights[name])

    def plain_block(self, x: Array, name: str) -> Array:
        return self.normed_conv(relu(self.normed_conv(x, f"{name}.first")), f"{name}.second")

    def bottleneck_block(self, x: Array, name: str) -> Array:
        y = relu(self.normed_conv(x, f"{name}.reduce"))
        return self.normed_conv(relu(self.normed_conv(y, f"{name}.middle")), f"{name}.expand")

    def depthwise_block(self, x: Array, name: str) -> Array:
        for half in ("first", "second"):
            y = x if half == "first" else relu(x)
            y = relu(self.normed_conv(y, f"{name}.{half}.depthwise"))
            x = self.normed_conv(y, f"{name}.{half}.pointwise")
        return x

    def pooling_block(self, x: Array, name: str) -> Array:
        bias = self.linear(pool(relu(self.normed_conv(x, f"{name}.pooled"))), f"{name}.bias")
        y = relu(self.normed_conv(x, f"{name}.first") + bias[:, None, None])
        return self.normed_conv(y, f"{name}.second")

    def pooled_policy(self, x: Array) -> Array:
        """float32[C, H, W] -> float32[A]"""
        pooled = pool(relu(self.normed_conv(x, "policy.summary")))
        points = self.normed_conv(x, "policy.points") + self.linear(pooled, "policy.bias")[:, None, None]
        logits = convolve(relu(points), self.weights["policy.output.weight"]).ravel()
        if "policy.pass_output.weight" in self.weights:
            logits = np.concatenate([logits, self.linear(pooled, "policy.pass_output")])
        return logits

    def dense_policy(self, x: Array) -> Array:
        """float32[C, H, W] -> float32[A]"""
        return self.linear(relu(self.normed_conv(x, "policy.summary")).ravel(), "policy.output")

    def value(self, x: Array) -> np.float32:
        """float32[C, H, W] -> P(win) - P(loss), or the tanh"""
        summary = relu(self.normed_conv(x, "value.summary"))
        features = pool(summary) if self.network.heads == "pooled" else summary.ravel()
        logits = self.linear(relu(self.linear(features, "value.hidden")), "value.output")
        if self.network.value == "tanh":
            return np.tanh(logits[0])
        odds = np.exp(logits - logits.max())
        return (odds[0] - odds[2]) / odds.sum()

    def normed_conv(self, x: Array, name: str) -> Array:
        """Convolution and BatchNorm."""
        return self.norm(convolve(x, self.weights[f"{name}.conv.weight"]), name)

    def norm(self, y: Array, name: str) -> Array:
        """BatchNorm with its running statistics."""
        weights = self.weights
        scale = weights[f"{name}.norm.weight"] / np.sqrt(weights[f"{name}.norm.running_var"] + NORM_EPSILON)
        shift = weights[f"{name}.norm.bias"] - weights[f"{name}.norm.running_mean"] * scale
        return (y * scale[:, None, None] + shift[:, None, None]).astype(np.float32)

    def linear(self, x: Array, name: str) -> Array:
        return self.weights[f"{name}.weight"] @ x + self.weights[f"{name}.bias"]


def convolve(x: Array, weight: Array) -> Array:
    """float32[C, H, W] and float32[D, C, K, K] -> float32[D, H, W]; zeros lie outside the board."""
    margin = weight.shape[2] // 2
    return convolve_inside(np.pad(x, ((0, 0), (margin, margin), (margin, margin))), weight)


def convolve_inside(padded: Array, weight: Array) -> Array:
    """float32[C, H + K - 1, W + K - 1] -> float32[D, H, W]; channel by channel for weights [C, 1, K, K]."""
    windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2:], axis=(1, 2))
    if weight.shape[1] == 1 and len(padded) == len(weight):
        return np.einsum("chwij,cij->chw", windows, weight[:, 0])
    size = windows.shape[1:3]
    inputs = windows.transpose(0, 3, 4, 1, 2).reshape(-1, size[0] * size[1])
    return (weight.reshape(len(weight), -1) @ inputs).reshape(-1, *size)


def pool(x: Array) -> Array:
    """float32[C, H, W] -> float32[3C]: mean, mean scaled by the board's side, maximum."""
    mean = x.mean(axis=(1, 2))
    return np.concatenate([mean, mean * np.float32((x.shape[1] - 10) / 10), x.max(axis=(1, 2))])


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def open_backend(prepared: PreparedNetwork) -> NumpyBackend:
    return NumpyBackend(prepared)
