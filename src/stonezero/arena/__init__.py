"""Strength measured: openings, colour-swapped matches, the gate and its sequential test, ratings."""
