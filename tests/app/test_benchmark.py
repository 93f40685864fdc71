from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.serve import CLIENTS, PHASES, measure, memory, random_boards, serving
from stonezero import Board


def test_benchmark_positions_belong_to_their_phase_and_go_on() -> None:
    for plies in PHASES.values():
        for moves in random_boards(plies, seed=1)[:3]:
            board = Board("gomoku", 15, 5)
            for move in moves:
                board.play(move)
            assert (board.ply, board.is_over) == (plies, False)


@pytest.mark.slow
def test_benchmark_reports_each_phase_and_number_of_clients_and_the_memory() -> None:
    with (
        serving([]) as (address, process),
        ThreadPoolExecutor(1) as pool,
    ):  # tests of the page keep a loop here
        rows = pool.submit(measure, address, process, simulations=2, requests=8).result()
        figures = pool.submit(memory, address, process, requests=40).result()
    assert [(row["phase"], row["clients"]) for row in rows] == [(p, c) for p in PHASES for c in CLIENTS]
    assert all(row["p50_ms"] <= row["p90_ms"] <= row["p99_ms"] for row in rows)
    assert figures["after_mib"] > 50
