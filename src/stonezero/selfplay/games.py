"""Playing self-play games, many at once, and recording them.

Every game has its own random stream, made from (seed, generation, game id), and draws from it in an
order that depends on that game alone: so records don't depend on which games share a batch, nor on
the number of workers. A method that is off draws nothing. Shards, processes and files are in `run.py`.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from stonezero.config.schema import SearchConfig, SelfplayConfig
from stonezero.games.game import Game
from stonezero.games.position import DRAW
from stonezero.players.batch_search import BatchSearch
from stonezero.players.evaluators import Evaluator
from stonezero.players.settings import search_settings
from stonezero.records.schema import GameRecord
from stonezero.search.noise import root_noise
from stonezero.search.root import root_prior_entropy
from stonezero.search.tree import ROOT
from stonezero.selfplay.choosing import Choice, Chooser
from stonezero.selfplay.ending import ResignWatch, best_value, is_dead_draw, winning_windows
from stonezero.selfplay.live import NO_VISITS, LiveGame, Ply
from stonezero.selfplay.openings import NO_GAMES, EarlierGames, Openings
from stonezero.selfplay.solved_endings import SolvedEndings


class GenerationFacts(NamedTuple):
    """What games of one generation have in common beside its params."""

    earlier: EarlierGames = NO_GAMES
    num_control_games: int = 0  #: games with lower ids are played on in spite of resignations
    may_resign: bool = False  #: whether the others end by them


NO_FACTS = GenerationFacts()


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
        facts: GenerationFacts = NO_FACTS,
    ) -> None:
        settings = search_settings(search, selfplay.centre_ban_plies)
        self._game = game
        self._search = BatchSearch(game, evaluator, settings, num_slots, selfplay.simulations)
        self._endings = SolvedEndings(game, selfplay.solve_empties) if selfplay.solve_empties else None
        self._settings = settings
        self._noise = root_noise(search)
        self._openings = Openings(game, selfplay, facts.earlier)
        self._chooser = Chooser(self._search, settings, selfplay)
        self._windows = (
            winning_windows(game.size, int(game.spec()["k"])) if selfplay.end_when_decided else None
        )
        self._selfplay = selfplay
        self._facts = facts
        self._seed = seed
        self._num_slots = num_slots
        self.evaluations: dict[int, int] = {}  #: network evaluations of each finished game, by its id
        self._unexpanded: list[int] = []  # slots whose root the next wave evaluates
        self._row, self._next_row = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._moves = np.zeros(1, np.int16)
        self._legal = np.zeros((1, game.num_actions), np.uint8)

    @property
    def num_evaluations(self) -> int:
        """Network evaluations so far, those that a cache answered included."""
        return self._search.num_evaluations

    @property
    def num_simulations(self) -> int:
        """Simulations so far, without the visits that kept subtrees brought along."""
        return self._search.num_simulations

    def play(self, game_ids: Iterable[int]) -> Iterator[GameRecord]:
        """Play these games; records come in the order in which games end."""
        waiting = iter(game_ids)
        live: dict[int, LiveGame] = {}
        for slot, game_id in zip(range(self._num_slots), waiting, strict=False):
            live[slot] = self._begin(slot, game_id)
        while live:
            slots = np.fromiter(live, np.int64, len(live))
            self._search.wave(slots)
            for slot in self._unexpanded:
                self._begin_move(slot, live[slot])
            self._unexpanded.clear()
            for slot in self._search.idle(slots).tolist():
                self._move(slot, live[slot])
                if live[slot].is_over:
                    current = live.pop(slot)
                    spent = int(self._search.evaluations[slot]) - current.evaluations_before
                    self.evaluations[current.game_id] = spent
                    yield current.record()
                    for game_id in itertools.islice(waiting, 1):
                        live[slot] = self._begin(slot, game_id)

    def _begin(self, slot: int, game_id: int) -> LiveGame:
        rng = np.random.default_rng(np.random.SeedSequence([*self._seed, game_id]))
        current = LiveGame(game_id, rng, self._game.new_positions(self._game.max_plies + 1))
        current.evaluations_before = int(self._search.evaluations[slot])
        if self._selfplay.resign_threshold > -1:
            current.watch = ResignWatch(self._selfplay.resign_threshold, self._selfplay.resign_plies)
            current.is_control = not self._facts.may_resign or game_id < self._facts.num_control_games
        for move in self._openings.draw(rng):
            self._play_on(current, Ply(move, *NO_VISITS, is_opening=True))
        current.num_opening_plies = current.ply
        self._search.set_root(slot, current.positions, current.ply, int(rng.integers(2**63)))
        self._set_budget(slot, current)
        self._unexpanded.append(slot)
        return current

    def _set_budget(self, slot: int, current: LiveGame) -> None:
        """All simulations, or those of a cheap search (playout cap randomisation: KataGo, Wu 2019, 3.1)."""
        simulations, share = self._selfplay.simulations, self._selfplay.full_search_share
        current.is_full_search = share == 1 or current.rng.random() < share
        if not current.is_full_search:
            simulations = self._selfplay.cheap_simulations
        self._search.set_budget(slot, simulations)

    def _begin_move(self, slot: int, current: LiveGame) -> None:
        """The root has been evaluated: note its prior, then let noise or a root policy have it."""
        current.prior_entropy = root_prior_entropy(self._search.tree, slot)
        if self._settings.gumbel.considered:
            noise = current.rng.gumbel(size=self._game.num_actions) * self._chooser.temperature(current)
            current.gumbel_noise = noise.astype(np.float32)
            self._search.begin_gumbel(slot, current.gumbel_noise)
        elif current.is_full_search:
            self._mix_noise(slot, current)
            if self._settings.forced_playouts:
                self._search.force_playouts(slot)

    def _mix_noise(self, slot: int, current: LiveGame) -> None:
        num_legal = self._search.tree.nodes["num_children"].item(slot, ROOT)
        priors = self._search.statistics(slot).priors if self._noise.needs_priors else None
        noise = self._noise.draw(current.rng, current.ply, self._game.num_actions, num_legal, priors)
        if noise is not None:
            self._search.mix_root_noise(slot, self._noise.fraction.at(current.ply), noise)

    def _move(self, slot: int, current: LiveGame) -> None:
        """The search is over: record it, play a move and begin the next search."""
        choice = self._chooser.choose(slot, current)
        if current.ply < self._selfplay.random_move_plies:
            choice = self._perhaps_random(current, choice)
        ply = Ply(
            *choice,
            root_value=self._search.root_value(slot),
            prior_entropy=current.prior_entropy,
            is_full_search=current.is_full_search,
        )
        mover = current.turn
        wants_to_resign = current.watch is not None and self._sees_resignation(slot, current, current.watch)
        self._play_on(current, ply)
        if wants_to_resign and not current.is_over:
            self._resign(current, ply, mover)
        if self._windows is not None and is_dead_draw(current.positions.stones[current.ply], self._windows):
            current.declared = DRAW
        if self._endings is not None:
            self._play_solved(current, self._endings)
        if current.is_over:
            return
        self._search.advance(slot, choice.move)
        self._set_budget(slot, current)
        if self._search.is_expanded(slot):
            self._begin_move(slot, current)
        else:
            self._unexpanded.append(slot)

    def _perhaps_random(self, current: LiveGame, choice: Choice) -> Choice:
        """With some chance a uniformly random legal move; what the search taught stays the target."""
        share = self._selfplay.random_move_share
        if share == 0 or current.rng.random() >= share:
            return choice
        self._row[0] = current.ply
        self._game.legal_moves(current.positions, self._row, self._legal)
        return choice._replace(move=int(current.rng.choice(np.flatnonzero(self._legal[0]))))

    def _sees_resignation(self, slot: int, current: LiveGame, watch: ResignWatch) -> bool:
        statistics = self._search.statistics(slot)
        return watch.sees_resignation(current.turn, best_value(statistics.visits, statistics.values))

    def _resign(self, current: LiveGame, ply: Ply, mover: int) -> None:
        """End the game as lost for `mover`, or note, once, that a control game would have ended here."""
        ply.is_resigned = not current.has_resigned
        current.has_resigned = True
        if not current.is_control:
            current.declared = 3 - mover

    def _play_solved(self, current: LiveGame, endings: SolvedEndings) -> None:
        """Play an ending out by best moves, one of them at random, with its exact targets."""
        while not current.is_over:
            solved = endings.look_up(current.positions.stones[current.ply], current.turn)
            if solved is None:
                return
            move = int(current.rng.choice(solved.best_moves))
            self._play_on(
                current, Ply(move, solved.best_moves, solved.visits, root_value=solved.value, is_solved=True)
            )

    def _play_on(self, current: LiveGame, ply: Ply) -> None:
        """Record a ply and write the position after its move into the next row."""
        self._row[0], self._next_row[0], self._moves[0] = current.ply, current.ply + 1, ply.move
        current.plies.append(ply)
        self._game.play(current.positions, self._row, self._moves, self._next_row, self._legal)
