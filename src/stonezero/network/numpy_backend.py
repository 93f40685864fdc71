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
        x = relu(self.normed_conv(planes, "stem"))
        for block in range(self.network.blocks):
            y = relu(self.normed_conv(x, f"blocks.{block}.first"))
            x = relu(self.normed_conv(y, f"blocks.{block}.second") + x)
        logits = self.pooled_policy(x) if self.network.heads == "pooled" else self.dense_policy(x)
        return logits, self.value(x)

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
        """Convolution and BatchNorm with its running statistics."""
        weights = self.weights
        y = convolve(x, weights[f"{name}.conv.weight"])
        scale = weights[f"{name}.norm.weight"] / np.sqrt(weights[f"{name}.norm.running_var"] + NORM_EPSILON)
        shift = weights[f"{name}.norm.bias"] - weights[f"{name}.norm.running_mean"] * scale
        return (y * scale[:, None, None] + shift[:, None, None]).astype(np.float32)

    def linear(self, x: Array, name: str) -> Array:
        return self.weights[f"{name}.weight"] @ x + self.weights[f"{name}.bias"]


def convolve(x: Array, weight: Array) -> Array:
    """float32[C, H, W] and float32[D, C, K, K] -> float32[D, H, W]; zeros lie outside the board."""
    margin = weight.shape[2] // 2
    padded = np.pad(x, ((0, 0), (margin, margin), (margin, margin)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2:], axis=(1, 2))
    inputs = windows.transpose(0, 3, 4, 1, 2).reshape(-1, x.shape[1] * x.shape[2])
    return (weight.reshape(len(weight), -1) @ inputs).reshape(-1, *x.shape[1:])


def pool(x: Array) -> Array:
    """float32[C, H, W] -> float32[3C]: mean, mean scaled by the board's side, maximum."""
    mean = x.mean(axis=(1, 2))
    return np.concatenate([mean, mean * np.float32((x.shape[1] - 10) / 10), x.max(axis=(1, 2))])


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def open_backend(prepared: PreparedNetwork) -> NumpyBackend:
    return NumpyBackend(prepared)
