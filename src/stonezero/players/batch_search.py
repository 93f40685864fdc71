"""Search for many games at once: the place where trees, rules and evaluations meet.

A wave takes the next leaf of every game still searching, asks the evaluator about all of them in one
call and backs the answers up:

    begin with unexpanded roots → select → play → settle finished games → evaluate → expand, back up
"""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.candidates import mark_candidates, rules_of
from stonezero.games.game import Game
from stonezero.games.position import ONGOING, Positions
from stonezero.players.evaluators import Evaluator
from stonezero.players.keys import keys_of_plies
from stonezero.players.rows import advance_root, note_leaves, settle
from stonezero.players.settings import SearchSettings
from stonezero.search import puct, root, selection
from stonezero.search.gumbel import RootAnswer, considered_visits
from stonezero.search.tree import (
    ROOT,
    UNEXPANDED,
    allocate_tree,
    plant_root,
)


class RootStatistics(NamedTuple):
    """What a finished search says about its root, by move."""

    visits: NDArray[np.int32]  #: int32[A]
    priors: NDArray[np.float32]  #: float32[A]: root noise included
    values: NDArray[np.float32]  #: float32[A]: mean value for the side to move, 0 where unvisited
    value: float  #: mean value of the root for the side to move


class RootVisits(NamedTuple):
    """How often a finished search visited each of its root's children."""

    by_move: NDArray[np.int32]  #: int32[A]
    moves: NDArray[np.int16]  #: int16[V]: the visited moves, in rising order
    counts: NDArray[np.int32]  #: int32[V]: their visits


