"""python -m benchmarks.inference: latency and network evaluations per second of CPU time of each backend.

Nets of 32 channels x 3 blocks (quick) and 64 x 6 (the others). Backends take turns on the same positions,
CPU time is measured, and the best of several rounds counts, so that the ratios to onnxruntime at the same
batch hold on a busy machine too.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import print_report
from stonezero.config.schema import InferenceConfig, NetworkConfig
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.inference import Backend, BackendError, Planes, prepare
from stonezero.network.model import initial_checkpoint

BATCHES = (1, 8, 32, 64)
NUMPY_BATCHES = (1, 8)
VARIANTS = (
    ("onnxruntime", "f32"),
    ("onnxruntime", "int8"),
    ("openvino", "f32"),
    ("openvino", "bf16"),
    ("torch", "f32"),
    ("numpy", "f32"),
)
PLANES = ["own", "opponent", "ones"]
SMALL = NetworkConfig(PLANES, 32, 3, "pooled", 16, 16, 32, "wdl")
MEDIUM = NetworkConfig(PLANES, 64, 6, "pooled", 32, 32, 64, "wdl")
BOARDS: dict[str, tuple[str, int, int, NetworkConfig]] = {
    "quick 6x6": ("gomoku", 6, 36, SMALL),
    "othello 8x8": ("othello", 8, 65, MEDIUM),
    "gomoku 15x15": ("gomoku", 15, 225, MEDIUM),
}


def make_net(board: str) -> tuple[Checkpoint, int]:
    """An untrained net for one of BOARDS, and the number of actions."""
    name, size, num_actions, network = BOARDS[board]
    return initial_checkpoint(
        {"name": name, "size": size, "k": 0, "rules": ""}, num_actions, network, 0
    ), num_actions


def random_planes(num_rows: int, size: int) -> Planes:
    """Planes float32[num_rows, C, size, size] of zeros and ones."""
    return np.random.default_rng(0).integers(0, 2, (num_rows, len(PLANES), size, size)).astype(np.float32)


def open_backends(board: str, names: list[str]) -> dict[tuple[str, str], Backend]:
    """Every variant that this machine can run."""
    checkpoint, num_actions = make_net(board)
    calibration = random_planes(64, checkpoint.size)  # its ranges change no speed
    backends = {}
    for name, precision in VARIANTS:
        if name in names:
            settings = InferenceConfig(name, precision, max(BATCHES), "cpu")
            try:
                opened = prepare(checkpoint, num_actions, settings, calibration=calibration).open()
                backends[name, precision] = opened
            except BackendError as error:
                print(f"left out: {error}")
    return backends


def seconds_per_batch(backend: Backend, planes: np.ndarray, seconds: float) -> float:
    """The fastest of the calls that fit into `seconds`, at least one."""
    best, end = np.inf, time.process_time() + seconds
    while True:
        start = time.process_time()
        backend.evaluate(planes)
        now = time.process_time()
        best = min(best, now - start)
        if now >= end:
            return best


def measure(board: str, names: list[str], seconds: float, rounds: int = 3) -> list[dict[str, Any]]:
    """One row per backend and batch."""
    size = BOARDS[board][1]
    backends = open_backends(board, names)
    rows = []
    for batch in BATCHES:
        planes = random_planes(batch, size)
        times = {key: np.inf for key in backends if key[0] != "numpy" or batch in NUMPY_BATCHES}
        for _ in range(rounds):
            for key in times:
                times[key] = min(times[key], seconds_per_batch(backends[key], planes, seconds / rounds))
        for (name, precision), duration in times.items():
            rows.append(
                {
                    "board": board,
                    "ratio_to_onnxruntime": times.get(("onnxruntime", "f32"), np.nan) / duration,
                    "backend": name,
                    "precision": precision,
                    "batch": batch,
                    "latency_ms": round(1000 * duration, 3),
                    "evaluations_per_second": round(batch / duration),
                }
            )
    return rows


def main() -> None:
    names = list(dict.fromkeys(name for name, _ in VARIANTS))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backends", nargs="+", choices=names, default=names)
    parser.add_argument("--boards", nargs="+", choices=BOARDS, default=list(BOARDS))
    parser.add_argument("--seconds", type=float, default=1.0, help="per backend, board and batch")
    parser.add_argument("--folder", type=Path, default=Path("reports/benchmarks"), help="for the JSON file")
    options = parser.parse_args()
    rows = [row for board in options.boards for row in measure(board, options.backends, options.seconds)]
    print_report("inference", rows, options.folder)


if __name__ == "__main__":
    main()
