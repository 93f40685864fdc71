"""`gtp:CMD`, `gomocup:CMD`, `nboard:CMD`: engines of others, processes asked for one move at a time.

An engine that answers with an illegal move or with garbage, or doesn't answer in time, or resigns, has lost
its game (Forfeit) and is started anew for the next. One that dies is started anew once and asked again.
With `failure=stop` any of this is a UserError instead.
"""

import hashlib
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.game import Game, Moves, Rows
from stonezero.games.notation import describe, move_to_text
from stonezero.games.position import Positions
from stonezero.players.dialects import DIALECTS, Dialect, Situation
from stonezero.players.engine_process import EngineDiedError, EngineError, EngineProcess
from stonezero.players.player import Forfeit, Player

log = logging.getLogger(__name__)

FAILURES = ("forfeit", "stop")
GOMOCUP_SIZES = range(5, 21)


@dataclass(frozen=True)
class OutsideSpec:
    """How an outside engine is run."""

    protocol: str  #: a key of DIALECTS
    command: tuple[str, ...]
    seconds: float  #: for one move; the engine is told, where its protocol has words for it
    depth: int  #: told to NBoard engines
    failure: str  #: forfeit or stop

    def digest(self) -> str:
        """SHA-256 of the program and its arguments."""
        program = Path(shutil.which(self.command[0]) or self.command[0])
        content = program.read_bytes() if program.is_file() else b""
        return hashlib.sha256(content + "\0".join(self.command[1:]).encode()).hexdigest()


def check_protocol(protocol: str, game: Game) -> None:
    """UserError unless engines of this protocol can play the game."""
    spec = game.spec()
    if protocol == "nboard" and (game.name, game.size) != ("othello", 8):
        raise UserError(f"NBoard engines play othello 8x8, not {describe(game)}")
    is_gomocup = game.name == "gomoku" and spec["k"] == 5 and game.size in GOMOCUP_SIZES
    if protocol == "gomocup" and not is_gomocup:
        raise UserError(f"Gomocup engines play gomoku with 5 in a row on sizes 5 to 20, not {describe(game)}")


class OutsidePlayer(Player):
    """One engine process, for one game at a time."""

    is_sequential = True

    def __init__(self, name: str, game: Game, spec: OutsideSpec) -> None:
        self.name = name
        self._game = game
        self._spec = spec
        self._process: EngineProcess | None = None
        self._dialect: Dialect | None = None
        try:
            self._start()
        except EngineError as error:
            self.close()
            raise UserError(f"{name} {error}: no {spec.protocol} engine can be started by it") from error

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        return np.array([self._choose(positions, int(row), lines) for row in rows], np.int16)

    def close(self) -> None:
        """End the engine."""
        if self._process is not None:
            self._process.close()
        self._process = None

    def _choose(self, positions: Positions, row: int, lines: Moves | None) -> int:
        legal = np.zeros((1, self._game.num_actions), np.uint8)
        self._game.legal_moves(positions, np.array([row]), legal)
        if self._game.has_pass and legal[0, self._game.pass_move]:
            return self._game.pass_move
        line = None if lines is None else [int(move) for move in lines[row, : positions.ply[row]]]
        situation = Situation(positions.stones[row], int(positions.turn[row]), line)
        try:
            move = self._ask(situation)
            if not legal[0, move]:
                raise EngineError(f"played {move_to_text(self._game, move)}, which is not legal")
        except EngineError as error:
            self.close()
            raise self._failed(error, int(positions.ply[row])) from error
        return move

    def _ask(self, situation: Situation) -> int:
        """The engine's answer; a dead engine gets a second chance."""
        for has_died in (False, True):
            try:
                if self._process is None:
                    self._start()
                assert self._process is not None
                assert self._dialect is not None
                return self._dialect.ask(self._process, situation)
            except EngineDiedError as error:
                self.close()
                if has_died:
                    raise
                log.warning("%s %s: it is started anew", self.name, error)
        raise AssertionError("the second failure was raised")

    def _start(self) -> None:
        self._process = EngineProcess(self._spec.command)
        self._dialect = DIALECTS[self._spec.protocol](self._game, self._spec.seconds, self._spec.depth)
        self._dialect.start(self._process)

    def _failed(self, error: EngineError, ply: int) -> Exception:
        text = f"{self.name} {error} at ply {ply}"
        if self._spec.failure == "stop":
            return UserError(text)
        log.warning("%s: it loses this game", text)
        return Forfeit(f"{error} at ply {ply}")
