"""TensorRT through ONNX Runtime's provider, f32 or f16, on a GPU. Batches are always full: one engine."""

import onnxruntime

from stonezero.network.inference import BackendError, PreparedNetwork
from stonezero.network.onnxruntime_backend import OnnxRuntimeBackend

PROVIDER = "TensorrtExecutionProvider"


def open_backend(prepared: PreparedNetwork) -> OnnxRuntimeBackend:
    """Build the engine for batches of `max_batch`; BackendError where there is no TensorRT or no GPU."""
    if PROVIDER not in onnxruntime.get_available_providers():
        raise BackendError("inference.backend is tensorrt, but the installed onnxruntime has no TensorRT")
    shape = f"planes:{prepared.max_batch}x{prepared.num_planes}x{prepared.size}x{prepared.size}"
    options = {f"trt_profile_{end}_shapes": shape for end in ("min", "opt", "max")}
    options["trt_fp16_enable"] = "1" if prepared.precision == "f16" else "0"
    backend = OnnxRuntimeBackend(prepared, [(PROVIDER, options), "CPUExecutionProvider"])
    if backend.session.get_providers()[0] != PROVIDER:
        raise BackendError("inference.backend is tensorrt, but onnxruntime can't reach a GPU")
    backend.pads = True
    return backend
