"""How to talk to outside engines: GTP, Gomocup and NBoard, seen from the side that asks.

Each dialect tells a running engine the position and asks for a move; whether the move is legal is judged by
`stonezero.players.outside`.
"""

import time
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.game import Game
from stonezero.games.notation import NotationError, describe, quoted
from stonezero.games.position import BLACK, EMPTY, WHITE
from stonezero.players.engine_process import EngineError, EngineProcess
from stonezero.protocols.moves import (
    gomocup_text,
    gtp_text,
    parse_gomocup,
    parse_gtp,
    parse_nboard,
)

START_SECONDS = 60.0  #: for loading a net or a book
GRACE_SECONDS = 1.0  #: beyond the time that an engine is told: pipes and a busy machine
COMMAND_SECONDS = 10.0  #: for what needs no thought
GOMOCUP_RULES = {"freestyle": 0, "standard": 1, "renju": 4}
GOMOCUP_CHATTER = ("MESSAGE", "DEBUG", "SUGGEST")
UNLIMITED_MILLISECONDS = 2147483647
COLOURS = {BLACK: "black", WHITE: "white"}


class Situation(NamedTuple):
    """A position in which an engine is asked for a move."""

    stones: NDArray[np.int8]  #: int8[S]
    turn: int
    line: list[int] | None  #: all moves that led here, where they are known


class Dialect(ABC):
    """One engine's conversation. A new one is made for each start of the process."""

    def __init__(self, game: Game, seconds: float, depth: int) -> None:
        self.game = game
        self.seconds = seconds  #: for one move
        self.depth = depth  #: of the search, where the protocol knows no time (NBoard)

    @abstractmethod
    def start(self, process: EngineProcess) -> None:
        """Shake hands. UserError where the engine doesn't play this game on this board."""

    @abstractmethod
    def ask(self, process: EngineProcess, situation: Situation) -> int:
        """The engine's move; EngineError where it gives none."""

    def move_deadline(self) -> float:
        return time.monotonic() + self.seconds + GRACE_SECONDS


class GtpDialect(Dialect):
    """Go Text Protocol 2, as Gomoku and Othello engines speak it.

    Passes are forced in Othello; not all engines accept to be told of one, so a refused one is let go.
    """

    _line: list[int] | None = None  #: that the engine's board shows

    def start(self, process: EngineProcess) -> None:
        self._command(process, "protocol_version", START_SECONDS)
        if self.game.name == "othello":
            self._command(process, "set_game Othello")
        self._must(process, f"boardsize {self.game.size}")
        self._command(process, f"time_settings 0 {max(round(self.seconds), 1)} 1")

    def ask(self, process: EngineProcess, situation: Situation) -> int:
        line = situation.line
        if line is None:
            raise UserError("a GTP engine needs a game's moves from its start")
        if self._line is None or line[: len(self._line)] != self._line:
            self._must(process, "clear_board")
            self._line = []
        for ply in range(len(self._line), len(line)):
            self._play(process, line, ply)
        self._line = list(line)
        text = self._genmove(process, COLOURS[situation.turn])
        if text.lower() == "resign":
            raise EngineError("resigned")
        try:
            move = parse_gtp(self.game, text)
        except NotationError as error:
            raise EngineError(f"answered {quoted(text)}") from error
        self._line.append(move)
        return move

    def _play(self, process: EngineProcess, line: list[int], ply: int) -> None:
        """Tell the move at `ply`; sides alternate, passes included."""
        text = gtp_text(self.game, line[ply])
        is_fine, answer = self._command(process, f"play {COLOURS[BLACK if ply % 2 == 0 else WHITE]} {text}")
        if not is_fine and text != "pass":
            raise EngineError(f"refuses the move {text}: {answer}")

    def _genmove(self, process: EngineProcess, colour: str) -> str:
        is_fine, answer = self._command(process, f"genmove {colour}", self.seconds + GRACE_SECONDS)
        if not is_fine:
            raise EngineError(f"refuses to move: {answer}")
        return answer

    def _must(self, process: EngineProcess, command: str) -> None:
        is_fine, answer = self._command(process, command)
        if not is_fine:
            raise UserError(f"the engine refuses `{command}` for {describe(self.game)}: {quoted(answer)}")

    def _command(
        self, process: EngineProcess, command: str, seconds: float = COMMAND_SECONDS
    ) -> tuple[bool, str]:
        """Whether the engine has done what it was told, and its answer."""
        deadline = time.monotonic() + seconds
        process.send(command)
        line = process.read(deadline)
        while line[:1] not in ("=", "?"):
            line = process.read(deadline)
        is_fine, answer = line.startswith("="), [line[1:].strip()]
        while line := process.read(deadline).strip():
            answer.append(line)
        return is_fine, "\n".join(answer)


