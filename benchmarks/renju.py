"""python -m benchmarks.renju: forbidden-point queries per second on one core.

Queries are all empty points of random boards: of any density up to a half, and crowded ones, where threes
lead to threes. The best of several rounds counts.
"""

import time

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import print_report
from stonezero.games import BLACK, EMPTY, WHITE
from stonezero.games.renju import mark_forbidden

SIZE = 15
GOAL = 100_000
NUM_BOARDS = 2000
ROUNDS = 5


def random_boards(rng: np.random.Generator, densities: NDArray[np.float64]) -> NDArray[np.int8]:
    """int8[P, S]: each point taken with its board's chance, by either side alike."""
    draws = rng.random((len(densities), SIZE * SIZE))
    colours = rng.choice([BLACK, WHITE], size=draws.shape)
    return np.where(draws < densities[:, None], colours, EMPTY).astype(np.int8)


def queries_per_second(boards: NDArray[np.int8]) -> float:
    kinds = np.empty(SIZE * SIZE, np.int8)
    begin = time.perf_counter()
    for row in range(len(boards)):
        mark_forbidden(boards, row, SIZE, kinds)
    return np.count_nonzero(boards == EMPTY) / (time.perf_counter() - begin)


def main() -> None:
    rng = np.random.default_rng(0)
    kinds_of_boards = {
        "any density": rng.uniform(0, 0.5, NUM_BOARDS),
        "crowded": np.full(NUM_BOARDS, 0.45),
    }
    rows = []
    for label, densities in kinds_of_boards.items():
        boards = random_boards(rng, densities)
        queries_per_second(boards)
        rate = max(queries_per_second(boards) for _ in range(ROUNDS))
        rows.append({"board": label, "ratio_to_goal": rate / GOAL, "queries_per_second": rate})
    print_report("renju", rows)


if __name__ == "__main__":
    main()
