"""python -m benchmarks.serve: latency, throughput and memory of `stonezero serve`.

A service in a process of its own, with an untrained net of 64 channels x 4 blocks for 15x15, answers /move
with 100 simulations. Positions are from the opening, the middle and the end of random games; clients ask one
request after the other over connections of their own. A last round of many requests watches the memory.
"""

import argparse
import asyncio
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import psutil

from benchmarks.report import print_report
from stonezero.config.schema import NetworkConfig
from stonezero.games import make_game
from stonezero.games.board import Board
from stonezero.network.model import initial_checkpoint

NETWORK = NetworkConfig(["own", "opponent", "ones"], 64, 4, "pooled", 32, 32, 64, "wdl")
GAME = make_game("gomoku", 15, 5)
PHASES = {"opening": 6, "middle": 60, "end": 150}  #: plies
CLIENTS = (1, 8, 32)
POSITIONS = 16  #: of each phase
MEMORY_SIMULATIONS = 10
MIB = 2**20


def random_boards(plies: int, seed: int) -> list[list[int]]:
    """Moves of POSITIONS random games that go on after `plies`."""
    rng = np.random.default_rng(seed)
    games: list[list[int]] = []
    while len(games) < POSITIONS:
        board = Board(GAME)
        while not board.is_over and len(board.moves) < plies:
            board.play(_quiet_move(board, rng))
        if not board.is_over:
            games.append(board.moves)
    return games


def _quiet_move(board: Board, rng: np.random.Generator) -> int:
    """A random move that does not end the game, where there is one among a few."""
    for _ in range(20):
        move = int(rng.choice(board.legal_moves()))
        trial = board.copy()
        trial.play(move)
        if not trial.is_over:
            break
    return move


@contextmanager
def serving(overrides: list[str]) -> Iterator[tuple[str, psutil.Process]]:
    """Address and process of a service with the benchmark's net."""
    with tempfile.TemporaryDirectory() as folder:
        initial_checkpoint(GAME.spec(), GAME.num_actions, NETWORK, 0).save(Path(folder) / "net.safetensors")
        settings = [f"models={folder}", f"run={folder}/none", "default_model=net", "request_log=false"]
        settings += ["search_seconds=10", "max_search_seconds=10", "response_seconds=60"]
        with serving_checkout([*settings, *overrides]) as served:
            yield served


@contextmanager
def serving_checkout(overrides: list[str]) -> Iterator[tuple[str, psutil.Process]]:
    """Address and process of `stonezero serve` in this checkout, on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "stonezero", "serve", f"port={port}", *overrides]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield _address_when_up(port, process), psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


def _address_when_up(port: int, process: subprocess.Popen[bytes]) -> str:
    address = f"http://127.0.0.1:{port}"
    while process.poll() is None:
        try:
            httpx2.get(f"{address}/health", timeout=5)
            return address
        except httpx2.TransportError:
            time.sleep(0.1)
    raise SystemExit("the service did not start")


async def ask(
    address: str, games: list[list[int]], simulations: int, clients: int, requests: int
) -> list[float]:
    """Seconds of each of `requests`, asked by so many clients at once."""
    numbers, seconds = count(), []

    async def client() -> None:
        async with httpx2.AsyncClient(timeout=120) as connection:
            while (number := next(numbers)) < requests:
                body = {"moves": games[number % len(games)], "simulations": simulations}
                start = time.perf_counter()
                answer = await connection.post(f"{address}/move", json=body)
                seconds.append(time.perf_counter() - start)
                answer.raise_for_status()

    await asyncio.gather(*(client() for _ in range(clients)))
    return seconds


def measure(address: str, process: psutil.Process, simulations: int, requests: int) -> list[dict[str, Any]]:
    """One row per phase and number of clients, throughput relative to one client of that phase first."""
    rows = []
    for phase, plies in PHASES.items():
        games, alone = random_boards(plies, seed=plies), 0.0
        asyncio.run(ask(address, games, simulations, 2, POSITIONS))  # warms the threads up
        for clients in CLIENTS:
            start, cpu = time.perf_counter(), _cpu_seconds(process)
            seconds = asyncio.run(ask(address, games, simulations, clients, requests * min(clients, 4)))
            throughput = len(seconds) / (time.perf_counter() - start)
            cpu_ms = 1000 * (_cpu_seconds(process) - cpu) / len(seconds)
            alone = alone or throughput
            p50, p90, p99 = np.percentile(np.array(seconds) * 1000, [50, 90, 99])
            rows.append(
                {
                    "phase": phase,
                    "clients": clients,
                    "throughput_ratio_to_1_client": round(throughput / alone, 2),
                    "requests_per_second": round(throughput, 1),
                    "cpu_ms_per_request": round(cpu_ms, 1),  # what a busy machine does not change
                    "p50_ms": round(float(p50), 1),
                    "p90_ms": round(float(p90), 1),
                    "p99_ms": round(float(p99), 1),
                }
            )
    return rows


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def memory(address: str, process: psutil.Process, requests: int) -> dict[str, Any]:
    """The process's resident memory before, halfway and after many requests."""
    games = [moves for plies in PHASES.values() for moves in random_boards(plies, seed=plies)]
    asyncio.run(ask(address, games, MEMORY_SIMULATIONS, 8, len(games)))
    sizes = [process.memory_info().rss / MIB]
    for _ in range(2):
        asyncio.run(ask(address, games, MEMORY_SIMULATIONS, 8, requests // 2))
        sizes.append(process.memory_info().rss / MIB)
    return {
        "requests": requests,
        "growth_of_second_half_mib": round(sizes[2] - sizes[1], 1),
        "before_mib": round(sizes[0]),
        "halfway_mib": round(sizes[1]),
        "after_mib": round(sizes[2]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--requests", type=int, default=200, help="with 1 client; up to four times with more")
    parser.add_argument("--memory-requests", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, default=Path("reports/benchmarks"), help="for the JSON files")
    parser.add_argument(
        "overrides", nargs="*", help="settings of the service, e.g. inference.backend=openvino"
    )
    options = parser.parse_args()
    with serving(options.overrides) as (address, process):
        print_report(
            "serve", measure(address, process, options.simulations, options.requests), options.folder
        )
        if options.memory_requests:
            print_report("serve_memory", [memory(address, process, options.memory_requests)], options.folder)


if __name__ == "__main__":
    main()
