"""torch: the reference on the CPU, and the way to a GPU."""

import torch
from torch import nn

from stonezero.network.checkpoint import Checkpoint
from stonezero.network.export import load_evaluator
from stonezero.network.inference import Backend, BackendError, Evaluation, Planes, PreparedNetwork

CPU_BATCH = 16
"""Fixed batch on the CPU: a multiple of the vector width, so that no row is a remainder."""


class RowwiseLinear(nn.Module):
    """A linear layer, row by row: MKL gives a row other bits at another place in the batch or in memory."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.linear = linear

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.linear(row.clone()) for row in x.split(1)])


class TorchBackend(Backend):
    pads = True

    def __init__(self, prepared: PreparedNetwork) -> None:
        super().__init__(prepared)
        self.device = torch.device(prepared.device)
        self.type = torch.bfloat16 if prepared.precision == "bf16" else torch.float32
        checkpoint = Checkpoint.from_bytes(prepared.model)
        evaluator = load_evaluator(checkpoint, prepared.num_actions, prepared.size)
        if prepared.device == "cpu":
            torch.set_num_threads(1)  # of this whole process: workers are processes
            self.max_batch = CPU_BATCH
            make_rowwise(evaluator)
        self.evaluator = evaluator.to(self.device, self.type)

    @torch.inference_mode()
    def _run(self, planes: Planes) -> Evaluation:
        batch = torch.from_numpy(planes).to(self.device, self.type)
        logits, values = self.evaluator(batch)
        return logits.float().cpu().numpy(), values.float().cpu().numpy()


def make_rowwise(module: nn.Module) -> None:
    """Wrap every linear layer inside `module`."""
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, RowwiseLinear(child))
        else:
            make_rowwise(child)


def open_backend(prepared: PreparedNetwork) -> TorchBackend:
    if prepared.device == "cuda" and not torch.cuda.is_available():
        raise BackendError("inference.device is cuda, but torch can't reach a GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    return TorchBackend(prepared)
