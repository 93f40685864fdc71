"""NBoard's protocol 2, from the engine's side: Othello 8x8.

The protocol has no errors: lines that say nothing to an engine are let go. One that is known and wrong is
answered by `status` with the reason, which the program shows to its user, and changes nothing. Depth N means
2 ** N simulations, as far as the engine's limit goes. Evaluations are in discs: 64 times the value.
"""

from collections.abc import Callable, Iterator

from stonezero.engines.thinker import Thinker, Thought
from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.notation import describe, parse_move, quoted
from stonezero.protocols.moves import nboard_text, parse_nboard
from stonezero.records.formats.catalogue import format_named, read_text

DISCS = 64
ANALYSIS_SIMULATIONS = 32
MAX_HINTS = 60
MAX_DEPTH = 20


class NboardEngine:
    """One board, changed by commands; `go` and `hint` leave it as it is."""

    def __init__(self, thinker: Thinker) -> None:
        game = thinker.game
        if (game.name, game.size) != ("othello", 8):
            raise UserError(f"NBoard plays othello 8x8, and this net {describe(game)}")
        self.is_over = False
        self._thinker = thinker
        self._board = Board(game)
        self._simulations = thinker.simulations
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "nboard": self._greet,
            "set": self._set,
            "move": self._move,
            "hint": self._hint,
            "go": self._go,
            "ping": self._ping,
            "learn": self._learn,
            "analyze": self._analyze,
            "quit": self._quit,
        }

    def answer(self, line: str) -> Iterator[str]:
        """See `Engine.answer`."""
        name, _, rest = line.strip().partition(" ")
        try:
            if name.lower() in self._commands:
                yield from self._commands[name.lower()](rest.strip())
        except UserError as error:
            yield f"status {error}"

    def _greet(self, _: str) -> Iterator[str]:
        yield f"set myname stonezero-{self._thinker.label}"

    def _set(self, text: str) -> Iterator[str]:
        key, _, value = text.partition(" ")
        if key.lower() == "game":
            reading = read_text(value, format_named("ggf"))
            if not reading.games:
                reason = reading.refusals[0].reason if reading.refusals else "there is no game in it"
                raise UserError(f"set game: {reason}")
            board = reading.games[0].game.board()
            if board.game != self._thinker.game:
                raise UserError(f"set game: this net plays {describe(self._thinker.game)}")
            self._board = board
        elif key.lower() == "depth":
            if not value.isdecimal() or not value.isascii() or len(value) > 3:
                raise UserError(f"set depth: {quoted(value)} is no depth")
            self._simulations = min(2 ** min(int(value), MAX_DEPTH), self._thinker.simulations)
        yield from ()

    def _move(self, text: str) -> Iterator[str]:
        self._board.play(parse_nboard(self._board.game, text))
        yield from ()

    def _go(self, _: str) -> Iterator[str]:
        board = self._open_board()
        thought = self._think(board)
        yield "status thinking"
        yield f"=== {nboard_text(board.game, thought.move)}/{DISCS * thought.value:.2f}/{thought.seconds:.2f}"
        yield f"nodestats {thought.simulations} {thought.seconds:.2f}"
        yield "status"

    def _hint(self, text: str) -> Iterator[str]:
        board = self._open_board()
        count = int(text) if text.isdecimal() and text.isascii() and len(text) < 4 else 1
        thought = self._think(board)
        for number, candidate in enumerate(thought.candidates[: min(max(count, 1), MAX_HINTS)]):
            line = [nboard_text(board.game, candidate.move)]
            if number == 0:
                line = [nboard_text(board.game, parse_move(board.game, word)) for word in thought.variation]
            yield f"search {''.join(line)} {DISCS * candidate.value:.2f} 0 {candidate.visits}"
        yield f"nodestats {thought.simulations} {thought.seconds:.2f}"
        yield "status"

    def _ping(self, text: str) -> Iterator[str]:
        yield f"pong {text}"

    def _learn(self, _: str) -> Iterator[str]:
        yield "learned"

    def _analyze(self, _: str) -> Iterator[str]:
        """Each position of the game, the last first, from its mover's view."""
        board = self._board.copy()
        while True:
            if not board.is_over:
                simulations = min(ANALYSIS_SIMULATIONS, self._simulations)
                thought = self._thinker.think(board, simulations=simulations)
                yield f"analysis {len(board.moves)} {DISCS * thought.value:.2f}"
            if not board.moves:
                break
            board.undo()
        yield "status"

    def _quit(self, _: str) -> Iterator[str]:
        self.is_over = True
        yield from ()

    def _open_board(self) -> Board:
        if self._board.is_over:
            raise UserError(f"the game is over: {self._board.line()}")
        return self._board

    def _think(self, board: Board) -> Thought:
        return self._thinker.think(board, self._thinker.seconds, self._simulations)
