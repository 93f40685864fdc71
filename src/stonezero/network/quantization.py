"""From a float ONNX model to an int8 one: static calibration, quantise and dequantise nodes (QDQ).

Weights are quantised channel by channel, inputs of convolutions and sums from the smallest and largest value
seen in calibration (Jacob et al. 2018, "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference"). Heads stay float: they are a small part of the work, and rounded logits
change moves. Weights have 7 bits, so that the 16-bit sums of CPUs without VNNI instructions can't saturate.

The bytes depend on the model, the positions of calibration and the library alone: one thread, one order.
"""

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.calibrate import MinMaxCalibrater, TensorsData, save_tensors_data
from onnxruntime.quantization.shape_inference import quant_pre_process

from stonezero.network.inference import Planes
from stonezero.network.onnxruntime_backend import session_options

OPERATORS = ["Conv", "Add"]
"""What computes in int8; activations between them are fused."""
HEADS = ("/policy/", "/value/")
"""Parts of the names of nodes that stay float."""
ROWS_AT_ONCE = 32


class PlanesReader(CalibrationDataReader):
    """Hands planes float32[P, C, H, W] to the calibration, ROWS_AT_ONCE positions a time."""

    def __init__(self, planes: Planes) -> None:
        self._batches = iter(
            planes[start : start + ROWS_AT_ONCE] for start in range(0, len(planes), ROWS_AT_ONCE)
        )

    def get_next(self) -> dict[str, Planes] | None:
        """The next batch, None after the last."""
        batch = next(self._batches, None)
        return None if batch is None else {"planes": batch}


class OneThreadCalibrater(MinMaxCalibrater):
    """Ranges by one thread, so that they don't depend on the number of cores."""

    def create_inference_session(self) -> None:
        """Called by the library once the model has the tensors to watch as outputs."""
        self.infer_session = onnxruntime.InferenceSession(
            self.augmented_model_path, session_options(), providers=["CPUExecutionProvider"]
        )


def quantize(model: bytes, calibration: Planes) -> bytes:
    """The ONNX model in int8, its ranges those of `calibration` float32[P, C, H, W], P >= 1.

    Inputs and outputs stay float32 with a free batch axis. ValueError without positions.
    """
    if not len(calibration):
        raise ValueError("calibration needs at least one position")
    with tempfile.TemporaryDirectory(prefix="stonezero-int8-") as folder, _quiet_library():
        prepared, cache, target = (Path(folder) / name for name in ("f32.onnx", "ranges.json", "int8.onnx"))
        quant_pre_process(onnx.load_from_string(model), prepared, skip_symbolic_shape=True)
        heads = [node.name for node in onnx.load(prepared).graph.node if any(h in node.name for h in HEADS)]
        ranges = _ranges(prepared, calibration)
        save_tensors_data(ranges, cache, smooth_quant=False)
        quantize_static(
            prepared,
            target,
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=OPERATORS,
            nodes_to_exclude=heads,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibration_cache_path=cache,
        )
        return target.read_bytes()


def _ranges(model: Path, calibration: Planes) -> TensorsData:
    calibrater = OneThreadCalibrater(model, OPERATORS, str(model.with_name("watched.onnx")))
    calibrater.augment_graph()
    calibrater.create_inference_session()
    calibrater.collect_data(PlanesReader(np.ascontiguousarray(calibration, np.float32)))
    return calibrater.compute_data()


@contextmanager
def _quiet_library() -> Iterator[None]:
    """The library logs on the root logger what it does step by step."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