class BatchSearch:
    """One search tree for each of `num_slots` games. All memory is allocated here, once."""

    def __init__(
        self, game: Game, evaluator: Evaluator, settings: SearchSettings, num_slots: int, max_simulations: int
    ) -> None:
        self.game = game
        self.evaluations = np.zeros(num_slots, np.int64)  #: leaves evaluated so far, by slot
        self.num_simulations = 0  #: asked for so far
        self._evaluator = evaluator
        self._settings = settings
        self._puct = settings.for_kernels(game.num_actions)
        self._num_nodes = max_simulations + 2
        num_edges = (self._num_nodes + settings.leaves_per_wave) * game.num_actions
        self.tree = allocate_tree(num_slots, self._num_nodes, num_edges)
        self.positions = game.new_positions(num_slots * self._num_nodes)
        max_leaves = num_slots * settings.leaves_per_wave
        self._wave = puct.allocate_wave(max_leaves)
        self._legal = np.zeros((max_leaves, game.num_actions), np.uint8)
        self._budget = np.zeros(num_slots, np.int32)
        self._wanted = np.zeros(num_slots, np.int32)
        self._game_keys = np.zeros(num_slots, np.uint64)
        self._search_keys = np.zeros(num_slots, np.uint64)
        self._leaf_keys = np.zeros(max_leaves, np.uint64)
        num_actions = game.num_actions
        self._visits = RootVisits(
            np.zeros(num_actions, np.int32), np.zeros(num_actions, np.int16), np.zeros(num_actions, np.int32)
        )
        self._kept = np.zeros(self._num_nodes, np.int32)
        has_gumbel = settings.gumbel.considered > 0
        self._methods = selection.Methods(
            numbers=settings.method_numbers(),
            rule=np.zeros(num_slots, np.int8),
            noise=np.zeros((num_slots, num_actions * has_gumbel), np.float32),
            sequence=np.zeros((num_slots, max_simulations * has_gumbel), np.int32),
        )
        self._limits = settings.limits
        self._rules = rules_of(game) if settings.limits.is_on else None
        self._candidates = np.zeros((max_leaves * settings.limits.is_on, num_actions), np.uint8)

    @property
    def num_evaluations(self) -> int:
        """Leaves evaluated so far, of all slots."""
        return int(self.evaluations.sum())

    def root_row(self, slot: int) -> int:
        """Row of `positions` that holds the slot's root."""
        return slot * self._num_nodes

    def set_root(self, slot: int, positions: Positions, row: int, key: int) -> None:
        """Start a new tree at a copy of a position; all randomness of evaluations derives from `key`."""
        base = self.root_row(slot)
        for field in range(len(Positions._fields)):
            self.positions[field][base] = positions[field][row]
        self._game_keys[slot] = key
        plant_root(self.tree, slot, int(self.positions.turn[base]))
        self._budget[slot] = 0

    def advance(self, slot: int, move: int) -> None:
        """Play `move` at the slot's root, keeping the subtree below it where `reuse_tree` says so."""
        if self._settings.reuse_tree and advance_root(self.tree, self.positions, slot, move, self._kept):
            return
        base = self.root_row(slot)
        row, moves = np.array([base], np.int64), np.array([move], np.int16)
        self.game.play(self.positions, row, moves, row, self._legal[:1])
        plant_root(self.tree, slot, int(self.positions.turn[base]))

    def set_budget(self, slot: int, simulations: int) -> None:
        """Search until the root's children have `simulations` visits, those of a kept subtree included."""
        visits = self.tree.nodes["visit_count"].item(slot, ROOT)
        row = self.root_row(slot)
        is_over = self.positions.status.item(row) != ONGOING
        budget = 0 if is_over else max(simulations - max(visits - 1, 0), 0)
        keys, plies = self._game_keys[slot : slot + 1], self.positions.ply[row : row + 1]
        self._search_keys[slot] = keys_of_plies(keys, plies)[0]
        self._budget[slot] = budget
        self._methods.rule[slot] = selection.PLAIN
        self.num_simulations += budget

    def is_expanded(self, slot: int) -> bool:
        """Whether the root has been evaluated, so that noise can be mixed into its prior."""
        return bool(self.tree.nodes["num_children"].item(slot, ROOT) != UNEXPANDED)

    def mix_root_noise(self, slot: int, fraction: float, noise: NDArray[np.float32]) -> None:
        """See `stonezero.search.root.mix_root_noise`."""
        root.mix_root_noise(self.tree, slot, fraction, noise)

    def force_playouts(self, slot: int) -> None:
        """Let the search of this budget force playouts of the root's moves, as many as the settings say."""
        self._methods.rule[slot] = selection.FORCED

    def begin_gumbel(self, slot: int, noise: NDArray[np.float32]) -> None:
        """Search an expanded root with this budget by sequential halving; noise float32[A], Gumbel or 0."""
        most = int(self.tree.nodes["num_children"][slot, ROOT])
        sequence = considered_visits(min(self._settings.gumbel.considered, most), int(self._budget[slot]))
        self._methods.sequence[slot, : len(sequence)] = sequence
        self._methods.noise[slot] = noise
        self._methods.rule[slot] = selection.GUMBEL

    def idle(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of `slots` whose search is over."""
        return slots[self._budget[slots] <= 0]

    def wave(self, slots: NDArray[np.int64]) -> None:
        """One leaf (or `leaves_per_wave`) for each of `slots`, all of them still searching.

        A game whose root has no evaluation yet takes part with the root alone.
        """
        wave, legal = self._wave, self._legal
        roots = puct.begin_wave(self.tree, slots, self._settings.leaves_per_wave, self._wanted, wave)
        if roots:
            self.game.legal_moves(self.positions, wave.row[:roots], legal[:roots])
        count = puct.select(
            self.tree, self._puct, slots, self._wanted, self._budget, wave, roots, self._methods
        )
        if count > roots:
            new = slice(roots, count)
            self.game.play(self.positions, wave.parent_row[new], wave.move[new], wave.row[new], legal[new])
            count = settle(self.tree, self._puct, wave, roots, count, self.positions, legal)
        if count:
            self._evaluate(count)

    def run(self, slots: NDArray[np.int64], deadline: float | None = None) -> None:
        """Waves until none of `slots` is searching, or `time.monotonic()` has passed `deadline`.

        Every search gets its root's evaluation and one visit below it, however late it is.
        """
        num_waves = 0
        while len(slots := slots[self._budget[slots] > 0]):
            if deadline is not None and num_waves >= 2 and time.monotonic() >= deadline:
                self._budget[slots] = 0
                break
            self.wave(slots)
            num_waves += 1

    def visits(self, slot: int) -> RootVisits:
        """The root's visits, in arrays that the next call writes anew, and its value."""
        found = self._visits
        num_visited = root.list_visits(self.tree, slot, found.by_move, found.moves, found.counts)
        return RootVisits(found.by_move, found.moves[:num_visited], found.counts[:num_visited])

    def root_value(self, slot: int) -> float:
        """Mean value of the root for the side to move."""
        nodes = self.tree.nodes
        visits: int = nodes["visit_count"].item(slot, ROOT)
        return float(nodes["value_sum"].item(slot, ROOT)) / max(visits, 1)

    def statistics(self, slot: int) -> RootStatistics:
        """The root's figures, in fresh arrays."""
        visits = np.empty(self.game.num_actions, np.int32)
        priors = np.empty(self.game.num_actions, np.float32)
        values = np.empty(self.game.num_actions, np.float32)
        root.root_statistics(self.tree, slot, visits, priors, values)
        return RootStatistics(visits, priors, values, self.root_value(slot))

    def answer(self, slot: int) -> RootAnswer:
        """What decisions by values need: as `statistics`, with the root's own evaluation."""
        found = self.statistics(slot)
        of_children = float((found.visits * found.values.astype(np.float64)).sum())
        own_value = float(self.tree.nodes["value_sum"][slot, ROOT]) - of_children
        return RootAnswer(found.visits, found.priors, found.values, own_value)

    def exploration(self, slot: int) -> float:
        """What PUCT multiplies P / (1 + N) with at the root."""
        visits = self.tree.nodes["visit_count"].item(slot, ROOT)
        return float(selection.exploration(self._puct.c_puct, self._methods.numbers, int(visits), 0))

    def _evaluate(self, count: int) -> None:
        wave, legal, keys = self._wave, self._legal[:count], self._leaf_keys[:count]
        note_leaves(wave, self._search_keys, self._settings.evaluation.cost, self.evaluations, keys)
        logits, values = self._evaluator.evaluate(self.positions, wave.row[:count], legal, keys)
        if self._rules is not None:
            candidates = self._candidates[:count]
            mark_candidates(
                self.positions, self._rules, self._limits, wave.row[:count], legal, logits, candidates
            )
            legal = candidates
        if not puct.expand_and_back_up(self.tree, self._puct, wave, count, legal, logits, values):
            raise UserError("the network answers with NaN: its weights are damaged or its training diverged")
