"""Small nets with weights as if trained: every norm and bias matters, logits are not near zero."""

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import InferenceConfig, NetworkConfig
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.model import initial_checkpoint


def network(**changes: object) -> NetworkConfig:
    values: dict[str, object] = {
        "planes": ["own", "opponent", "ones"],
        "channels": 8,
        "blocks": 2,
        "heads": "pooled",
        "policy_channels": 6,
        "value_channels": 5,
        "value_hidden": 7,
        "value": "wdl",
    }
    return NetworkConfig(**(values | changes))  # type: ignore[arg-type]


def inference(
    backend: str, max_batch: int = 16, precision: str = "f32", device: str = "cpu"
) -> InferenceConfig:
    return InferenceConfig(backend=backend, precision=precision, max_batch=max_batch, device=device)


def num_actions(size: int, has_pass: bool) -> int:
    return size * size + has_pass


def checkpoint(size: int = 5, has_pass: bool = False, seed: int = 1, **changes: object) -> Checkpoint:
    """Untrained but for its norms, biases and outputs, which are drawn at random."""
    spec: dict[str, str | int] = {
        "name": "othello" if has_pass else "gomoku",
        "size": size,
        "k": 0,
        "rules": "any",
    }
    made = initial_checkpoint(spec, num_actions(size, has_pass), network(**changes), seed)
    generator = np.random.default_rng(seed)
    for name, weight in made.weights.items():
        if name.endswith("running_var"):
            made.weights[name] = generator.uniform(0.5, 2.0, weight.shape).astype(np.float32)
        elif name.endswith(("bias", "running_mean", "output.weight")):
            made.weights[name] = generator.normal(0.0, 0.3, weight.shape).astype(np.float32)
    return made


def random_planes(num_rows: int, size: int, num_planes: int = 3, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).integers(0, 2, (num_rows, num_planes, size, size)).astype(np.float32)
