"""python -m benchmarks.search: simulations per second of the tree alone, with a free evaluator.

One core, waves of 64 games, 400 simulations a move, whole games from the start. The free evaluator hands out
rows of a table of random logits and values: with constant answers trees would be unlike any that a net makes.
The best of several rounds counts, since other work on the machine can only slow a round down.
"""

import time
from typing import Any

import numpy as np

from benchmarks.report import print_report
from stonezero.games import ONGOING, Game, make_game
from stonezero.players.batch_search import BatchSearch
from stonezero.players.settings import SearchSettings
from stonezero.search.root import choose_move

SLOTS = 64
SIMULATIONS = 400
GOALS = {"othello 8x8": 350_000, "gomoku 15x15": 220_000}
ROUNDS = 5
ROUND_SECONDS = 2.0


class TableEvaluator:
    """Random logits and values from a table, at no cost."""

    def __init__(self, game: Game, max_leaves: int, num_batches: int = 50) -> None:
        rng = np.random.default_rng(0)
        self._logits = rng.normal(size=(num_batches, max_leaves, game.num_actions)).astype(np.float32)
        self._values = rng.uniform(-0.5, 0.5, (num_batches, max_leaves)).astype(np.float32)
        self._calls = 0

    def evaluate(self, positions: Any, rows: Any, legal: Any, keys: Any) -> tuple[Any, Any]:
        self._calls = (self._calls + 1) % len(self._logits)
        return self._logits[self._calls, : len(rows)], self._values[self._calls, : len(rows)]


def simulations_per_second(search: BatchSearch, seconds: float) -> float:
    """Play whole games with the tree alone; a slot moves on as soon as its search is over, as in self-play.

    Time is the thread's own in waves: neither what other work takes of the core nor choosing and playing
    moves between waves is counted. Searches begin at different points, so what is left over from before the
    clock started and what is unfinished at the end cancel out.
    """
    rng = np.random.default_rng(0)
    start = search.game.new_positions(1)
    slots = np.arange(SLOTS)
    for slot in slots:
        search.set_root(slot, start, 0, slot)
        search.set_budget(slot, rng.integers(1, SIMULATIONS))
    elapsed, before = 0.0, search.num_simulations
    while elapsed < seconds:
        begin = time.thread_time()
        search.wave(slots)
        elapsed += time.thread_time() - begin
        for slot in search.idle(slots):
            search.advance(slot, choose_move(search.statistics(slot).visits, 1.0, rng.random()))
            if search.positions.status[search.root_row(slot)] != ONGOING:
                search.set_root(slot, start, 0, slot)
            search.set_budget(slot, SIMULATIONS)
    return (search.num_simulations - before) / elapsed


def main() -> None:
    boards = {"othello 8x8": ("othello", 8, 0, "othello"), "gomoku 15x15": ("gomoku", 15, 5, "freestyle")}
    rows = []
    for label, spec in boards.items():
        game = make_game(*spec)
        settings = SearchSettings(c_puct=1.5, fpu_reduction=0.2, reuse_tree=True)
        search = BatchSearch(game, TableEvaluator(game, SLOTS), settings, SLOTS, SIMULATIONS)
        rate = max(simulations_per_second(search, ROUND_SECONDS) for _ in range(ROUNDS))
        rows.append({"board": label, "ratio_to_goal": rate / GOALS[label], "simulations_per_second": rate})
    print_report("search", rows)


if __name__ == "__main__":
    main()
