"""Writing a checkpoint as an ONNX or OpenVINO file that says what it is, and running what was written.

Inputs `planes` float32[batch, C, H, W]; outputs `logits` float32[batch, A], illegal moves not masked, and
`values` float32[batch] in [-1, 1] for the side to move. The metadata are texts: `stonezero.game` and
`stonezero.planes` JSON, `stonezero.checkpoint` its SHA-256, `stonezero.generation`, `stonezero.precision`.
"""

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import openvino
from numpy.typing import NDArray

from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.files import write_bytes
from stonezero.games import Game
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.export import check_answers, load_evaluator
from stonezero.network.inference import Planes, PreparedNetwork
from stonezero.network.onnxruntime_backend import session_options
from stonezero.players.calibration import prepare_for

SUFFIXES = {"onnx": ".onnx", "openvino": ".xml", "int8": ".onnx"}
"""Of the file of each format; OpenVINO puts the weights beside it, as .bin."""
CHECK_BATCHES = (1, 7)
MAX_BATCH = 256


def check_target(out: Path, kind: str) -> None:
    """`UserError` for a format that there isn't, or a file name of another one."""
    if kind not in SUFFIXES:
        raise UserError(f"--format is {kind!r}; it must be one of {', '.join(SUFFIXES)}")
    if out.suffix != SUFFIXES[kind]:
        raise UserError(f"{out}: the format {kind} is written as {SUFFIXES[kind]}")


def prepared(game: Game, checkpoint: Checkpoint, precision: str) -> PreparedNetwork:
    """The net for onnxruntime, as self-play has it."""
    return prepare_for(game, checkpoint, InferenceConfig("onnxruntime", precision, MAX_BATCH, "cpu"))


def metadata(checkpoint: Checkpoint, precision: str) -> dict[str, str]:
    """What an exported model says of itself."""
    return {
        "stonezero.game": json.dumps(checkpoint.game, sort_keys=True),
        "stonezero.planes": json.dumps(list(checkpoint.network.planes)),
        "stonezero.checkpoint": checkpoint.digest,
        "stonezero.generation": checkpoint.generation,
        "stonezero.precision": precision,
    }


def write_onnx(out: Path, network: PreparedNetwork, facts: dict[str, str]) -> None:
    """Write one ONNX file, checked by onnx.checker, whole or not at all."""
    model = onnx.load_from_string(network.model)
    onnx.helper.set_model_props(model, facts)
    onnx.checker.check_model(model, full_check=True)
    write_bytes(out, model.SerializeToString(deterministic=True))


def write_openvino(out: Path, network: PreparedNetwork, facts: dict[str, str]) -> None:
    """Write OpenVINO's .xml and .bin; weights stay float32."""
    model = openvino.Core().read_model(network.model)
    for name, text in facts.items():
        model.set_rt_info(text, name.split("."))
    with tempfile.TemporaryDirectory(prefix="stonezero-openvino-") as folder:
        made = Path(folder) / out.name
        openvino.save_model(model, made, compress_to_fp16=False)
        write_bytes(out.with_suffix(".bin"), made.with_suffix(".bin").read_bytes())
        write_bytes(out, made.read_bytes())


def largest_difference(out: Path, game: Game, checkpoint: Checkpoint) -> float:
    """Run the float model in a file and compare it with torch; `CheckpointError` where they differ."""
    evaluator = load_evaluator(checkpoint, game.num_actions, game.size)
    shape = (len(checkpoint.network.planes), game.size, game.size)
    run = _onnx_run(out) if out.suffix == ".onnx" else _openvino_run(out)
    return max(check_answers(run, evaluator, shape, num_rows) for num_rows in CHECK_BATCHES)


def _onnx_run(path: Path) -> Callable[[Planes], Sequence[NDArray[np.float32]]]:
    session = onnxruntime.InferenceSession(path, session_options(), providers=["CPUExecutionProvider"])
    return lambda planes: session.run(["logits", "values"], {"planes": planes})


def _openvino_run(path: Path) -> Callable[[Planes], Sequence[NDArray[np.float32]]]:
    compiled = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return lambda planes: [compiled(planes)[name] for name in ("logits", "values")]
