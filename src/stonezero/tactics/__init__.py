"""Tactical test sets: positions with all their right answers, proven by the solvers; players' hits.

`sets` reads and writes them, `make` finds them (`python -m stonezero.tactics.make`), `scoring` counts hits.
"""
