"""The default backend: ONNX Runtime, one thread."""

import onnxruntime

from stonezero.network.inference import Backend, BackendError, Evaluation, Planes, PreparedNetwork

OUTPUTS = ["logits", "values"]


def session_options() -> onnxruntime.SessionOptions:
    """One thread: workers are processes, and threads inside a small net lose."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    return options


class OnnxRuntimeBackend(Backend):
    def __init__(self, prepared: PreparedNetwork, providers: list[str | tuple[str, dict[str, str]]]) -> None:
        super().__init__(prepared)
        self.session = onnxruntime.InferenceSession(prepared.model, session_options(), providers=providers)

    def _run(self, planes: Planes) -> Evaluation:
        logits, values = self.session.run(OUTPUTS, {"planes": planes})
        return logits, values


def open_backend(prepared: PreparedNetwork) -> OnnxRuntimeBackend:
    if prepared.device == "cpu":
        return OnnxRuntimeBackend(prepared, ["CPUExecutionProvider"])
    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        raise BackendError("inference.device is cuda, but the installed onnxruntime has no CUDA")
    cuda = ("CUDAExecutionProvider", {"use_tf32": "0", "cudnn_conv_algo_search": "HEURISTIC"})
    backend = OnnxRuntimeBackend(prepared, [cuda, "CPUExecutionProvider"])
    if backend.session.get_providers()[0] != "CUDAExecutionProvider":
        raise BackendError("inference.device is cuda, but onnxruntime can't reach a GPU")
    backend.pads = True
    return backend
