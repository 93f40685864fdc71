"""python -m benchmarks.endgame: the exact endgame solver on the FFO suite, positions 40 to 44, one core.

Seconds are of processor time, so that other work on the machine counts little; a node is a move tried.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import print_report
from stonezero.games import BLACK, WHITE, make_game
from stonezero.games.notation import move_to_text
from stonezero.solvers.endgame import EndgameSolver

POSITIONS = Path(__file__).parents[1] / "tests" / "solvers" / "data" / "ffo.txt"
NUMBERS = range(40, 45)
GOAL_SECONDS = 60.0


def measure(solver: EndgameSolver, words: list[str]) -> dict[str, Any]:
    """Solve one line of the suite."""
    number, text, side, num_empties, score, *_ = words
    stones = np.array(["-XO".find(symbol) for symbol in text], np.int8)
    begin = time.process_time()
    found = solver.solve(stones, BLACK if side == "X" else WHITE)
    seconds = time.process_time() - begin
    return {
        "board": f"FFO {number}",
        "ratio_to_goal": GOAL_SECONDS / seconds,
        "empties": int(num_empties),
        "score": found.score,
        "published": int(score),
        "move": move_to_text(solver.game, found.move),
        "seconds": seconds,
        "million_nodes": found.num_nodes / 1e6,
        "million_nodes_per_second": found.num_nodes / seconds / 1e6,
    }


def main() -> None:
    solver = EndgameSolver(make_game("othello", 8))
    suite = [line.split() for line in POSITIONS.read_text().splitlines() if not line.startswith("#")]
    measure(solver, suite[0])  # compiles the kernels
    print_report("endgame", [measure(solver, words) for words in suite if int(words[0]) in NUMBERS])


if __name__ == "__main__":
    main()
