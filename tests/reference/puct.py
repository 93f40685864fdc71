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
    """Numbers as in conf/search; `forced_playouts` hold at the root that is searched."""

    def __init__(
        self,
        game,
        evaluator,
        c_puct,
        fpu_reduction,
        selection="puct",
        c_base=0.0,
        visit_exponent=0.5,
        visit_exponent_slope=0.0,
        visit_exponent_max=0.9,
        fpu_value=None,
        max_depth=math.inf,
        stop_visits=math.inf,
        forced_playouts=0.0,
    ):
        self.game, self.evaluator = game, evaluator
        self.c_puct, self.fpu_reduction, self.fpu_value = c_puct, fpu_reduction, fpu_value
        self.selection, self.c_base, self.forced_playouts = selection, c_base, forced_playouts
        self.exponents = visit_exponent, visit_exponent_slope, visit_exponent_max
        self.max_depth, self.stop_visits = max_depth, stop_visits

    def root(self, positions, row):
        copy = self.game.new_positions(1)
        for mine, theirs in zip(copy, positions, strict=True):
            mine[0] = theirs[row]
        return Node(copy, int(copy.turn[0]))

    def simulate(self, root):
        path, node = [root], root
        while node.priors is not None and node.result is None and not self.is_stopped(node, len(path) - 1):
            move = self.best_move(node, len(path) - 1)
            if move not in node.children:
                node.children[move] = self.make_child(node, move)
            node = node.children[move]
            path.append(node)
        if node.result is not None:
            value = node.result
        elif node.priors is None:
            value = self.expand(node)
        else:
            value = node.value_sum / node.visits
        for ancestor in path:
            ancestor.visits += 1
            ancestor.value_sum += value if ancestor.turn == node.turn else -value

    def is_stopped(self, node, depth):
        return depth > 0 and (depth >= self.max_depth or node.visits > self.stop_visits)

    def best_move(self, node, depth):
        """Opened moves in the order of opening, then the unopened one with the highest prior."""
        unopened = [move for move in node.priors if move not in node.children]
        if depth == 0 and self.forced_playouts:
            for move, child in node.children.items():
                if child.visits < math.sqrt(self.forced_playouts * node.priors[move] * (node.visits - 1)):
                    return move
        if self.selection == "uct" and unopened:
            return max(unopened, key=node.priors.get)
        candidates = [*node.children, *([max(unopened, key=node.priors.get)] if unopened else [])]
        return max(candidates, key=lambda move: self.score(node, move, depth))

    def score(self, node, move, depth):
        """Rounded to float32 where the kernels store float32, so that both see the same ties."""
        if self.selection == "uct":
            count, value = node.edge(move)
            factor = np.float32(self.c_puct * math.sqrt(math.log(node.visits)))
            return np.float32(value) + factor * np.float32(1 / math.sqrt(count))
        start, slope, highest = self.exponents
        exponent = min(start + slope * depth, highest) if slope else start
        growth = math.sqrt(node.visits) if exponent == 0.5 else node.visits**exponent
        c = self.c_puct
        if self.c_base:
            c += math.log((1 + node.visits + self.c_base) / self.c_base)
        factor = np.float32(c * growth)
        if move not in node.children:
            urgency = np.float32(node.value_sum / node.visits - self.fpu_reduction)
            if self.fpu_value is not None:
                urgency = np.float32(self.fpu_value)
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
