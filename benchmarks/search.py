"""python -m benchmarks.search: simulations per second of the tree alone, with a free evaluator.

One core, waves of 64 games, 400 simulations a move, whole games from the start.
"""

import time

import numpy as np

from benchmarks.report import print_report
from stonezero.games import ONGOING, make_game
from stonezero.players.batch_search import BatchSearch, SearchSettings
from stonezero.players.evaluators import UniformEvaluator
from stonezero.search.root import choose_move

SLOTS = 64
SIMULATIONS = 400
GOALS = {"othello 8x8": 350_000, "gomoku 15x15": 220_000}


def simulations_per_second(name: str, size: int, k: int, rules: str, seconds: float) -> float:
    """Play moves with the tree alone until `seconds` have passed."""
    game = make_game(name, size, k, rules)
    search = BatchSearch(
        game, UniformEvaluator(game, SLOTS), SearchSettings(1.5, 0.2, True), SLOTS, SIMULATIONS
    )
    rng = np.random.default_rng(0)
    start = game.new_positions(1)
    slots = np.arange(SLOTS)
    simulations, elapsed = 0, 0.0
    for slot in slots:
        search.set_root(slot, start, 0, slot)
    while elapsed < seconds:
        for slot in slots:
            search.set_budget(slot, SIMULATIONS)
        simulations += int(search._budget.sum())
        begin = time.perf_counter()
        search.run(slots)
        elapsed += time.perf_counter() - begin
        for slot in slots:
            move = choose_move(search.statistics(slot).visits, 1.0, rng.random())
            search.advance(slot, move)
            if search.positions.status[search.root_row(slot)] != ONGOING:
                search.set_root(slot, start, 0, slot)
    return simulations / elapsed


def main() -> None:
    boards = {"othello 8x8": ("othello", 8, 0, "othello"), "gomoku 15x15": ("gomoku", 15, 5, "freestyle")}
    rows = []
    for label, spec in boards.items():
        simulations_per_second(*spec, seconds=0.5)
        rate = simulations_per_second(*spec, seconds=5)
        rows.append({"board": label, "ratio_to_goal": rate / GOALS[label], "simulations_per_second": rate})
    print_report("search", rows)


if __name__ == "__main__":
    main()
