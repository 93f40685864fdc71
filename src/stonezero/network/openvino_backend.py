"""OpenVINO on the CPU, one thread, f32 or bf16."""

import numpy as np
import openvino

from stonezero.network.inference import Backend, BackendError, Evaluation, Planes, PreparedNetwork

STEP = 8
FEWEST_FILLED = 32
"""Batches of so many rows are filled up to a multiple of STEP: OpenVINO sets itself up anew whenever a
batch's size changes, which is cheaper than more rows in smaller ones only."""


class OpenVinoBackend(Backend):
    def __init__(self, prepared: PreparedNetwork) -> None:
        super().__init__(prepared)
        core = openvino.Core()
        capabilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        if prepared.precision == "bf16" and "BF16" not in capabilities:
            raise BackendError("inference.precision is bf16, but this CPU has no bf16 instructions; use f32")
        settings = {
            "INFERENCE_PRECISION_HINT": prepared.precision,
            "INFERENCE_NUM_THREADS": 1,
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,
        }
        model = core.read_model(prepared.model)
        self.request = core.compile_model(model, "CPU", settings).create_infer_request()
        self._filled = np.zeros((_filled_rows(prepared.max_batch), *self.input_shape), np.float32)

    def _run(self, planes: Planes) -> Evaluation:
        num_rows = len(planes)
        if num_rows >= FEWEST_FILLED and num_rows % STEP:
            self._filled[:num_rows] = planes
            planes = self._filled[: _filled_rows(num_rows)]
        results = self.request.infer({0: planes}, share_inputs=True)
        return results[0][:num_rows].copy(), results[1][:num_rows].copy()


def _filled_rows(num_rows: int) -> int:
    return -(-num_rows // STEP) * STEP


def open_backend(prepared: PreparedNetwork) -> OpenVinoBackend:
    return OpenVinoBackend(prepared)
