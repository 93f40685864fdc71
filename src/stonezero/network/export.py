"""From a checkpoint to an ONNX model in memory. Never written to disk as an out of the pipeline."""

import io
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from stonezero.network.checkpoint import Checkpoint, CheckpointError
from stonezero.network.inference import Planes
from stonezero.network.model import Net, load_model
from stonezero.network.onnxruntime_backend import session_options

OPSET = 17
CHECK_ROWS = 32
"""Random positions on which an exported model is compared with the net."""
CHECK_TOLERANCE = 1e-3
"""Of the largest output, at least 1: float32 sums in another order come nowhere near it."""


class Evaluator(nn.Module):
    """A net whose second output is the value: float32[B], P(win) - P(loss) or the tanh."""

    def __init__(self, net: Net, value: str) -> None:
        super().__init__()
        self.net = net
        self.has_tanh = value == "tanh"
        self.value_of_outcome: Tensor
        self.register_buffer("value_of_outcome", torch.tensor([1.0, 0.0, -1.0]))

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        logits, value_logits = self.net(planes)
        if self.has_tanh:
            return logits, torch.tanh(value_logits).flatten()
        return logits, torch.softmax(value_logits, dim=1) @ self.value_of_outcome


def load_evaluator(checkpoint: Checkpoint, num_actions: int, size: int) -> Evaluator:
    """The checkpoint's net with its value, in evaluation mode."""
    return Evaluator(load_model(checkpoint, num_actions, size), checkpoint.network.value).eval()


def export_onnx(checkpoint: Checkpoint, num_actions: int, size: int) -> bytes:
    """ONNX model `planes` float32[batch, C, H, W] -> `logits` float32[batch, A], `values` float32[batch].

    Uses torch's older exporter: the newer one takes seconds and embeds absolute paths.
    Raises `CheckpointError` where the model does not say what the net says.
    """
    evaluator = load_evaluator(checkpoint, num_actions, size)
    planes = torch.zeros(2, len(checkpoint.network.planes), size, size)
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"torch\.onnx")
        warnings.filterwarnings("ignore", message="You are using the legacy TorchScript-based ONNX export")
        warnings.filterwarnings("ignore", message="Constant folding - Only steps=1")  # of padding
        torch.onnx.export(
            evaluator,
            (planes,),
            buffer,  # type: ignore[arg-type]  # the older exporter writes to files in memory too
            dynamo=False,
            opset_version=OPSET,
            input_names=["planes"],
            output_names=["logits", "values"],
            dynamic_axes={"planes": {0: "batch"}, "logits": {0: "batch"}, "values": {0: "batch"}},
        )
    check_export(buffer.getvalue(), evaluator, planes.shape[1:])
    return buffer.getvalue()


def check_export(model: bytes, evaluator: Evaluator, shape: torch.Size) -> None:
    """Compare an ONNX model with the net it was made of on a batch of CHECK_ROWS random positions."""
    session = onnxruntime.InferenceSession(model, session_options(), providers=["CPUExecutionProvider"])
    check_answers(lambda planes: session.run(None, {"planes": planes}), evaluator, shape)


def check_answers(
    run: Callable[[Planes], Sequence[NDArray[np.float32]]],
    evaluator: Evaluator,
    shape: Sequence[int],
    num_rows: int = CHECK_ROWS,
) -> float:
    """The largest difference of `run`'s logits and values from the net's on random positions of a shape.

    Raises `CheckpointError` where it is above CHECK_TOLERANCE.
    """
    planes = np.random.default_rng(0).integers(0, 2, (num_rows, *shape)).astype(np.float32)
    with torch.inference_mode():
        expected = [output.numpy() for output in evaluator(torch.from_numpy(planes))]
    largest = 0.0
    for answer, wanted in zip(run(planes), expected, strict=True):
        difference = np.abs(answer - wanted).max()
        if not difference <= CHECK_TOLERANCE * max(1.0, np.abs(wanted).max()):
            raise CheckpointError("the exported model does not say what the net says: is it damaged?")
        largest = max(largest, float(difference))
    return largest
