"""Games that clients play move by move, kept in memory: the newest and the most used."""

import asyncio
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stonezero.app.positions import placed, state_of
from stonezero.app.problems import ProblemError
from stonezero.app.shelf import Model
from stonezero.games.board import Board
from stonezero.games.notation import move_to_text, quoted


@dataclass
class PlayedMove:
    """One move of a session."""

    move: int
    player: int
    by: str  #: client or model
    value: float | None = None  #: of the search, for the side that moved
    probability: float | None = None  #: share of the visits
    visits: NDArray[np.int32] | None = None  #: int32[A]


@dataclass
class Session:
    """One game. Whoever changes it holds `lock`."""

    id: str
    board: Board
    model: Model
    simulations: int | None
    seconds: float | None
    history: list[PlayedMove] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def check_ply(self, ply: int) -> None:
        """Raise ProblemError (409) with the true state where the client's is another one."""
        if ply != self.board.ply:
            raise ProblemError(
                409,
                f"the game is at ply {self.board.ply}, not {ply}: another move came first",
                state_of(self.board),
            )

    def play(self, played: PlayedMove) -> None:
        """Play a legal move and note it."""
        self.board.play(played.move)
        self.history.append(played)

    def undo(self, num_moves: int) -> None:
        """Take moves back; ProblemError (409) where there are fewer."""
        if num_moves > len(self.board.moves):
            raise ProblemError(409, f"only {len(self.board.moves)} moves can be taken back, not {num_moves}")
        for _ in range(num_moves):
            self.board.undo()
            self.history.pop()

    def moves_so_far(self, with_distributions: bool) -> list[dict[str, Any]]:
        """The history as answers show it."""
        return [self._shown(played, with_distributions) for played in self.history]

    def _shown(self, played: PlayedMove, with_distribution: bool) -> dict[str, Any]:
        game = self.board.game
        shares = None
        if with_distribution and played.visits is not None:
            total = max(int(played.visits.sum()), 1)
            moves = np.flatnonzero(played.visits)
            shares = {move_to_text(game, int(move)): int(played.visits[move]) / total for move in moves}
        return placed(game, played.move) | {
            "player": played.player,
            "by": played.by,
            "value": played.value,
            "probability": played.probability,
            "distribution": shares,
        }


class Sessions:
    """Sessions by id."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def open(self, board: Board, model: Model, simulations: int | None, seconds: float | None) -> Session:
        """A new session; the one unused for longest makes room for it."""
        session = Session(secrets.token_hex(8), board, model, simulations, seconds)
        starting = Board(board.game)
        for move in board.moves:
            session.history.append(PlayedMove(move, starting.turn, "client"))
            starting.play(move)
        self._sessions[session.id] = session
        while len(self._sessions) > self._most:
            self._sessions.popitem(last=False)
        return session

    def __getitem__(self, name: str) -> Session:
        """The session of this id; ProblemError (404) where there is none, or no longer."""
        session = self._sessions.get(name)
        if session is None:
            raise ProblemError(404, f"there is no game {quoted(name)} here, or no longer: begin a new one")
        self._sessions.move_to_end(name)
        return session

    def __len__(self) -> int:
        return len(self._sessions)
