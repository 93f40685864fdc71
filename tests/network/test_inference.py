import pickle
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import openvino
import pytest
import torch

from stonezero.errors import UserError
from stonezero.network.checkpoint import CheckpointError
from stonezero.network.export import check_export, export_onnx, load_evaluator
from stonezero.network.inference import Backend, BackendError, Evaluation, Planes, PreparedNetwork, prepare
from tests.network import nets

CPU_BACKENDS = ["onnxruntime", "openvino", "torch", "numpy"]
NO_TORCH = ["onnxruntime", "openvino", "numpy"]
FLOAT_TOLERANCE = 2e-5
"""float32 sums of some hundred terms in different orders: about 1e-6 of logits of size 1 to 5."""

NETS = {
    "pooled wdl": {"heads": "pooled", "value": "wdl"},
    "pooled tanh": {"heads": "pooled", "value": "tanh"},
    "dense wdl": {"heads": "dense", "value": "wdl"},
    "dense tanh": {"heads": "dense", "value": "tanh"},
}
TRUNKS: dict[str, dict[str, object]] = {
    "bottleneck": {"block": "bottleneck"},
    "depthwise": {"block": "depthwise", "stem_padding": "ones"},
    "pooling": {"pooling_every": 2, "blocks": 3, "stem_padding": "replicate"},
    "separate": {"trunk": "separate", "blocks": 1, "heads": "dense", "value": "tanh"},
    "auxiliary": {"auxiliary": ["ownership", "score", "reply"]},
}
KINDS = NETS | TRUNKS


@cache
def opened(
    backend: str, net: str = "pooled wdl", size: int = 5, has_pass: bool = False, batch: int = 16
) -> Backend:
    checkpoint = nets.checkpoint(size, has_pass, **KINDS[net])
    return prepare(checkpoint, nets.num_actions(size, has_pass), nets.inference(backend, batch)).open()


@pytest.mark.parametrize("net", KINDS)
@pytest.mark.parametrize(("size", "has_pass"), [(4, True), (5, False), (8, True)])
def test_all_backends_agree(net: str, size: int, has_pass: bool) -> None:
    planes = nets.random_planes(11, size)
    evaluator = load_evaluator(
        nets.checkpoint(size, has_pass, **KINDS[net]), nets.num_actions(size, has_pass), size
    )
    with torch.inference_mode():
        expected = [output.numpy() for output in evaluator(torch.from_numpy(planes))]
    assert np.abs(expected[0]).max() > 0.5, "the test's net says nothing"
    assert np.ptp(expected[1]) > 0.02
    for backend in CPU_BACKENDS:
        logits, values = opened(backend, net, size, has_pass).evaluate(planes)
        assert (logits.dtype, values.dtype) == (np.float32, np.float32)
        np.testing.assert_allclose(logits, expected[0], atol=FLOAT_TOLERANCE, rtol=0, err_msg=backend)
        np.testing.assert_allclose(values, expected[1], atol=FLOAT_TOLERANCE, rtol=0, err_msg=backend)


@pytest.mark.parametrize("backend", CPU_BACKENDS)
@pytest.mark.parametrize("size", [3, 9, 15])
def test_pooled_net_evaluates_other_boards(backend: str, size: int) -> None:
    checkpoint = nets.checkpoint(size=5, has_pass=True)
    actions = nets.num_actions(size, has_pass=True)
    planes = nets.random_planes(2, size)
    other = prepare(checkpoint, actions, nets.inference(backend, max_batch=4), size=size)
    logits, values = other.open().evaluate(planes)
    with torch.inference_mode():
        expected = load_evaluator(checkpoint, actions, size)(torch.from_numpy(planes))
    np.testing.assert_allclose(logits, expected[0].numpy(), atol=FLOAT_TOLERANCE, rtol=0)
    np.testing.assert_allclose(values, expected[1].numpy(), atol=FLOAT_TOLERANCE, rtol=0)


@pytest.mark.parametrize("backend", CPU_BACKENDS)
@pytest.mark.parametrize("net", ["pooled wdl", "dense tanh", *TRUNKS])
def test_row_has_the_same_bits_in_every_batch(backend: str, net: str) -> None:
    engine = opened(backend, net)
    planes = nets.random_planes(16, 5, seed=4)
    logits, values = engine.evaluate(planes)
    for start, stop in [(0, 1), (5, 6), (15, 16), (3, 10), (0, 15), (9, 16)]:
        part_logits, part_values = engine.evaluate(planes[start:stop])
        np.testing.assert_array_equal(part_logits, logits[start:stop])
        np.testing.assert_array_equal(part_values, values[start:stop])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize(("size", "channels", "blocks"), [(6, 32, 3), (8, 64, 6), (15, 64, 2)])
