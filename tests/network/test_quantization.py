"""int8 against f32, its bytes and its bits."""

import numpy as np
import onnx
import onnxruntime
import pytest

from stonezero.network.export import export_onnx
from stonezero.network.inference import BackendError, prepare
from stonezero.network.quantization import quantize
from tests.network import nets


@pytest.mark.parametrize("changes", [{}, {"heads": "dense", "value": "tanh"}, {"block": "bottleneck"}])
def test_int8_says_nearly_what_f32_says(changes: dict[str, object]) -> None:
    net, planes = nets.checkpoint(5, **changes), nets.random_planes(64, 5, seed=1)
    f32 = prepare(net, 25, nets.inference("onnxruntime")).open()
    int8 = prepare(net, 25, nets.inference("onnxruntime", precision="int8"), calibration=planes).open()
    others = nets.random_planes(64, 5, seed=2)
    for answer, wanted in zip(int8.evaluate(others), f32.evaluate(others), strict=True):
        error = np.abs(answer - wanted)
        assert error.max() > 0, "nothing was rounded"
        assert error.mean() < 0.05 * np.ptp(wanted)


def test_trunk_is_int8_and_heads_are_float() -> None:
    model = onnx.load_from_string(quantize(export_onnx(nets.checkpoint(5), 25, 5), nets.random_planes(8, 5)))
    onnx.checker.check_model(model, full_check=True)
    types = {weight.name: weight.data_type for weight in model.graph.initializer}
    source = {node.output[0]: node for node in model.graph.node}
    kinds = {}
    for node in model.graph.node:
        if node.op_type == "Conv":
            maker = source.get(node.input[1])
            kinds[node.name] = onnx.TensorProto.FLOAT if maker is None else types[maker.input[0]]
    heads = {name for name in kinds if "/policy/" in name or "/value/" in name}
    assert heads
    assert kinds.keys() - heads
    assert {kinds[name] for name in heads} == {onnx.TensorProto.FLOAT}
    assert {kinds[name] for name in kinds.keys() - heads} == {onnx.TensorProto.INT8}


def test_bytes_follow_from_model_and_calibration() -> None:
    model = export_onnx(nets.checkpoint(5), 25, 5)
    made = [quantize(model, nets.random_planes(40, 5, seed=seed)) for seed in (1, 1, 2)]
    assert made[0] == made[1]
    assert quantize(model, np.zeros((4, 3, 5, 5), np.float32)) != made[0]


def test_row_has_the_same_bits_in_every_batch_of_int8() -> None:
    settings = nets.inference("onnxruntime", precision="int8")
    engine = prepare(nets.checkpoint(5), 25, settings, calibration=nets.random_planes(64, 5)).open()
    planes = nets.random_planes(16, 5, seed=4)
    logits, values = engine.evaluate(planes)
    for start, stop in [(0, 1), (5, 6), (3, 10), (0, 15), (9, 16)]:
        part_logits, part_values = engine.evaluate(planes[start:stop])
        np.testing.assert_array_equal(part_logits, logits[start:stop])
        np.testing.assert_array_equal(part_values, values[start:stop])


def test_int8_without_positions_is_no_net() -> None:
    with pytest.raises(ValueError, match="positions"):
        prepare(nets.checkpoint(5), 25, nets.inference("onnxruntime", precision="int8"))
    with pytest.raises(ValueError, match="at least one"):
        quantize(export_onnx(nets.checkpoint(5), 25, 5), np.zeros((0, 3, 5, 5), np.float32))


def test_tensorrt_is_refused_where_there_is_none() -> None:
    if "TensorrtExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this onnxruntime has TensorRT")
    with pytest.raises(BackendError, match="has no TensorRT"):
        prepare(nets.checkpoint(5), 25, nets.inference("tensorrt", device="cuda")).open()
