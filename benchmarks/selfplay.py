"""python -m benchmarks.selfplay: does self-play keep the network busy, and do two workers do twice as much?

For each net (quick's own; 64 channels x 6 blocks for othello8 and gomoku15) and backend: raw evaluations/s of
the backend at the batch self-play uses, evaluations/s of one worker over whole games (the last ones, with
emptying slots, included), and of two workers.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from omegaconf import DictConfig, OmegaConf

from benchmarks.report import print_report
from stonezero.config.composition import compose_params, stage_params
from stonezero.games import make_game
from stonezero.network.inference import PreparedNetwork, prepare
from stonezero.network.model import initial_checkpoint
from stonezero.processes import worker_pool
from stonezero.selfplay.run import Task, num_shards, open_progress, play_shards

CONF = Path(__file__).resolve().parents[1] / "conf"
MEDIUM = ["network.channels=64", "network.blocks=6", "selfplay.simulations=16", "selfplay.shard_games=2"]
BOARDS = {
    "quick": ["experiment=quick"],
    "othello8": ["experiment=othello8", *MEDIUM, "selfplay.games=32", "selfplay.slots=16"],
    "gomoku15": ["experiment=gomoku15", *MEDIUM, "selfplay.games=16", "selfplay.slots=8"],
}


def main(
    board: Annotated[list[str] | None, typer.Option(help="quick, othello8, gomoku15; default: all")] = None,
    backend: Annotated[list[str] | None, typer.Option()] = None,
    repeats: Annotated[int, typer.Option(help="The best of so many runs counts.")] = 1,
) -> None:
    rows = []
    for label in board or BOARDS:
        for name in backend or ["onnxruntime", "openvino"]:
            params = compose_params(CONF, [*BOARDS[label], f"inference.backend={name}"])
            rows.append(measure(f"{label}, {name}", stage_params(params, "g001"), repeats))
    print_report("selfplay", rows)


def measure(label: str, params: DictConfig, repeats: int) -> dict[str, Any]:
    """One row: rates and their ratios, the best of `repeats`, taken in turn."""
    game = make_game(**params.game)
    config: Any = OmegaConf.to_object(params)
    network = prepare(
        initial_checkpoint(game.spec(), game.num_actions, config.network, 1),
        game.num_actions,
        config.inference,
    )
    base = Task(
        game.spec(),
        config.search,
        config.selfplay,
        network,
        tuple(config.network.planes),
        1,
        "g001",
        (),
        Path(),
        0,
        1,
    )
    raw = one = two = 0.0
    for _ in range(repeats):
        raw = max(raw, raw_rate(network, config.selfplay.slots, len(config.network.planes)))
        one = max(one, worker_rate(base, 1))
        two = max(two, worker_rate(base, 2))
    return {
        "board": label,
        "selfplay_to_raw": one / raw,
        "two_workers_to_one": two / one,
        "raw_evaluations_per_second": raw,
        "selfplay_evaluations_per_second": one,
        "batch": config.selfplay.slots,
    }


def raw_rate(network: PreparedNetwork, batch: int, num_planes: int, seconds: float = 12.0) -> float:
    """Evaluations/s of the backend alone, over about as long as quick's games take: short runs vary more."""
    backend = network.open()
    planes = np.random.default_rng(0).random((batch, num_planes, network.size, network.size), np.float32)
    backend.evaluate(planes)
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        backend.evaluate(planes)
        count += batch
    return count / (time.perf_counter() - begin)


def worker_rate(base: Task, workers: int) -> float:
    """Evaluations/s of `workers` processes that play all games, each its share; start-up not counted."""
    shards = range(num_shards(base.selfplay))
    with TemporaryDirectory() as folder:
        progress = open_progress(Path(folder), workers, "w+")
        tasks = [
            base._replace(
                shards=tuple(shards[w::workers]), folder=Path(folder), worker=w, num_workers=workers
            )
            for w in range(workers)
        ]
        pool = worker_pool(workers)
        list(pool.map(_start, tasks))
        progress[:] = 0
        begin = time.perf_counter()
        list(pool.map(play_shards, tasks))
        seconds = time.perf_counter() - begin
        return float(progress[:, 2].sum()) / seconds


def _start(task: Task) -> None:
    """Let a worker import and compile everything, at the cost of one short game, and wait for the others."""
    small = {**vars(task.selfplay), "games": 1, "simulations": 4, "shard_games": 1}
    with TemporaryDirectory() as folder:
        open_progress(Path(folder), task.num_workers, "w+")
        play_shards(task._replace(shards=(0,), selfplay=type(task.selfplay)(**small), folder=Path(folder)))
    started = open_progress(task.folder, task.num_workers, "r+")
    started[task.worker] = 1
    while not started.all():
        time.sleep(0.01)


if __name__ == "__main__":
    typer.run(main)