def test_row_has_the_same_bits_in_batches_of_1_to_64(
    backend: str, net: str, size: int, channels: int, blocks: int
) -> None:
    checkpoint = nets.checkpoint(size, channels=channels, blocks=blocks, policy_channels=32, **NETS[net])
    engine = prepare(checkpoint, size * size, nets.inference(backend, max_batch=64)).open()
    planes = nets.random_planes(64, size, seed=4)
    logits, values = engine.evaluate(planes)
    for num_rows in range(1, 65):
        part_logits, part_values = engine.evaluate(planes[-num_rows:])
        np.testing.assert_array_equal(part_logits, logits[-num_rows:])
        np.testing.assert_array_equal(part_values, values[-num_rows:])


@pytest.mark.parametrize("backend", CPU_BACKENDS)
def test_more_rows_than_a_batch_are_split_and_none_is_fine(backend: str) -> None:
    engine = opened(backend)
    planes = nets.random_planes(37, 5)
    logits, values = engine.evaluate(planes)
    for row in (0, 16, 31, 32, 36):
        alone_logits, alone_values = engine.evaluate(planes[row : row + 1])
        np.testing.assert_array_equal(alone_logits[0], logits[row])
        np.testing.assert_array_equal(alone_values[0], values[row])
    logits, values = engine.evaluate(planes[:0])
    assert (logits.shape, values.shape) == ((0, 25), (0,))


@pytest.mark.parametrize("backend", CPU_BACKENDS)
def test_planes_may_lie_anywhere_but_have_the_right_shape(backend: str) -> None:
    engine = opened(backend)
    planes = nets.random_planes(6, 5)
    scattered = np.asfortranarray(planes.astype(np.float64))
    np.testing.assert_array_equal(engine.evaluate(scattered)[0], engine.evaluate(planes)[0])
    with pytest.raises(ValueError, match="shape"):
        engine.evaluate(nets.random_planes(6, 6))
    with pytest.raises(ValueError, match="shape"):
        engine.evaluate(nets.random_planes(6, 5, num_planes=2))


@pytest.mark.parametrize("backend", CPU_BACKENDS)
def test_results_stay_when_the_next_batch_is_evaluated(backend: str) -> None:
    engine = opened(backend)
    logits, values = engine.evaluate(nets.random_planes(16, 5, seed=1))
    before = logits.copy(), values.copy()
    engine.evaluate(nets.random_planes(16, 5, seed=2))
    np.testing.assert_array_equal(logits, before[0])
    np.testing.assert_array_equal(values, before[1])


def test_open_of_other_backends_never_imports_torch(tmp_path: Path) -> None:
    prepared = [prepare(nets.checkpoint(), 25, nets.inference(name)) for name in NO_TORCH]
    (tmp_path / "prepared.pickle").write_bytes(pickle.dumps(prepared))
    script = """
import pickle, sys
import numpy as np
for prepared in pickle.load(open(sys.argv[1], "rb")):
    print(prepared.open().evaluate(np.zeros((2, 3, 5, 5), np.float32))[0].shape)
print("torch" in sys.modules)
"""
    command = [sys.executable, "-c", script, str(tmp_path / "prepared.pickle")]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.stdout.split("\n")[:-1] == ["(2, 25)"] * len(NO_TORCH) + ["False"], run.stderr


def test_export_has_a_dynamic_batch_axis_and_passes_the_checker() -> None:
    model = onnx.load_from_string(export_onnx(nets.checkpoint(), 25, 5))
    onnx.checker.check_model(model, full_check=True)
    for value in [*model.graph.input, *model.graph.output]:
        assert value.type.tensor_type.shape.dim[0].dim_param == "batch"
    assert [dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim] == [0, 25]


