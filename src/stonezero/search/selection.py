"""How a descent chooses its next edge: plain PUCT's choice, its variants, UCT, and rules for roots alone.

    c_base           c_puct + log((1 + N(s) + c_base) / c_base) in place of c_puct (Silver et al. 2018)
    adaptive lambda  N(s) ** min(exponent + exponent_slope * depth, exponent_max) in place of sqrt(N(s)); a
                     greater exponent explores more. Depth is that of s, 0 at the root
    absolute FPU     an unvisited move is worth `fpu_value`
    UCT              Q(s, a) + c_puct * sqrt(ln N(s) / N(s, a)), unvisited moves first, the likely ones before
                     the others (UCB1; Kocsis & Szepesvari, ECML 2006)
    roots            forced playouts (KataGo, Wu 2019, 3.2), or a Gumbel root (`gumbel.py`)

A descent without any of these takes `best_edge` alone: the others are compiled apart from it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.jit import inlined_kernel, kernel
from stonezero.search.gumbel import gumbel_edge
from stonezero.search.tree import NO_EDGE, ROOT, Tree, swap_unopened

PUCT, UCT = 0, 1
"""Codes of `PuctSettings.selection`."""

SELECTIONS = {"puct": PUCT, "uct": UCT}

PLAIN, FORCED, GUMBEL = 0, 1, 2
"""How the next edge is chosen at a root: as elsewhere, forced playouts first, or as of `search.gumbel`."""


class PuctSettings(NamedTuple):
    """What selection and back-up always need; numbers as in conf/search."""

    c_puct: float
    fpu_reduction: float
    virtual_loss: int
    edge_reserve: int  #: edges kept free in each tree: leaves per wave times actions


METHOD_NUMBERS = np.dtype(
    [
        ("c_base", np.float64),  # 0 for none
        ("exponent", np.float64),  # 0.5 is plain
        ("exponent_slope", np.float64),
        ("exponent_max", np.float64),
        ("fpu_value", np.float64),
        ("forced_playouts", np.float64),
        ("c_visit", np.float64),  # of `search.gumbel`, as is `c_scale`
        ("c_scale", np.float64),
        ("selection", np.int64),  # PUCT or UCT
        ("is_fpu_absolute", np.int64),
        ("max_depth", np.int64),  # 0 for none
        ("stop_visits", np.int64),  # 0 for none
    ],
    align=True,
)
"""Numbers of the variants, as in conf/search: one record, since fields of a NamedTuple cost time per call."""


class Methods(NamedTuple):
    """The variants that are on, and how each game's root chooses."""

    numbers: NDArray[Any]  #: METHOD_NUMBERS[1]
    rule: NDArray[np.int8]  #: int8[G]: PLAIN, FORCED or GUMBEL
    noise: NDArray[np.float32]  #: float32[G, A]: for GUMBEL; A may be 0 where there is none
    sequence: NDArray[np.int32]  #: int32[G, simulations]: for GUMBEL, as of `considered_visits`


def plain_numbers() -> NDArray[Any]:
    """METHOD_NUMBERS[1] of plain PUCT."""
    numbers = np.zeros(1, METHOD_NUMBERS)
    numbers["exponent"] = 0.5
    return numbers


@inlined_kernel
def best_edge(tree: Tree, game: int, index: int, factor: np.float32, urgency: np.float32) -> int:
    """The edge of an expanded, non-terminal node with the highest Q + factor * P / (1 + N).

    An unvisited move has `urgency` as Q.
    """
    node = tree.nodes[game, index]
    first_unopened = node.first_edge + node.num_opened
    best = NO_EDGE
    best_score = np.float32(-np.inf)
    for edge in range(node.first_edge, first_unopened):
        score = tree.mean_value[game, edge] + factor * tree.exploration[game, edge]
        if score > best_score:
            best, best_score = edge, score
    has_unopened = node.num_opened < node.num_children
    if has_unopened and urgency + factor * tree.prior[game, first_unopened] > best_score:
        best = first_unopened
    return best