class GomocupDialect(Dialect):
    """The Gomocup (Piskvork) protocol: five in a row on boards up to 20."""

    _line: list[int] | None = None

    def start(self, process: EngineProcess) -> None:
        process.send(f"START {self.game.size}")
        answer = self._answer(process, time.monotonic() + START_SECONDS)
        if not answer.upper().startswith("OK"):
            raise UserError(f"the engine refuses {describe(self.game)}: {quoted(answer)}")
        milliseconds = round(1000 * self.seconds)
        for key, value in (
            ("timeout_turn", milliseconds),
            ("timeout_match", 0),
            ("time_left", UNLIMITED_MILLISECONDS),
            ("game_type", 1),
            ("rule", GOMOCUP_RULES[str(self.game.spec()["rules"])]),
        ):
            process.send(f"INFO {key} {value}")

    def ask(self, process: EngineProcess, situation: Situation) -> int:
        line = situation.line
        if self._line is not None and line is not None and line[:-1] == self._line:
            process.send(f"TURN {gomocup_text(self.game, line[-1])}")
        else:
            self._set_up(process, situation)
        answer = self._answer(process, self.move_deadline())
        try:
            move = parse_gomocup(self.game, answer)
        except NotationError as error:
            raise EngineError(f"answered {quoted(answer)}") from error
        self._line = None if line is None else [*line, move]
        return move

    def _set_up(self, process: EngineProcess, situation: Situation) -> None:
        process.send("RESTART")
        answer = self._answer(process, time.monotonic() + COMMAND_SECONDS)
        if not answer.upper().startswith("OK"):
            raise EngineError(f"answered {quoted(answer)} to RESTART")
        points = situation.line
        if points is None:
            points = [int(point) for point in np.flatnonzero(situation.stones != EMPTY)]
        if not points:
            process.send("BEGIN")
            return
        process.send("BOARD")
        for point in points:
            field = 1 if situation.stones[point] == situation.turn else 2
            process.send(f"{gomocup_text(self.game, point)},{field}")
        process.send("DONE")

    def _answer(self, process: EngineProcess, deadline: float) -> str:
        """The next line that is no remark."""
        line = process.read(deadline).strip()
        while not line or line.upper().startswith(GOMOCUP_CHATTER):
            line = process.read(deadline).strip()
        return line


class NboardDialect(Dialect):
    """NBoard's protocol 2: Othello 8x8. It knows depths, not times."""

    _pings = 0

    def start(self, process: EngineProcess) -> None:
        process.send("nboard 2")
        process.send(f"set depth {self.depth}")
        self._ping(process, START_SECONDS)

    def ask(self, process: EngineProcess, situation: Situation) -> int:
        process.send(f"set game {ggf_position(situation)}")
        self._ping(process, COMMAND_SECONDS)
        process.send("go")
        deadline = self.move_deadline()
        line = process.read(deadline)
        while not line.startswith("==="):
            line = process.read(deadline)
        try:
            return parse_nboard(self.game, line[3:])
        except NotationError as error:
            raise EngineError(f"answered {quoted(line)}") from error

    def _ping(self, process: EngineProcess, seconds: float) -> None:
        self._pings += 1
        process.send(f"ping {self._pings}")
        deadline = time.monotonic() + seconds
        while process.read(deadline).split() != ["pong", str(self._pings)]:
            pass


def ggf_position(situation: Situation) -> str:
    """A game in GGF that begins with the position and has no moves."""
    board = "".join("-*O"[stone] for stone in situation.stones)
    side = "*" if situation.turn == BLACK else "O"
    rows = " ".join(board[start : start + 8] for start in range(0, 64, 8))
    return f"(;GM[Othello]PC[stonezero]PB[black]PW[white]RE[?]TI[0]TY[8]BO[8 {rows} {side}];)"


DIALECTS: dict[str, type[Dialect]] = {
    "gtp": GtpDialect,
    "gomocup": GomocupDialect,
    "nboard": NboardDialect,
}
