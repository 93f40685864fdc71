"""From a checkpoint to an ONNX model in memory. Never written to disk as an out of the pipeline."""

import io
import warnings

import torch
from torch import Tensor, nn

from stonezero.network.checkpoint import Checkpoint
from stonezero.network.model import Net, load_model

OPSET = 17


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
    """
    evaluator = load_evaluator(checkpoint, num_actions, size)
    planes = torch.zeros(2, len(checkpoint.network.planes), size, size)
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"torch\.onnx")
        warnings.filterwarnings("ignore", message="You are using the legacy TorchScript-based ONNX export")
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
    return buffer.getvalue()
