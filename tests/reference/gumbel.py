"""Gumbel search in plain Python, written from the paper round by round: the twin of stonezero.search.gumbel.

Danihelka et al., ICLR 2022: algorithm 2 (sequential halving with Gumbel) and appendix D (mixed value). Values
are mapped to [0, 1] before sigma, as in our own search. Below the root it is the plain PUCT of `puct.py`.
"""

import math

from tests.reference.puct import PlainSearch


def halving_rounds(num_moves, num_simulations):
    """Pairs (moves alive, passes over them) until the simulations are used up."""
    log2 = max(math.ceil(math.log2(num_moves)), 1)
    alive, used = num_moves, 0
    while used < num_simulations:
        passes = max(num_simulations // (log2 * alive), 1)
        yield alive, passes
        used += alive * passes
        alive = max(alive // 2, min(2, num_moves))


class PlainGumbel:
    def __init__(self, game, evaluator, c_puct, fpu_reduction, considered, c_visit=50.0, c_scale=1.0):
        self.search = PlainSearch(game, evaluator, c_puct, fpu_reduction)
        self.considered, self.c_visit, self.c_scale = considered, c_visit, c_scale

    def run(self, positions, row, noise, num_simulations):
        """The searched root; `move` and `policy` say what comes of it."""
        root = self.search.root(positions, row)
        self.search.simulate(root)
        self.own_value = root.value_sum
        moves = sorted(root.priors)
        alive = sorted(moves, key=lambda move: -(noise[move] + math.log(root.priors[move])))
        alive = alive[: min(self.considered, len(moves))]
        left = num_simulations
        for num_alive, passes in halving_rounds(len(alive), num_simulations):
            alive = self.ranked(root, alive, noise)[:num_alive]
            for _ in range(passes):
                for move in self.ranked(root, alive, noise):
                    if left == 0:
                        return root
                    self.simulate_through(root, move)
                    left -= 1
        return root

    def simulate_through(self, root, move):
        if move not in root.children:
            root.children[move] = self.search.make_child(root, move)
        child = root.children[move]
        before = child.value_sum
        self.search.simulate(child)
        gained = child.value_sum - before
        root.visits += 1
        root.value_sum += gained if child.turn == root.turn else -gained

    def ranked(self, root, moves, noise):
        most = max((child.visits for child in root.children.values()), default=0)
        return sorted(moves, key=lambda move: -self.score(root, move, noise, most))

    def score(self, root, move, noise, most):
        score = noise[move] + math.log(root.priors[move])
        if move in root.children:
            score += (self.c_visit + most) * self.c_scale * (1 + root.edge(move)[1]) / 2
        return score

    def move(self, root, noise):
        most = max(child.visits for child in root.children.values())
        finalists = [move for move, child in root.children.items() if child.visits == most]
        return max(finalists, key=lambda move: self.score(root, move, noise, most))

    def policy(self, root):
        """softmax(logit + sigma(completed Q)) by move."""
        visited = list(root.children)
        total = sum(root.children[move].visits for move in visited)
        mass = sum(root.priors[move] for move in visited)
        mean = sum(root.priors[move] * root.edge(move)[1] for move in visited) / mass if visited else 0
        mixed = (self.own_value + total * mean) / (1 + total)
        most = max((child.visits for child in root.children.values()), default=0)
        scale = (self.c_visit + most) * self.c_scale
        logits = {}
        for move, prior in root.priors.items():
            value = root.edge(move)[1] if move in root.children else mixed
            logits[move] = math.log(prior) + scale * (1 + value) / 2
        highest = max(logits.values())
        weights = {move: math.exp(logit - highest) for move, logit in logits.items()}
        return {move: weight / sum(weights.values()) for move, weight in weights.items()}
