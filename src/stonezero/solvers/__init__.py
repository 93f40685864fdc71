"""Solvers: exact values of positions, by search alone."""
