"""Gumbel search at the root: sequential halving over moves drawn without replacement.

Danihelka, Guez, Schrittwieser, Silver: Policy improvement by planning with Gumbel, ICLR 2022. The root's
moves get Gumbel noise once per search; the `num_considered` moves with the highest noise + logit share the
simulations, half of them dropping out after each round by noise + logit + sigma(Q). Below the root it is
plain PUCT. The policy target is softmax(logit + sigma(completed Q)) over all legal moves.

Departures: Q is mapped from [-1, 1] to [0, 1] and not rescaled by its range in the tree; noise is
multiplied by the move temperature (1 is the paper; 0 plays the best move found, as in matches).
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import inlined_kernel
from stonezero.search.tree import NO_EDGE, ROOT, Tree

LOWEST_PRIOR = 1e-38
"""Keeps logarithms of priors that underflowed finite."""


class GumbelSettings(NamedTuple):
    """Numbers as in conf/search."""

    considered: int = 0  #: most moves that share the simulations; 0 for no Gumbel search
    c_visit: float = 50.0  #: sigma(q) = (c_visit + greatest visit count) * c_scale * q, with q in [0, 1]
    c_scale: float = 1.0


class RootAnswer(NamedTuple):
    """What is known of a searched root, by move."""

    visits: NDArray[np.int32]  #: int32[A]
    priors: NDArray[np.float32]  #: float32[A], 0 on illegal moves
    values: NDArray[np.float32]  #: float32[A]: for the side to move, of visited moves
    own_value: float  #: the evaluation of the root itself

    def only(self, allowed: NDArray[Any]) -> "RootAnswer":
        """As if moves that are not allowed (bool[A] or 0 and 1) were illegal."""
        visits, priors = np.where(allowed, self.visits, 0), np.where(allowed, self.priors, 0)
        return self._replace(visits=visits, priors=priors)


@cache
def considered_visits(num_considered: int, num_simulations: int) -> NDArray[np.int32]:
    """int32[num_simulations]: entry i is the visit count of the moves that simulation i chooses among.

    `num_considered` moves share the simulations in ceil(log2(num_considered)) rounds of about equal cost;
    after a round the better half goes on, never fewer than two. Any simulations left over go to the last two.
    """
    if num_considered <= 1:
        return np.arange(num_simulations, dtype=np.int32)
    num_rounds = int(np.ceil(np.log2(num_considered)))
    sequence: list[int] = []
    visited, alive = 0, num_considered
    while len(sequence) < num_simulations:
        for _ in range(max(1, num_simulations // (num_rounds * alive))):
            sequence += [visited] * alive
            visited += 1
        alive = max(2, alive // 2)
    return np.array(sequence[:num_simulations], np.int32)


@inlined_kernel
def gumbel_edge(
    tree: Tree,
    settings: Any,
    game: int,
    noise: NDArray[np.float32],
    sequence: NDArray[np.int32],
) -> int:
    """The root's edge that the next simulation goes through; pending descents count as visits.

    settings: whatever has `c_visit` and `c_scale` (in a search, a record of `selection.METHOD_NUMBERS`).

    noise float32[A]; sequence int32[simulations] as of `considered_visits`. The greatest visit count that
    sigma needs is that at the end of the last round, so that all moves of a round are ranked alike. Where no
    edge has the visits that the sequence asks for, it is one with the fewest.
    """
    root = tree.nodes[game, ROOT]
    first, opened = root.first_edge, root.first_edge + root.num_opened
    total, fewest = 0, 0 if root.num_opened < root.num_children else 2**31
    for edge in range(first, opened):
        count = tree.nodes[game, tree.child[game, edge]].visit_count + tree.pending[game, edge]
        total += count
        fewest = min(fewest, count)
    wanted = sequence[total] if total < sequence.shape[0] else fewest
    best, best_score = NO_EDGE, -np.inf
    while best == NO_EDGE:
        scale = (settings.c_visit + wanted) * settings.c_scale
        for edge in range(first, first + root.num_children):
            count = 0
            score = noise[tree.move[game, edge]] + np.log(max(tree.prior[game, edge], LOWEST_PRIOR))
            if edge < opened:
                count = tree.nodes[game, tree.child[game, edge]].visit_count + tree.pending[game, edge]
                score += scale * 0.5 * (1.0 + tree.mean_value[game, edge])
            if count == wanted and score > best_score:
                best, best_score = edge, score
        wanted = fewest
    return best


def completed_values(answer: RootAnswer) -> NDArray[np.float64]:
    """float64[A]: Q of visited moves, and for all others the mixed value (paper, appendix D).

    The mixed value weighs the root's own evaluation against the visited moves' Q, these by their priors.
    """
    is_visited = answer.visits > 0
    num_visits = int(answer.visits.sum())
    mixed = answer.own_value
    if num_visits:
        priors = np.maximum(answer.priors[is_visited].astype(np.float64), LOWEST_PRIOR)
        visited_value = float((priors * answer.values[is_visited]).sum() / priors.sum())
        mixed = (answer.own_value + num_visits * visited_value) / (1 + num_visits)
    return np.where(is_visited, answer.values.astype(np.float64), mixed)


def improved_logits(answer: RootAnswer, settings: GumbelSettings) -> NDArray[np.float64]:
    """float64[A]: logit + sigma(completed Q); -inf on illegal moves."""
    scale = (settings.c_visit + int(answer.visits.max())) * settings.c_scale
    logits = np.log(np.maximum(answer.priors.astype(np.float64), LOWEST_PRIOR))
    improved = logits + scale * 0.5 * (1.0 + completed_values(answer))
    return np.where(answer.priors > 0, improved, -np.inf)


def improved_policy(answer: RootAnswer, settings: GumbelSettings) -> NDArray[np.float64]:
    """float64[A]: softmax of `improved_logits`, the policy target; sums to 1, whatever the mask."""
    logits = improved_logits(answer, settings)
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def gumbel_move(answer: RootAnswer, settings: GumbelSettings, noise: NDArray[np.float32]) -> int:
    """The move played: highest noise + logit + sigma(Q) among the most visited ones."""
    scores = improved_logits(answer, settings) + noise
    return int(np.argmax(np.where(answer.visits == answer.visits.max(), scores, -np.inf)))
