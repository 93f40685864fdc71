"""What is done at a root: noise before the search, the visits and the choice of a move after it."""

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import kernel
from stonezero.search.tree import ROOT, Tree, bring_best_unopened_forward


@kernel
def mix_root_noise(tree: Tree, game: int, fraction: float, noise: NDArray[np.float32]) -> None:
    """P = (1 - fraction) * P + fraction * noise, noise normalised over the root's moves.

    noise float32[A] holds one gamma variate per action: those of legal moves, normalised, are a
    Dirichlet draw over legal moves alone.
    """
    root = tree.nodes[game, ROOT]
    first, end = root.first_edge, root.first_edge + root.num_children
    total = 0.0
    for edge in range(first, end):
        total += noise[tree.move[game, edge]]
    if total <= 0.0:
        return
    for edge in range(first, end):
        share = noise[tree.move[game, edge]] / total
        tree.prior[game, edge] = (1.0 - fraction) * tree.prior[game, edge] + fraction * share
        if edge < first + root.num_opened:
            visits = tree.nodes[game, tree.child[game, edge]].visit_count
            tree.exploration[game, edge] = tree.prior[game, edge] / (1 + visits)
    bring_best_unopened_forward(tree, game, ROOT)


@kernel
def root_statistics(
    tree: Tree,
    game: int,
    visits: NDArray[np.int32],
    priors: NDArray[np.float32],
    values: NDArray[np.float32],
) -> None:
    """Write visits int32[A], priors float32[A] and mean values float32[A] (0 where unvisited) by move."""
    visits[:] = 0
    priors[:] = 0.0
    values[:] = 0.0
    root = tree.nodes[game, ROOT]
    for edge in range(root.first_edge, root.first_edge + root.num_children):
        move = tree.move[game, edge]
        priors[move] = tree.prior[game, edge]
        if edge < root.first_edge + root.num_opened:
            visits[move] = tree.nodes[game, tree.child[game, edge]].visit_count
            values[move] = tree.mean_value[game, edge]


@kernel
def root_prior_entropy(tree: Tree, game: int) -> float:
    """Entropy of the root's prior in nats."""
    root = tree.nodes[game, ROOT]
    entropy = 0.0
    for edge in range(root.first_edge, root.first_edge + root.num_children):
        prior = tree.prior[game, edge]
        if prior > 0.0:
            entropy -= prior * np.log(prior)
    return entropy


def move_probabilities(visits: NDArray[np.int32], temperature: float) -> NDArray[np.float64]:
    """visits ** (1 / temperature), normalised: float64[A]. At temperature 0 all on the most visited.

    Computed from logarithms, so that small temperatures neither overflow nor underflow; ties share
    evenly, except at temperature 0, where the lowest move wins.
    """
    if temperature == 0:
        probabilities = np.zeros(visits.shape[0])
        probabilities[np.argmax(visits)] = 1.0
        return probabilities
    with np.errstate(divide="ignore"):
        logits = np.log(visits)
    with np.errstate(over="ignore"):
        weights = np.exp((logits - logits.max()) / temperature)
    return weights / weights.sum()


def choose_move(visits: NDArray[np.int32], temperature: float, uniform: float) -> int:
    """The move that `uniform`, a number in [0, 1), falls on."""
    cumulative = np.cumsum(move_probabilities(visits, temperature))
    move = int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
    return min(move, int(np.flatnonzero(visits)[-1]))
