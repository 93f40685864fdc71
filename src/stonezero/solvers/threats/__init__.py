"""Gomoku wins by threats: fours and threes that leave the other side no choice, each win proven.

`windows` counts stones, `fours` and `threes` search, `solver` is the way in.
"""

from stonezero.solvers.threats.solver import ThreatResult, ThreatSolver, must_blocks, solve_threats

__all__ = ["ThreatResult", "ThreatSolver", "must_blocks", "solve_threats"]