@inlined_kernel
def is_plain(methods: Methods) -> bool:
    """Whether every node below the root chooses as plain PUCT does."""
    numbers = methods.numbers[0]
    is_growth_plain = numbers.c_base == 0.0 and numbers.exponent == 0.5 and numbers.exponent_slope == 0.0
    return is_growth_plain and numbers.selection == PUCT and numbers.is_fpu_absolute == 0


@kernel
def chosen_edge(
    tree: Tree, settings: PuctSettings, methods: Methods, game: int, index: int, depth: int
) -> int:
    """The edge of an expanded, non-terminal node, `depth` plies below the root, under any rule.

    An unopened edge comes first among the unopened, whichever it is.
    """
    numbers = methods.numbers[0]
    edge = NO_EDGE
    if index == ROOT and methods.rule[game] == GUMBEL:
        edge = gumbel_edge(tree, numbers, game, methods.noise[game], methods.sequence[game])
        front = tree.nodes[game, ROOT].first_edge + tree.nodes[game, ROOT].num_opened
        if edge > front:
            swap_unopened(tree, game, front, edge)
            edge = front
    elif index == ROOT and methods.rule[game] == FORCED:
        edge = forced_edge(tree, numbers.forced_playouts, game)
    if edge == NO_EDGE and numbers.selection == UCT:
        edge = uct_edge(tree, settings, game, index)
    elif edge == NO_EDGE:
        node = tree.nodes[game, index]
        urgency = numbers.fpu_value
        if numbers.is_fpu_absolute == 0:
            urgency = node.value_sum / max(node.visit_count, 1) - settings.fpu_reduction
        factor = np.float32(exploration(settings.c_puct, methods.numbers, node.visit_count, depth))
        edge = best_edge(tree, game, index, factor, np.float32(urgency))
    return edge


@kernel
def exploration(c_puct: float, numbers: NDArray[Any], visit_count: int, depth: int) -> float:
    """What PUCT multiplies P / (1 + N) with in a node with these visits at this depth.

    numbers METHOD_NUMBERS[1].
    """
    c = c_puct
    if numbers[0].c_base > 0.0:
        c += np.log((1.0 + visit_count + numbers[0].c_base) / numbers[0].c_base)
    if numbers[0].exponent_slope > 0.0:
        exponent = min(numbers[0].exponent + numbers[0].exponent_slope * depth, numbers[0].exponent_max)
        growth = np.float64(visit_count) ** exponent
    elif numbers[0].exponent != 0.5:
        growth = np.float64(visit_count) ** numbers[0].exponent
    else:
        growth = np.sqrt(np.float64(visit_count))
    return c * growth


@inlined_kernel
def uct_edge(tree: Tree, settings: PuctSettings, game: int, index: int) -> int:
    """The first unopened edge where there is one, else the one of the highest upper confidence bound."""
    node = tree.nodes[game, index]
    first_unopened = node.first_edge + node.num_opened
    factor = settings.c_puct * np.sqrt(np.log(node.visit_count))
    best = first_unopened
    if node.num_opened == node.num_children:
        best_score = -np.inf
        for edge in range(node.first_edge, first_unopened):
            losses = settings.virtual_loss * tree.pending[game, edge]
            count = tree.nodes[game, tree.child[game, edge]].visit_count + losses
            score = tree.mean_value[game, edge] + factor / np.sqrt(count)
            if score > best_score:
                best, best_score = edge, score
    return best


@inlined_kernel
def forced_edge(tree: Tree, forced_playouts: float, game: int) -> int:
    """The first visited edge of the root with fewer than sqrt(k * P * total visits) visits, or NO_EDGE.

    Forced playouts with k = `forced_playouts`, so that noise is given a chance;
    `search.targets.prune_forced` takes them out of the policy target.
    """
    root = tree.nodes[game, ROOT]
    total = root.visit_count - 1
    forced = NO_EDGE
    for edge in range(root.first_edge, root.first_edge + root.num_opened):
        count = tree.nodes[game, tree.child[game, edge]].visit_count + tree.pending[game, edge]
        if forced == NO_EDGE and count * count < forced_playouts * tree.prior[game, edge] * total:
            forced = edge
    return forced
