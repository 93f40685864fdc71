"""Ablations: grids of runs that differ in one thing, each a DVC experiment, rated against each other."""
