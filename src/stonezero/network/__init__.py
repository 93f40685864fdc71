"""Nets: the torch model, its checkpoints, and inference backends. Planes come as arrays; no rules in here."""
