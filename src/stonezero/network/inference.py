"""Evaluating positions: one small interface over several inference backends.

    prepared = prepare(checkpoint, num_actions, inference)   # once, in the parent: picklable
    backend = prepared.open()                                # in each worker
    logits, values = backend.evaluate(planes)

A row's result never depends on the other rows or on how many there are: games can be dealt to any number
of workers. `Backend` sees to it by splitting and padding, and checks it when it is opened.

torch is imported by `prepare` (for the ONNX export) and by the torch backend, never by `open` of another.
"""

import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.network.checkpoint import Checkpoint

logger = logging.getLogger(__name__)

Planes = NDArray[np.float32]
Evaluation = tuple[NDArray[np.float32], NDArray[np.float32]]

BACKENDS: dict[str, tuple[str, ...]] = {
    "onnxruntime": ("f32", "int8"),
    "openvino": ("f32", "bf16"),
    "torch": ("f32", "bf16"),
    "numpy": ("f32",),
    "tensorrt": ("f32", "f16"),
}
"""Precisions of each backend."""

CUDA_BACKENDS = ("onnxruntime", "torch", "tensorrt")
ONNX_BACKENDS = ("onnxruntime", "openvino", "tensorrt")
MOST_BATCH = 4096
CHECK_FILLS = (1, 2, 3, 5, 8, 17, 33)
CHECK_ROWS = 64
"""When a backend is opened, batches of these sizes are compared with one of CHECK_ROWS rows."""


class BackendError(UserError):
    """A backend can't do what was asked of it on this machine."""


@dataclass(frozen=True)
class PreparedNetwork:
    """A net ready to be opened in any process. Picklable."""

    backend: str
    precision: str
    device: str
    max_batch: int
    num_planes: int  #: C
    size: int  #: H = W
    num_actions: int  #: A
    model: bytes  #: ONNX for ONNX_BACKENDS, else a checkpoint
    digest: str  #: of the checkpoint

    def open(self) -> "Backend":
        """Load the net in this process; `BackendError` when this machine can't run it as asked."""
        module = import_module(f"stonezero.network.{self.backend}_backend")
        backend: Backend = module.open_backend(self)
        backend.settle_padding()
        return backend


def prepare(
    checkpoint: Checkpoint,
    num_actions: int,
    inference: InferenceConfig,
    size: int | None = None,
    calibration: Planes | None = None,
) -> PreparedNetwork:
    """Make a checkpoint ready for the backend that `inference` names.

    `num_actions` and `size` are those of the game to be played; `size` defaults to the checkpoint's own.
    int8 needs `calibration`, positions float32[P, C, H, W]; `players.calibration` has those that play uses.
    Raises `UserError` for impossible settings and for a net that can't play this board.
    """
    check_inference(inference)
    size = size or checkpoint.size
    checkpoint.check_plays(size, num_actions)
    if inference.backend in ONNX_BACKENDS:
        from stonezero.network.export import export_onnx

        model = export_onnx(checkpoint, num_actions, size)
        if inference.precision == "int8":
            from stonezero.network.quantization import quantize

            if calibration is None:
                raise ValueError("int8 needs positions for its calibration")
            model = quantize(model, calibration)
    else:
        model = checkpoint.to_bytes()
    return PreparedNetwork(
        backend=inference.backend,
        precision=inference.precision,
        device=inference.device,
        max_batch=inference.max_batch,
        num_planes=len(checkpoint.network.planes),
        size=size,
        num_actions=num_actions,
        model=model,
        digest=checkpoint.digest,
    )


