"""torch: the reference on the CPU, and the way to a GPU."""

import numpy as np
import torch

from stonezero.network.checkpoint import Checkpoint
from stonezero.network.export import load_evaluator
from stonezero.network.inference import Backend, BackendError, Evaluation, Planes, PreparedNetwork


class TorchBackend(Backend):
    pads = True

    def __init__(self, prepared: PreparedNetwork) -> None:
        super().__init__(prepared)
        self.device = torch.device(prepared.device)
        self.type = torch.bfloat16 if prepared.precision == "bf16" else torch.float32
        checkpoint = Checkpoint.from_bytes(prepared.model)
        evaluator = load_evaluator(checkpoint, prepared.num_actions, prepared.size)
        self.evaluator = evaluator.to(self.device, self.type)

    @torch.inference_mode()
    def _run(self, planes: Planes) -> Evaluation:
        batch = torch.from_numpy(planes).to(self.device, self.type)
        logits, values = self.evaluator(batch)
        return logits.float().cpu().numpy(), values.float().cpu().numpy().astype(np.float32)


def open_backend(prepared: PreparedNetwork) -> TorchBackend:
    if prepared.device == "cuda" and not torch.cuda.is_available():
        raise BackendError("inference.device is cuda, but torch can't reach a GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    return TorchBackend(prepared)
