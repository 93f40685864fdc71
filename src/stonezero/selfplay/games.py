"""Playing self-play games, many at once, and recording them.

Every game has its own random stream, made from (seed, generation, game id), and draws from it in an
order that depends on that game alone: so records don't depend on which games share a batch, nor on
the number of workers. Shards, processes and files are in `run.py`.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import SearchConfig, SelfplayConfig
from stonezero.games.game import Game
from stonezero.games.position import ONGOING, Positions
from stonezero.players.batch_search import BatchSearch, search_settings
from stonezero.players.evaluators import Evaluator
from stonezero.records.schema import GameRecord
from stonezero.search.root import choose_move, root_prior_entropy
from stonezero.search.tree import ROOT
from stonezero.selfplay.solved_endings import SolvedEndings


@dataclass
class _Ply:
    """What is recorded of one ply beside the position."""

    move: int
    visit_moves: NDArray[np.int16]
    visit_counts: NDArray[np.int32]
    root_value: float
    prior_entropy: float
    is_opening: bool
    is_solved: bool = False


@dataclass
class _LiveGame:
    """A game under way in a slot."""

    game_id: int
    rng: np.random.Generator
    positions: Positions  #: one row a ply, filled as the game goes on
    plies: list[_Ply] = field(default_factory=list)
    num_opening_plies: int = 0
    prior_entropy: float = 0.0
    evaluations_before: int = 0  #: its slot's, when it began

    @property
    def is_over(self) -> bool:
        return bool(self.positions.status[len(self.plies)] != ONGOING)


class SelfplayBatch:
    """Plays games in `num_slots` slots; a slot takes up the next game as soon as its game is over."""

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        search: SearchConfig,
        selfplay: SelfplayConfig,
        seed: tuple[int, int],
        num_slots: int,
    ) -> None:
        self._game = game
        self._search = BatchSearch(game, evaluator, search_settings(search), num_slots, selfplay.simulations)
        self._endings = SolvedEndings(game, selfplay.solve_empties) if selfplay.solve_empties else None
        self._noise = search
        self._selfplay = selfplay
        self._seed = seed
        self._num_slots = num_slots
        self.evaluations: dict[int, int] = {}  #: network evaluations of each finished game, by its id
        self._unexpanded: list[int] = []  # slots whose root the next wave evaluates
        self._row = np.zeros(1, np.int64)
        self._legal = np.zeros((1, game.num_actions), np.uint8)

    @property
    def num_evaluations(self) -> int:
        """Leaves evaluated so far."""
        return self._search.num_evaluations

    @property
    def num_simulations(self) -> int:
        """Simulations so far, without the visits that kept subtrees brought along."""
        return self._search.num_simulations

    def play(self, game_ids: Iterable[int]) -> Iterator[GameRecord]:
        """Play these games; records come in the order in which games end."""
        waiting = iter(game_ids)
        live: dict[int, _LiveGame] = {}
        for slot, game_id in zip(range(self._num_slots), waiting, strict=False):
            live[slot] = self._begin(slot, game_id)
        while live:
            slots = np.fromiter(live, np.int64, len(live))
            self._search.wave(slots)
            for slot in self._unexpanded:
                self._begin_move(slot, live[slot])
            self._unexpanded.clear()
            for slot in self._search.idle(slots):
                self._move(slot, live[slot])
                if live[slot].is_over:
                    current = live.pop(slot)
                    spent = int(self._search.evaluations[slot]) - current.evaluations_before
                    self.evaluations[current.game_id] = spent
                    yield self._record(current)
                    for game_id in itertools.islice(waiting, 1):
                        live[slot] = self._begin(slot, game_id)

    def _begin(self, slot: int, game_id: int) -> _LiveGame:
        rng = np.random.default_rng(np.random.SeedSequence([*self._seed, game_id]))
        current = _LiveGame(game_id, rng, self._game.new_positions(self._game.max_plies + 1))
        current.evaluations_before = int(self._search.evaluations[slot])
        if rng.random() < self._selfplay.random_opening_share:
            self._play_random_opening(current)
        self._search.set_root(slot, current.positions, len(current.plies), int(rng.integers(2**63)))
        self._search.set_budget(slot, self._selfplay.simulations)
        self._unexpanded.append(slot)
        return current

    def _play_random_opening(self, current: _LiveGame) -> None:
        """1 to `random_opening_plies` uniformly random moves; all drawn anew where they end the game."""
        most = self._selfplay.random_opening_plies
        num_plies = int(current.rng.integers(1, most + 1))
        while len(current.plies) < num_plies:
            ply = len(current.plies)
            self._row[0] = ply
            self._game.legal_moves(current.positions, self._row, self._legal)
            move = int(current.rng.choice(np.flatnonzero(self._legal[0])))
            nothing = np.zeros(0, np.int16), np.zeros(0, np.int32)
            current.plies.append(_Ply(move, *nothing, np.nan, np.nan, is_opening=True))
            self._play_on(current)
            if current.is_over:
                current.plies.clear()
                num_plies = int(current.rng.integers(1, most + 1))
        current.num_opening_plies = num_plies

    def _begin_move(self, slot: int, current: _LiveGame) -> None:
        """The root has been evaluated: note its prior, then mix noise into it."""
        current.prior_entropy = root_prior_entropy(self._search.tree, slot)
        if self._noise.root_noise_fraction > 0:
            num_legal = int(self._search.tree.nodes["num_children"][slot, ROOT])
            alpha = self._noise.root_noise_concentration / num_legal
            noise = current.rng.standard_gamma(alpha, self._game.num_actions, np.float32)
            self._search.mix_root_noise(slot, self._noise.root_noise_fraction, noise)

    def _move(self, slot: int, current: _LiveGame) -> None:
        """The search is over: record it, play a move and begin the next search."""
        visits = self._search.visits(slot)
        searched_plies = len(current.plies) - current.num_opening_plies
        is_early = searched_plies < self._selfplay.temperature_plies
        temperature = self._selfplay.temperature if is_early else self._selfplay.final_temperature
        move = choose_move(visits.by_move, temperature, current.rng.random())
        current.plies.append(
            _Ply(
                move,
                visits.moves.copy(),
                visits.counts.copy(),
                self._search.root_value(slot),
                current.prior_entropy,
                is_opening=False,
            )
        )
        self._play_on(current)
        if self._endings is not None:
            self._play_solved(current, self._endings)
        if current.is_over:
            return
        self._search.advance(slot, move)
        self._search.set_budget(slot, self._selfplay.simulations)
        if self._search.is_expanded(slot):
            self._begin_move(slot, current)
        else:
            self._unexpanded.append(slot)

    def _play_solved(self, current: _LiveGame, endings: SolvedEndings) -> None:
        """Play an ending out by best moves, one of them at random, with its exact targets."""
        while not current.is_over:
            ply = len(current.plies)
            solved = endings.look_up(current.positions.stones[ply], int(current.positions.turn[ply]))
            if solved is None:
                return
            move = int(current.rng.choice(solved.best_moves))
            known = (solved.best_moves, solved.visits, solved.value, np.nan)
            current.plies.append(_Ply(move, *known, is_opening=False, is_solved=True))
            self._play_on(current)

    def _play_on(self, current: _LiveGame) -> None:
        """Write the position after the last recorded move into the next row."""
        ply = len(current.plies) - 1
        self._row[0] = ply
        moves = np.array([current.plies[-1].move], np.int16)
        self._game.play(current.positions, self._row, moves, self._row + 1, self._legal)

    def _record(self, current: _LiveGame) -> GameRecord:
        plies, positions = current.plies, current.positions
        num_plies = len(plies)
        is_opening = np.array([ply.is_opening for ply in plies], np.bool_)
        offsets = np.zeros(num_plies + 1, np.int32)
        offsets[1:] = np.cumsum([len(ply.visit_moves) for ply in plies])
        return GameRecord(
            game_id=current.game_id,
            status=int(positions.status[num_plies]),
            stones=positions.stones[:num_plies],
            turn=positions.turn[:num_plies],
            ply=positions.ply[:num_plies],
            passes=positions.passes[:num_plies],
            recent_moves=positions.recent_moves[:num_plies],
            move=np.array([ply.move for ply in plies], np.int16),
            visit_moves=np.concatenate([ply.visit_moves for ply in plies]),
            visit_counts=np.concatenate([ply.visit_counts for ply in plies]),
            visit_offsets=offsets,
            root_value=np.array([ply.root_value for ply in plies], np.float32),
            prior_entropy=np.array([ply.prior_entropy for ply in plies], np.float32),
            is_opening=is_opening,
            is_full_search=~is_opening,
            is_resigned=np.zeros(num_plies, np.bool_),
            is_solved=np.array([ply.is_solved for ply in plies], np.bool_),
        )