def check_inference(inference: InferenceConfig) -> None:
    """`UserError` for settings that no machine can run."""
    if inference.backend not in BACKENDS:
        names = ", ".join(BACKENDS)
        raise UserError(f"inference.backend is {inference.backend!r}; it must be one of {names}")
    precisions = BACKENDS[inference.backend]
    if inference.precision not in precisions:
        raise UserError(
            f"inference.precision is {inference.precision!r}; {inference.backend} has {', '.join(precisions)}"
        )
    if inference.device not in ("cpu", "cuda"):
        raise UserError(f"inference.device is {inference.device!r}; it must be cpu or cuda")
    if inference.device == "cuda" and inference.backend not in CUDA_BACKENDS:
        raise UserError(f"inference.device is cuda, but {inference.backend} runs on the CPU only")
    if inference.backend == "torch" and inference.precision == "bf16" and inference.device == "cpu":
        raise UserError("inference.precision bf16 with the torch backend needs inference.device cuda")
    if inference.backend == "tensorrt" and inference.device == "cpu":
        raise UserError("inference.backend tensorrt needs inference.device cuda")
    if inference.precision == "int8" and inference.device == "cuda":
        raise UserError("inference.precision int8 runs on the CPU only")
    if not 1 <= inference.max_batch <= MOST_BATCH:
        raise UserError(
            f"inference.max_batch is {inference.max_batch}; it must lie between 1 and {MOST_BATCH}"
        )


class Backend(ABC):
    """An opened net, for one thread. Subclasses compute one batch; this class splits, pads and checks."""

    pads = False
    """Whether short batches are filled up to `max_batch`, because a row's bits depend on the batch's size."""

    def __init__(self, prepared: PreparedNetwork) -> None:
        self.prepared = prepared
        self.max_batch = prepared.max_batch
        self.input_shape = (prepared.num_planes, prepared.size, prepared.size)

    @abstractmethod
    def _run(self, planes: Planes) -> Evaluation:
        """Evaluate one C-contiguous batch of 1..max_batch rows."""

    def evaluate(self, planes: Planes) -> Evaluation:
        """Evaluate positions float32[B, C, H, W], any B.

        Returns policy logits float32[B, A], illegal moves not masked, and values float32[B] in [-1, 1] for
        the side to move. Row b depends on planes[b] alone.
        """
        planes = np.ascontiguousarray(planes, np.float32)
        if planes.shape[1:] != self.input_shape:
            raise ValueError(f"planes of one position have shape {planes.shape[1:]}, not {self.input_shape}")
        num_rows = len(planes)
        if num_rows == self.max_batch or (0 < num_rows < self.max_batch and not self.pads):
            return self._run(planes)
        logits = np.empty((num_rows, self.prepared.num_actions), np.float32)
        values = np.empty(num_rows, np.float32)
        for start in range(0, num_rows, self.max_batch):
            rows = slice(start, start + self.max_batch)
            logits[rows], values[rows] = self._run_short(planes[rows])
        return logits, values

    def _run_short(self, planes: Planes) -> Evaluation:
        num_rows = len(planes)
        if self.pads and num_rows < self.max_batch:
            full = np.zeros((self.max_batch, *planes.shape[1:]), np.float32)
            full[:num_rows] = planes
            logits, values = self._run(full)
            return logits[:num_rows], values[:num_rows]
        return self._run(planes)

    def settle_padding(self) -> None:
        """Turn `pads` on where rows of short batches come out differently, and check that it helps.

        Where it doesn't, a CPU backend raises `BackendError`; a GPU has no better one to offer and warns.
        """
        if self.is_batch_invariant():
            return
        if not self.pads:
            self.pads = True
            if self.is_batch_invariant():
                return
        name = f"{self.prepared.backend} {self.prepared.precision}"
        message = f"{name} gives one position different bits in different batches on this machine"
        if self.prepared.device != "cuda":
            raise BackendError(f"{message}; choose another inference.backend")
        logger.warning("%s: results may depend on how games are dealt to shards", message)

    def is_batch_invariant(self) -> bool:
        """Whether sample rows have the same bits in batches of several sizes and at several places."""
        num_rows = min(self.max_batch, CHECK_ROWS)
        planes = np.random.default_rng(0).integers(0, 2, (num_rows, *self.input_shape)).astype(np.float32)
        full = self.evaluate(planes)
        for fill in CHECK_FILLS:
            if fill < num_rows:
                short = self.evaluate(planes[-fill:])
                if not all(np.array_equal(a, b[-fill:]) for a, b in zip(short, full, strict=True)):
                    return False
        return True
