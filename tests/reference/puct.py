"""PUCT search in plain Python, written from the formula: the twin of stonezero.search.

One game, one leaf at a time, nodes as objects. Rules come from the game kernels, one row at a time.
"""

import math

import numpy as np

from stonezero.games.position import DRAW, ONGOING


class Node:
    def __init__(self, positions, turn):
        self.positions = positions
        self.turn = turn
        self.priors = None
        self.children = {}
        self.visits = 0
        self.value_sum = 0.0
        self.result = None

    def edge(self, move):
        """Visits and mean value of a child, seen by the side to move here."""
        child = self.children[move]
        sign = 1 if child.turn == self.turn else -1
        return child.visits, sign * child.value_sum / child.visits


class PlainSearch:
    def __init__(self, game, evaluator, c_puct, fpu_reduction):
        self.game, self.evaluator = game, evaluator
        self.c_puct, self.fpu_reduction = c_puct, fpu_reduction

    def root(self, positions, row):
        copy = self.game.new_positions(1)
        for mine, theirs in zip(copy, positions, strict=True):
            mine[0] = theirs[row]
        return Node(copy, int(copy.turn[0]))

    def simulate(self, root):
        path, node = [root], root
        while node.priors is not None and node.result is None:
            move = self.best_move(node)
            if move not in node.children:
                node.children[move] = self.make_child(node, move)
            node = node.children[move]
            path.append(node)
        value = node.result if node.result is not None else self.expand(node)
        for ancestor in path:
            ancestor.visits += 1
            ancestor.value_sum += value if ancestor.turn == node.turn else -value

    def best_move(self, node):
        """Opened moves in the order of opening, then the unopened one with the highest prior."""
        unopened = [move for move in node.priors if move not in node.children]
        candidates = [*node.children, *([max(unopened, key=node.priors.get)] if unopened else [])]
        return max(candidates, key=lambda move: self.score(node, move))

    def score(self, node, move):
        """Rounded to float32 where the kernels store float32, so that both see the same ties."""
        factor = np.float32(self.c_puct * math.sqrt(node.visits))
        if move not in node.children:
            urgency = np.float32(node.value_sum / node.visits - self.fpu_reduction)
            return urgency + factor * node.priors[move]
        count, value = node.edge(move)
        return np.float32(value) + factor * np.float32(float(node.priors[move]) / (1 + count))

    def make_child(self, node, move):
        child = self.root(node.positions, 0)
        row = np.zeros(1, np.int64)
        legal = np.zeros((1, self.game.num_actions), np.uint8)
        self.game.play(child.positions, row, np.array([move], np.int16), row, legal)
        child.turn = int(child.positions.turn[0])
        status = int(child.positions.status[0])
        if status != ONGOING:
            child.result = 0.0 if status == DRAW else (1.0 if status == child.turn else -1.0)
        return child

    def expand(self, node):
        row = np.zeros(1, np.int64)
        legal = np.zeros((1, self.game.num_actions), np.uint8)
        self.game.legal_moves(node.positions, row, legal)
        logits, values = self.evaluator.evaluate(node.positions, row, legal, np.zeros(1, np.uint64))
        moves = [int(move) for move in np.flatnonzero(legal[0])]
        weights = np.exp(logits[0, moves] - logits[0, moves].max())
        node.priors = dict(zip(moves, weights / weights.sum(), strict=True))
        return float(values[0])
