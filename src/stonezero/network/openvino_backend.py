"""OpenVINO on the CPU, one thread, f32 or bf16."""

import openvino

from stonezero.network.inference import Backend, BackendError, Evaluation, Planes, PreparedNetwork


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

    def _run(self, planes: Planes) -> Evaluation:
        results = self.request.infer({0: planes}, share_inputs=True)
        return results[0].copy(), results[1].copy()


def open_backend(prepared: PreparedNetwork) -> OpenVinoBackend:
    return OpenVinoBackend(prepared)
