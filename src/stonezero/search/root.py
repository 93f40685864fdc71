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
def list_visits(
    tree: Tree,
    game: int,
    visits: NDArray[np.int32],
    moves: NDArray[np.int16],
    counts: NDArray[np.int32],
) -> int:
    """Write visits int32[A] by move, and the visited moves in rising order.

    They go into moves int16[A], their visits into counts int32[A]. Returns how many moves were visited.
    """
    visits[:] = 0
    root = tree.nodes[game, ROOT]
    for edge in range(root.first_edge, root.first_edge + root.num_opened):
        visits[tree.move[game, edge]] = tree.nodes[game, tree.child[game, edge]].visit_count
    num_visited = 0
    for move in range(visits.shape[0]):
        if visits[move] > 0:
            moves[num_visited] = move
            counts[num_visited] = visits[move]
            num_visited += 1
    return num_visited


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


@kernel
def weigh_visits(visits: NDArray[np.int32], temperature: float, weights: NDArray[np.float64]) -> float:
    """Write weights float64[A] in proportion to visits ** (1 / temperature); returns their sum.

    Computed from logarithms, so that small temperatures neither overflow nor underflow. Ties weigh the same,
    except at temperature 0, where all weight is on the most visited move with the lowest index.
    """
    best = 0
    for move in range(visits.shape[0]):
        if visits[move] > visits[best]:
            best = move
    total = 0.0
    for move in range(visits.shape[0]):
        if temperature == 0.0 or visits[move] == 0:
            weights[move] = 1.0 if move == best else 0.0
        else:
            weights[move] = np.exp((np.log(visits[move]) - np.log(visits[best])) / temperature)
        total += weights[move]
    return total


@kernel
def weighted_choice(weights: NDArray[np.float64], threshold: float) -> int:
    """The index at which the running sum of weights float64[A] passes `threshold`, below their sum."""
    chosen = 0
    running = 0.0
    for move in range(weights.shape[0]):
        if weights[move] > 0.0:
            chosen = move
            running += weights[move]
            if running > threshold:
                break
    return chosen


def move_probabilities(visits: NDArray[np.int32], temperature: float) -> NDArray[np.float64]:
    """visits ** (1 / temperature), normalised: float64[A]. See `weigh_visits`."""
    weights = np.empty(visits.shape[0])
    total = weigh_visits(visits, float(temperature), weights)
    return weights / total


def choose_move(visits: NDArray[np.int32], temperature: float, uniform: float) -> int:
    """The move that `uniform`, a number in [0, 1), falls on."""
    weights = np.empty(visits.shape[0])
    total = weigh_visits(visits, float(temperature), weights)
    return int(weighted_choice(weights, uniform * total))
