"""Go Text Protocol 2, from the engine's side, for Gomoku and Othello.

`lz-analyze [colour] [interval]` answers as Leela Zero does: lines of `info move .. visits .. winrate ..
prior .. order .. pv ..`, win rates and priors in 1/10000. It ends with its search, or when another line comes
in. Passes are forced in Othello: one that is not told is put in.
"""

import math
import re
from collections.abc import Callable, Iterator
from importlib.metadata import version

from stonezero.engines.session import Inbox
from stonezero.engines.thinker import Thinker, Thought
from stonezero.errors import UserError
from stonezero.games.board import SIDE_NAMES, Board
from stonezero.games.notation import describe, parse_move, quoted
from stonezero.games.position import BLACK, DRAW, WHITE
from stonezero.protocols.moves import gtp_text, parse_gtp

COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
COMMAND = re.compile(r"\s*((?P<id>\d{1,9})\s+)?(?P<name>\S+)\s*(?P<rest>.*)", re.ASCII)
CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")  #: all but tabs, which are spaces
SAFETY = 0.85
MOVES_TO_COME = 20
MAX_SECONDS = 1e6
DEFAULT_INTERVAL = 0.5  #: seconds between two reports of an analysis
MAX_INFOS = 10


class GtpEngine:
    """One board, changed by commands."""

    def __init__(self, thinker: Thinker, inbox: Inbox) -> None:
        self.is_over = False
        self._thinker = thinker
        self._inbox = inbox
        self._board = Board(thinker.game)
        self._seconds = thinker.seconds
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: f"stonezero {thinker.label}",
            "version": lambda _: version("stonezero"),
            "known_command": lambda words: "true" if words[:1] and words[0] in self._names() else "false",
            "list_commands": lambda _: "\n".join(self._names()),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "final_score": self._final_score,
            "showboard": lambda _: f"\n{self._board}",
            "set_game": self._set_game,
            "list_games": lambda _: thinker.game.name.capitalize(),
        }

    def answer(self, line: str) -> Iterator[str]:
        """See `Engine.answer`."""
        plain = CONTROLS.sub("", line).partition("#")[0].replace("\t", " ")
        match = COMMAND.fullmatch(plain)
        if match is None:
            return
        number, name, words = match["id"] or "", match["name"], match["rest"].split()
        try:
            if name == "lz-analyze":
                yield from self._analyze(number, words)
            elif name in self._commands:
                yield f"={number} {self._commands[name](words)}".rstrip() + "\n"
            else:
                yield f"?{number} unknown command\n"
        except UserError as error:
            yield f"?{number} {error}\n"

    def _names(self) -> list[str]:
        return sorted([*self._commands, "lz-analyze"])

    def _quit(self, _: list[str]) -> str:
        self.is_over = True
        return ""

    def _boardsize(self, words: list[str]) -> str:
        if words != [str(self._thinker.game.size)]:
            raise UserError("unacceptable size")
        return self._clear_board(words)

    def _clear_board(self, _: list[str]) -> str:
        self._board = Board(self._thinker.game)
        return ""

    def _komi(self, words: list[str]) -> str:
        _numbers(words, 1)
        return ""

    def _set_game(self, words: list[str]) -> str:
        if " ".join(words).lower() != self._thinker.game.name:
            raise UserError(f"unsupported game: this net plays {describe(self._thinker.game)}")
        return ""

    def _play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise UserError("syntax error: say play, a colour and a vertex")
        colour, move = _colour(words[0]), parse_gtp(self._thinker.game, words[1])
        board = self._turn_of(colour)
        if move not in board.legal_moves():
            raise UserError("illegal move")
        board.play(move)
        self._board = board
        return ""

    def _genmove(self, words: list[str]) -> str:
        board = self._asked(words)
        if board.is_over:
            if board.game.has_pass:
                return "pass"
            raise UserError("the game is over")
        move = self._thinker.think(board, self._seconds).move
        board.play(move)
        self._board = board
        return gtp_text(board.game, move)

    def _reg_genmove(self, words: list[str]) -> str:
        before = self._board
        try:
            return self._genmove(words)
        finally:
            self._board = before

    def _undo(self, _: list[str]) -> str:
        if not self._board.moves:
            raise UserError("cannot undo")
        board = self._board.copy()
        is_pass = board.undo() == board.game.num_points
        while board.moves and board.moves[-1] == board.game.num_points and not is_pass:
            board.undo()
        self._board = board
        return ""

    def _time_settings(self, words: list[str]) -> str:
        main, extra, stones = _numbers(words, 3)
        if stones > 0 and extra > 0:
            self._seconds = SAFETY * extra / stones
        elif extra > 0:  # GTP's way to say that there is no limit
            self._seconds = self._thinker.seconds
        else:
            self._seconds = SAFETY * main / MOVES_TO_COME
        return ""

    def _time_left(self, words: list[str]) -> str:
        _colour(words[0] if words else "")
        seconds, stones = _numbers(words[1:], 2)
        self._seconds = SAFETY * seconds / (stones or MOVES_TO_COME)
        return ""

    def _final_score(self, _: list[str]) -> str:
        board = self._board
        if not board.is_over:
            raise UserError("cannot score")
        if board.status == DRAW:
            return "0"
        black, white = board.score
        margin = abs(black - white) if board.game.has_pass else "F"
        return f"{'B' if board.winner == BLACK else 'W'}+{margin}"

    def _turn_of(self, colour: int) -> Board:
        """A copy of the board on which it is this colour's turn, after a forced pass where that helps."""
        board = self._board.copy()
        if board.turn != colour and board.game.has_pass and board.legal_moves() == [board.game.pass_move]:
            board.play(board.game.pass_move)
        if board.turn != colour and not board.is_over:
            raise UserError(f"illegal move: it is {SIDE_NAMES[board.turn]}'s turn")
        return board

    def _asked(self, words: list[str]) -> Board:
        if len(words) != 1:
            raise UserError("syntax error: say a colour")
        return self._turn_of(_colour(words[0]))

    def _analyze(self, number: str, words: list[str]) -> Iterator[str]:
        """One report after each interval, each with all simulations so far; an empty line at the end."""
        colours = [word for word in words if word.lower() in COLOURS]
        board = self._turn_of(_colour(colours[0])) if colours else self._board.copy()
        numbers = [word for word in words if word.isdecimal() and word.isascii()]
        interval = int(numbers[0][:6]) / 100 if numbers else DEFAULT_INTERVAL
        if board.is_over:
            raise UserError("the game is over")
        yield f"={number}"
        for thought in self._thinker.thoughts(board, interval, self._inbox.has_line):
            yield infos(board, thought)
        yield ""


def infos(board: Board, thought: Thought) -> str:
    """A report of a search in one line, as Leela Zero writes it."""
    parts = []
    for order, candidate in enumerate(thought.candidates[:MAX_INFOS]):
        line = thought.variation if order == 0 else []
        moves = [gtp_text(board.game, parse_move(board.game, text)) for text in line]
        winrate = round(5000 * (1 + candidate.value))
        parts.append(
            f"info move {gtp_text(board.game, candidate.move)} visits {candidate.visits} winrate {winrate} "
            f"prior {round(10_000 * candidate.prior)} order {order} "
            f"pv {' '.join(moves) or gtp_text(board.game, candidate.move)}"
        )
    return " ".join(parts)


def _colour(word: str) -> int:
    if word.lower() not in COLOURS:
        raise UserError(f"syntax error: {quoted(word)} is no colour")
    return COLOURS[word.lower()]


def _numbers(words: list[str], count: int) -> list[float]:
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(0 <= abs(number) <= MAX_SECONDS for number in numbers):
        raise UserError(f"syntax error: {count} numbers are needed")
    if any(math.isnan(number) for number in numbers):
        raise UserError("syntax error: NaN is no number")
    return [max(number, 0.0) for number in numbers]
