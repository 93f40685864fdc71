"""python -m benchmarks.threats: nodes per second of the threat solver, and its share of a player's time.

Positions come from random games that keep to the neighbourhood of stones, where there are threats to look at.
The share is what `threats=2000` adds to a move of a network player: two answers of the solver against 64
evaluations at the rate given by STONEZERO_EVALUATIONS (per second; 1000 unless said). Times are those of the
processor, so that other work on the machine counts less.
"""

import os
import time

import numpy as np

from benchmarks.report import print_report
from stonezero.games import ONGOING, Positions, make_game
from stonezero.games.position import copy_rows
from stonezero.players.threat_player import THREAT_DEPTH
from stonezero.solvers.threats import ThreatSolver

NODES = 2000
SIMULATIONS = 64
NUM_POSITIONS = 300
PLIES = 16
BOARDS = {
    "gomoku 6x6, 4": ("gomoku", 6, 4, "freestyle"),
    "gomoku 15x15, 5": ("gomoku", 15, 5, "freestyle"),
    "renju 15x15": ("gomoku", 15, 5, "renju"),
}


def crowded_positions(spec: tuple[str, int, int, str]) -> Positions:
    """Positions whose stones lie in a patch of 7 x 7, nobody having won."""
    game, rng = make_game(*spec), np.random.default_rng(0)
    positions = game.new_positions(NUM_POSITIONS)
    rows = np.arange(NUM_POSITIONS)
    legal = np.zeros((NUM_POSITIONS, game.num_actions), np.uint8)
    points = np.arange(game.num_points)
    middle = (game.size - 1) / 2
    is_near = (abs(points // game.size - middle) <= 3) & (abs(points % game.size - middle) <= 3)
    for _ in range(PLIES):
        live = rows[positions.status == ONGOING]
        game.legal_moves(positions, live, legal[: len(live)])
        weights = legal[: len(live)] * is_near * rng.random((len(live), game.num_points))
        game.play(positions, live, weights.argmax(axis=1).astype(np.int16), live, legal[: len(live)])
    return copy_rows(positions, rows[positions.status == ONGOING])


def main() -> None:
    evaluations = float(os.environ.get("STONEZERO_EVALUATIONS") or 1000)
    rows = []
    for label, spec in BOARDS.items():
        positions = crowded_positions(spec)
        solver = ThreatSolver(make_game(*spec), THREAT_DEPTH, NODES)
        solver.solve(positions, 0)
        solver.must_blocks(positions, 0)
        begin = time.process_time()
        results = [solver.solve(positions, row) for row in range(len(positions.turn))]
        seconds = time.process_time() - begin
        for row in range(len(positions.turn)):
            solver.must_blocks(positions, row)
        per_move = (time.process_time() - begin) / len(positions.turn)
        rows.append(
            {
                "board": label,
                "share_of_a_move": per_move / (per_move + SIMULATIONS / evaluations),
                "nodes_per_second": sum(result.nodes for result in results) / seconds,
                "milliseconds_per_move": 1000 * per_move,
                "wins_found": sum(result.is_win for result in results) / len(results),
            }
        )
    print_report("threats", rows)


if __name__ == "__main__":
    main()
