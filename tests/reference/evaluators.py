"""Evaluators for tests: answers that look like a network's but are a plain function of the position."""

import numpy as np


class HashEvaluator:
    """Random-looking logits and values that depend on the stones and the side to move alone."""

    def __init__(self, game, spread=1.0):
        self.game, self.spread = game, spread
        rng = np.random.default_rng(7)
        self.policy = rng.normal(size=(3, game.num_points, game.num_actions))
        self.value = rng.normal(size=(3, game.num_points))

    def evaluate(self, positions, rows, legal, keys):
        logits = np.zeros((len(rows), self.game.num_actions), np.float32)
        values = np.zeros(len(rows), np.float32)
        for i, row in enumerate(rows):
            stones, turn = positions.stones[row], int(positions.turn[row])
            points = np.arange(self.game.num_points)
            logits[i] = self.spread * np.sin(self.policy[stones, points].sum(0) + turn)
            values[i] = np.sin(self.value[stones, points].sum() + turn)
        return logits, values


class StubEvaluator:
    """The same logits and value everywhere."""

    def __init__(self, logits, value=0.0):
        self.logits, self.value = np.asarray(logits, np.float32), value

    def evaluate(self, positions, rows, legal, keys):
        return np.tile(self.logits, (len(rows), 1)), np.full(len(rows), self.value, np.float32)
