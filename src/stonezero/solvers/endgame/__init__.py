"""Exact Othello endings: `EndgameSolver` and what it answers.

From the bottom: `squares` (masks), `last_squares` (few empties, no table), `stability` and `table`, `search`,
and `solver`, the face that checks.
"""

from stonezero.solvers.endgame.last_squares import NO_SCORE
from stonezero.solvers.endgame.solver import EndgameError, EndgameSolver, Solution

__all__ = ["NO_SCORE", "EndgameError", "EndgameSolver", "Solution"]