@pytest.mark.parametrize("net", NETS)
def test_export_is_silent(net: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export_onnx(nets.checkpoint(**NETS[net]), 25, 5)


def test_backend_whose_bits_depend_on_the_fill_pads() -> None:
    engine = FillDependent(prepare(nets.checkpoint(), 25, nets.inference("numpy")), harmless_when_full=True)
    engine.settle_padding()
    assert engine.pads
    planes = nets.random_planes(21, 5)
    logits, _ = engine.evaluate(planes)
    np.testing.assert_array_equal(engine.evaluate(planes[17:18])[0][0], logits[17])


def test_backend_that_padding_does_not_help_is_refused() -> None:
    engine = FillDependent(prepare(nets.checkpoint(), 25, nets.inference("numpy")), harmless_when_full=False)
    with pytest.raises(BackendError, match="different bits"):
        engine.settle_padding()


class FillDependent(Backend):
    """Adds the number of rows, and maybe the row's place, to every logit."""

    def __init__(self, prepared: PreparedNetwork, harmless_when_full: bool) -> None:
        super().__init__(prepared)
        self.harmless_when_full = harmless_when_full

    def _run(self, planes: Planes) -> Evaluation:
        logits = np.zeros((len(planes), 25), np.float32) + planes.sum(axis=(1, 2, 3))[:, None] + len(planes)
        if not self.harmless_when_full:
            logits += np.arange(len(planes), dtype=np.float32)[:, None]
        return logits, np.zeros(len(planes), np.float32)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        (nets.inference("onnx"), "backend"),
        (nets.inference("onnxruntime", precision="bf16"), "precision"),
        (nets.inference("numpy", precision="int8"), "precision"),
        (nets.inference("torch", precision="bf16"), "cuda"),
        (nets.inference("openvino", device="cuda"), "CPU only"),
        (nets.inference("onnxruntime", device="tpu"), "device"),
        (nets.inference("onnxruntime", max_batch=0), "max_batch"),
        (nets.inference("onnxruntime", max_batch=4097), "max_batch"),
        (nets.inference("onnxruntime", precision="int8", device="cuda"), "int8 runs on the CPU only"),
        (nets.inference("tensorrt"), "tensorrt needs inference.device cuda"),
    ],
)
def test_impossible_settings_are_refused(settings: nets.InferenceConfig, match: str) -> None:
    with pytest.raises(UserError, match=match):
        prepare(nets.checkpoint(), 25, settings)


@pytest.mark.parametrize("backend", ["numpy", "onnxruntime"])
def test_board_that_the_net_cannot_play_is_refused(backend: str) -> None:
    dense = nets.checkpoint(size=5, heads="dense")
    with pytest.raises(CheckpointError, match="dense heads made for 5x5 can't play on 6x6"):
        prepare(dense, 36, nets.inference(backend), size=6)
    for heads in ("pooled", "dense"):
        with pytest.raises(CheckpointError, match="no pass"):
            prepare(nets.checkpoint(size=5, heads=heads), 26, nets.inference(backend))
        with pytest.raises(CheckpointError, match="a pass"):
            prepare(nets.checkpoint(size=5, has_pass=True, heads=heads), 25, nets.inference(backend))


def test_bf16_runs_where_the_cpu_has_it_and_is_refused_elsewhere() -> None:
    prepared = prepare(nets.checkpoint(), 25, nets.inference("openvino", precision="bf16"))
    if "BF16" not in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        with pytest.raises(BackendError, match="no bf16"):
            prepared.open()
        return
    planes = nets.random_planes(16, 5)
    logits, values = prepared.open().evaluate(planes)
    expected_logits, expected_values = opened("numpy").evaluate(planes)
    # bf16 keeps 8 bits: some 0.4% of logits of size 1 to 5 per layer
    np.testing.assert_allclose(logits, expected_logits, atol=0.15, rtol=0)
    np.testing.assert_allclose(values, expected_values, atol=0.05, rtol=0)


@pytest.mark.parametrize("backend", ["torch", "onnxruntime"])
@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_cuda_without_a_gpu_is_refused(backend: str) -> None:
    with pytest.raises(BackendError, match="cuda"):
        prepare(nets.checkpoint(), 25, nets.inference(backend, device="cuda")).open()


@pytest.mark.parametrize("precision", ["f32", "bf16"])
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_torch_on_a_gpu_agrees(precision: str) -> None:
    engine = prepare(
        nets.checkpoint(), 25, nets.inference("torch", precision=precision, device="cuda")
    ).open()
    planes = nets.random_planes(16, 5)
    tolerance = FLOAT_TOLERANCE if precision == "f32" else 0.15
    for result, expected in zip(engine.evaluate(planes), opened("numpy").evaluate(planes), strict=True):
        np.testing.assert_allclose(result, expected, atol=tolerance, rtol=0)


def test_auxiliary_heads_stay_out_of_inference() -> None:
    """They are weights of the checkpoint and nothing else: the exported model has none of them."""
    plain = nets.checkpoint(5)
    taught = nets.checkpoint(5, auxiliary=["ownership", "score", "reply"])
    extra = {name for name in taught.weights if name.startswith("auxiliary.")}
    assert taught.weights.keys() - plain.weights.keys() == extra
    models = [onnx.load_from_string(export_onnx(net, 25, 5)).graph for net in (plain, taught)]
    sizes = [sorted(len(weight.raw_data) for weight in model.initializer) for model in models]
    assert sizes[0] == sizes[1]
    assert [node.op_type for node in models[0].node] == [node.op_type for node in models[1].node]


def test_an_export_that_says_something_else_is_refused() -> None:
    model = export_onnx(nets.checkpoint(5), 25, 5)
    with pytest.raises(CheckpointError, match="does not say what the net says"):
        check_export(model, load_evaluator(nets.checkpoint(5, seed=2), 25, 5), torch.Size([3, 5, 5]))
