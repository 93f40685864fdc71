"""Searching one position within limits: simulations, seconds, and somebody who wants to break in."""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from stonezero.games.board import Board
from stonezero.games.notation import move_to_text
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.inference import prepare
from stonezero.players.batch_search import BatchSearch
from stonezero.players.evaluators import NetworkEvaluator
from stonezero.players.tree_json import TreeLimits, tree_data
from stonezero.search.tree import ROOT
from stonezero.terminal import PLAY_INFERENCE, PLAY_SETTINGS, game_of

SLOT = np.zeros(1, np.int64)
VARIATION_PLIES = 8
NEVER = 1e9  #: seconds


def nobody_breaks_in() -> bool:
    """For searches that run to their end."""
    return False


class Candidate(NamedTuple):
    """A move that a search has looked at."""

    move: int
    visits: int
    prior: float
    value: float  #: mean, for the side to move, in [-1, 1]


class Thought(NamedTuple):
    """What a search has found."""

    candidates: list[Candidate]  #: most visited first; never empty
    variation: list[str]  #: of the first candidate, its move first, as `move_to_text` writes them
    value: float  #: of the position for the side to move
    simulations: int
    seconds: float

    @property
    def move(self) -> int:
        return self.candidates[0].move


class Thinker:
    """A checkpoint, opened once, that searches positions of its game."""

    def __init__(self, checkpoint: Checkpoint, simulations: int, seconds: float) -> None:
        self.game = game_of(checkpoint)
        self.simulations = simulations  #: most of one search
        self.seconds = seconds  #: of one search, where a protocol has said nothing else
        self.label = f"{checkpoint.generation}-{checkpoint.digest[:8]}"
        backend = prepare(checkpoint, self.game.num_actions, PLAY_INFERENCE).open()
        evaluator = NetworkEvaluator(self.game, backend, list(checkpoint.network.planes), 1)
        self._search = BatchSearch(self.game, evaluator, PLAY_SETTINGS, 1, simulations)
        self.think(Board(self.game), simulations=2)  # kernels are compiled or loaded before a clock runs

    def think(
        self,
        board: Board,
        seconds: float = NEVER,
        simulations: int = 0,
        wants_in: Callable[[], bool] = nobody_breaks_in,
    ) -> Thought:
        """Search a position that is not over: at least one simulation, at most the least of the limits."""
        begin = time.monotonic()
        limit = min(simulations or self.simulations, self.simulations)
        for _ in self._waves(board, limit):
            if time.monotonic() - begin >= seconds or wants_in():
                break
        return self._thought(board, time.monotonic() - begin)

    def thoughts(self, board: Board, interval: float, wants_in: Callable[[], bool]) -> Iterator[Thought]:
        """What one search has found after each interval (seconds), and at its end."""
        begin = reported = time.monotonic()
        for _ in self._waves(board, self.simulations):
            now = time.monotonic()
            if wants_in():
                break
            if now - reported >= interval:
                reported = now
                yield self._thought(board, now - begin)
        yield self._thought(board, time.monotonic() - begin)

    def _waves(self, board: Board, simulations: int) -> Iterator[int]:
        """Search on each time a value is asked for: the visits so far, at least one."""
        self._search.set_root(0, board.positions, 0, 0)
        self._search.set_budget(0, simulations)
        while not len(self._search.idle(SLOT)):
            self._search.wave(SLOT)
            visits = int(self._search.tree.nodes["visit_count"][0, ROOT]) - 1
            if visits > 0:
                yield visits

    def _thought(self, board: Board, seconds: float) -> Thought:
        statistics = self._search.statistics(0)
        legal = board.legal_moves()
        order = sorted(legal, key=lambda move: (-statistics.visits[move], -statistics.priors[move], move))
        candidates = [
            Candidate(
                move,
                int(statistics.visits[move]),
                float(statistics.priors[move]),
                float(statistics.values[move]),
            )
            for move in order
            if statistics.visits[move] or move == order[0]
        ]
        total = int(statistics.visits.sum())
        return Thought(candidates, self._variation(order[0]), statistics.value, total, seconds)

    def _variation(self, move: int) -> list[str]:
        """`move`, and then the most visited moves."""
        nodes = tree_data(self._search, 0, TreeLimits(VARIATION_PLIES, 1, 2000))["nodes"]
        by_id = {node["id"]: node for node in nodes}
        moves, node = [move_to_text(self.game, move)], nodes[0]
        while children := [by_id[child] for child in node["children"] if child in by_id]:
            if node is nodes[0]:
                children = [child for child in children if child["move"] == moves[0]]
                if not children:
                    break
            else:
                moves.append(str(children[0]["move"]))
            node = children[0]
        return moves
