"""The Gomocup (Piskvork) protocol, from the engine's side: five in a row, or what the net was trained for.

Errors are `ERROR text` for a known command that can't be done and `UNKNOWN text` for anything else. Known and
not spoken: PLAY and SUGGEST (no moves are suggested), SWAP2BOARD, continuous games.
"""

from collections.abc import Callable, Iterator
from importlib.metadata import version

from stonezero.engines.session import Inbox
from stonezero.engines.thinker import NEVER, Thinker
from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.notation import describe, quoted
from stonezero.players.dialects import GOMOCUP_RULES, UNLIMITED_MILLISECONDS
from stonezero.protocols.moves import gomocup_text, parse_gomocup

SAFETY = 0.85  #: share of the time that is used
MARGIN_SECONDS = 0.05  #: for pipes and the manager
MOVES_TO_COME = 15  #: among which the time left is shared


class GomocupEngine:
    """One game after another against a manager."""

    def __init__(self, thinker: Thinker, inbox: Inbox) -> None:
        self.is_over = False
        self._thinker = thinker
        self._inbox = inbox
        self._board: Board | None = None
        self._stones: list[str] | None = None  # lines of a BOARD that is being sent
        self._limits: dict[str, int] = {}
        self._commands: dict[str, Callable[[str], list[str]]] = {
            "START": self._start,
            "RECTSTART": self._start_rectangle,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": self._begin_board,
            "TAKEBACK": self._take_back,
            "INFO": self._info,
            "ABOUT": self._about,
            "END": self._end,
        }

    def answer(self, line: str) -> Iterator[str]:
        """See `Engine.answer`."""
        name, _, rest = line.strip().partition(" ")
        try:
            if self._stones is not None and name.upper() != "END":
                yield from self._collect(line.strip())
            elif name.upper() in self._commands:
                yield from self._commands[name.upper()](rest.strip())
            elif name:
                yield f"UNKNOWN {quoted(line)}"
        except UserError as error:
            yield f"ERROR {error}"

    def _start(self, text: str) -> list[str]:
        game = self._thinker.game
        if text != str(game.size):
            raise UserError(f"unsupported size {quoted(text)}: this net plays {describe(game)}")
        self._board = Board(game)
        return ["OK"]

    def _start_rectangle(self, text: str) -> list[str]:
        width, _, height = (part.strip() for part in text.partition(","))
        if width != height:
            raise UserError(f"unsupported size {quoted(text)}: boards are square")
        return self._start(width)

    def _restart(self, _: str) -> list[str]:
        self._current()
        self._board = Board(self._thinker.game)
        return ["OK"]

    def _begin(self, _: str) -> list[str]:
        return self._move(self._current())

    def _turn(self, text: str) -> list[str]:
        board = self._current()
        move = parse_gomocup(board.game, text)
        self._check_rules()
        board.play(move)
        if board.is_over:
            raise UserError(f"the game is over: {board.line()}")
        return self._move(board)

    def _begin_board(self, _: str) -> list[str]:
        self._current()
        self._stones = []
        return []

    def _collect(self, line: str) -> list[str]:
        """One line of a BOARD; the move, after the last."""
        assert self._stones is not None
        if line.upper() != "DONE":
            if line and len(self._stones) <= self._thinker.game.num_points:
                self._stones.append(line)
            return []
        lines, self._stones = self._stones, None
        board = self._set_up(lines)
        self._board = board
        return self._move(board)

    def _set_up(self, lines: list[str]) -> Board:
        """A board with these stones, the sides alternating in the order in which each side's came."""
        board = Board(self._thinker.game)
        sides: dict[str, list[int]] = {"1": [], "2": []}
        for line in lines:
            coordinates, _, field = line.rpartition(",")
            if field.strip() not in sides:
                raise UserError(f"{quoted(line)} is no stone: write x,y,1 for your own and x,y,2 for others")
            sides[field.strip()].append(parse_gomocup(board.game, coordinates))
        own, other = sides["1"], sides["2"]
        if len(other) - len(own) not in (0, 1):
            raise UserError(f"{len(own)} own and {len(other)} other stones: it is not our turn")
        first, second = (own, other) if len(own) == len(other) else (other, own)
        for number, move in enumerate(first):
            board.play(move)
            if number < len(second):
                board.play(second[number])
        return board

    def _take_back(self, text: str) -> list[str]:
        board = self._current()
        move = parse_gomocup(board.game, text)
        if not board.moves or board.moves[-1] != move:
            raise UserError(f"{quoted(text)} is not the last move")
        board.undo()
        return ["OK"]

    def _info(self, text: str) -> list[str]:
        """Nothing is answered; keys that say nothing to us are let go."""
        key, _, value = text.partition(" ")
        word = value.strip()
        if word.removeprefix("-").isascii() and word.removeprefix("-").isdecimal() and len(word) < 20:
            self._limits[key.lower()] = int(word)
        return []

    def _about(self, _: str) -> list[str]:
        name = f'name="stonezero {self._thinker.label}"'
        return [f'{name}, version="{version("stonezero")}", author="stonezero", country="-"']

    def _end(self, _: str) -> list[str]:
        self.is_over = True
        return []

    def _current(self) -> Board:
        if self._board is None:
            raise UserError("there is no board yet: say START and its size")
        return self._board

    def _check_rules(self) -> None:
        wanted, own = self._limits.get("rule"), str(self._thinker.game.spec()["rules"])
        if wanted is not None and wanted != GOMOCUP_RULES[own]:
            raise UserError(f"rule {wanted} is not played: this net plays {own}, rule {GOMOCUP_RULES[own]}")

    def _move(self, board: Board) -> list[str]:
        self._check_rules()
        if board.is_over:
            raise UserError(f"the game is over: {board.line()}")
        thought = self._thinker.think(board, self._seconds(), wants_in=self._inbox.has_end)
        if self._inbox.has_end():
            return []
        board.play(thought.move)
        return [gomocup_text(board.game, thought.move)]

    def _seconds(self) -> float:
        """For the next move, out of what INFO has said; with a margin."""
        turn = self._limits.get("timeout_turn")
        limits = [NEVER if turn is None else turn / 1000]
        left = self._limits.get("time_left", UNLIMITED_MILLISECONDS)
        if left < UNLIMITED_MILLISECONDS and self._limits.get("timeout_match", 1) != 0:
            limits.append(left / 1000 / MOVES_TO_COME)
        shortest = min(limits)
        if shortest == NEVER:
            return self._thinker.seconds
        return max(SAFETY * shortest - MARGIN_SECONDS, 0.0)
