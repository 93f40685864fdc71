"""`Board`: one game, played move by move, that checks everything it is given."""

import re
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.catalogue import make_game
from stonezero.games.game import Game
from stonezero.games.notation import (
    NotationError,
    describe,
    move_to_text,
    parse_move,
    quoted,
    row_label,
)
from stonezero.games.position import (
    BLACK,
    BLACK_WON,
    DRAW,
    EMPTY,
    NO_MOVE,
    ONGOING,
    WHITE,
    WHITE_WON,
    Positions,
    copy_rows,
)

SYMBOLS = ".XO"  #: of EMPTY, BLACK and WHITE
FORBIDDEN_SYMBOL = "!"  #: of an empty point that the side to move loses by
SIDE_NAMES = {BLACK: "black", WHITE: "white"}
RESULT_TEXTS = {BLACK_WON: "black won", WHITE_WON: "white won", DRAW: "draw"}
HEADER = re.compile(
    r"(?P<name>\w+) (?P<size>\d{1,3})x(?P=size)(, (?P<k>\d{1,3}) in a row, (?P<rules>\w+))?", re.ASCII
)
ROW = re.compile(r"(\d+ )?(?P<points>[.XO!]( [.XO!])*)", re.ASCII)
FOOTER = re.compile(
    r"(?P<state>(black|white) to move|black won|white won|draw)"
    r"( \(black \d{1,3}, white \d{1,3}\)| \(forbidden (?P<forbidden>[a-z]\d{1,2})\))?",
    re.ASCII,
)
ONE_ROW = np.zeros(1, np.int64)


class IllegalMoveError(UserError):
    """A move of the board that the rules forbid in this position."""


class GameOverError(UserError):
    """A move after the end of the game."""


class BoardTextError(UserError):
    """A text that is no board."""


class RecordReader(Protocol):
    """What reads a board out of somebody else's record; see `stonezero.records.formats.boards`."""

    def __call__(self, record: str | Path, number: int, **hints: str | int) -> "Board":
        """The last position of game `number` of a file or a text."""


class Board:
    """A game in progress.

    >>> board = Board("gomoku", size=15, k=5, rules="freestyle")
    >>> board.play("h8")
    >>> board.moves
    [112]
    >>> Board("othello", size=8).legal_moves()
    [19, 26, 37, 44]

    `positions` holds the position as a single row, for players and networks; treat it as read-only.
    """

    record_reader: ClassVar[RecordReader | None] = None  #: `import stonezero` puts it here

    def __init__(self, game: str | Game, size: int = 0, k: int = 0, rules: str = "") -> None:
        """A board at the start of `game`, a `Game` or a name that goes to `make_game` with the rest."""
        if not isinstance(game, str | Game):
            raise UserError(f"a board needs a game, or the name gomoku or othello, not {quoted(game)}")
        self.game = make_game(game, size, k, rules) if isinstance(game, str) else game
        self.positions = self.game.new_positions(1)
        self._legal = np.zeros((1, self.game.num_actions), np.uint8)
        self._moves: list[int] = []
        self._earlier: list[tuple[Positions, NDArray[np.uint8]]] = []
        self.game.legal_moves(self.positions, ONE_ROW, self._legal)

    @classmethod
    def from_stones(
        cls, game: Game, stones: NDArray[np.int8], turn: int, last_move: int = NO_MOVE
    ) -> "Board":
        """A board set up with `stones` (int8[S] or int8[H, W]) and `turn` to move; raises BoardTextError.

        `last_move` is where the other side's last stone was put: under renju it may have been forbidden.
        """
        board = cls(game)
        _check_set_up(board.game, stones, turn)
        position = board.positions
        position.recent_moves[0, 0] = _checked_last_move(game, stones, turn, last_move)
        position.stones[0] = stones.ravel()
        if game.name == "othello" and not _has_centre(game, position.stones[0]):
            raise BoardTextError(f"the four centre points of {describe(game)} must have discs")
        position.turn[0] = turn
        position.ply[0] = np.count_nonzero(stones) - np.count_nonzero(game.new_positions(1).stones)
        try:
            position.status[0] = game.status_of(position, 0)
        except UserError as error:
            raise BoardTextError(f"{error}: {board.line()}") from error
        if position.status[0] in (BLACK_WON, WHITE_WON):
            position.turn[0] = 3 - game.last_mover(position, 0)
        game.legal_moves(position, ONE_ROW, board._legal)
        return board

    @classmethod
    def parse(cls, text: str) -> "Board":
        """The position that `str` printed as `text`, without the moves that led there.

        Raises BoardTextError where the text is no board, or its last line contradicts the stones.
        """
        if not isinstance(text, str):
            raise BoardTextError(f"a board is read from a text, not from {quoted(text)}")
        lines = [" ".join(line.split()) for line in text.strip().splitlines()]
        header, footer = (
            HEADER.fullmatch(lines[0]) if lines else None,
            FOOTER.fullmatch(lines[-1]) if lines else None,
        )
        if header is None or footer is None:
            raise BoardTextError(
                "a board begins with a line like 'gomoku 15x15, 5 in a row, freestyle' or 'othello 8x8' "
                "and ends with one like 'black to move' or 'white won'"
            )
        game = make_game(header["name"], int(header["size"]), int(header["k"] or 0), header["rules"] or "")
        stones, marked = _parse_rows(game, lines[1:-1])
        last_move = parse_move(game, footer["forbidden"]) if footer["forbidden"] else NO_MOVE
        is_whites = footer["state"].startswith("white to") or last_move != NO_MOVE
        board = cls.from_stones(game, stones, WHITE if is_whites else BLACK, last_move)
        if wrong := sorted(set(marked) - set(board.forbidden_moves())):
            raise BoardTextError(f"{board._text(wrong[0])} is marked as forbidden and is not: {board.line()}")
        if footer["state"] != board._state():
            raise BoardTextError(
                f"this board says {footer['state']!r} where it is {board._state()!r}: {board.line()}"
            )
        return board

    @classmethod
    def from_record(cls, record: str | Path, number: int = 1, **hints: str | int) -> "Board":
        """The last position of a recorded game, with its moves: SGF, PSQ, REC, GGF, WTHOR, text, parquet.

        Parameters
        ----------
        record : a file, or the text of a record
        number : of the game within it, from 1
        hints : `format`, `game`, `size`, `k`, `rules`, where the record does not say them

        Raises
        ------
        UserError
            Where there is no such game, or it is wrong: the line or byte, and the reason.
        """
        if cls.record_reader is None:
            raise RuntimeError("formats lie above the rules: take Board from the package, `stonezero.Board`")
        return cls.record_reader(record, number, **hints)

    def play(self, move: int | str) -> None:
        """Play a move, a number or a text.

        Raises NotationError, IllegalMoveError or GameOverError, and then changes nothing.
        """
        index = self._move_index(move)
        if self.is_over:
            raise GameOverError(f"{self._text(index)} comes after the end of the game: {self.line()}")
        if not self._legal[0, index]:
            raise IllegalMoveError(f"{self._text(index)} is not legal: {self.line()}")
        self._earlier.append((copy_rows(self.positions, slice(1)), self._legal.copy()))
        self._moves.append(index)
        self.game.play(self.positions, ONE_ROW, np.array([index], np.int16), ONE_ROW, self._legal)

    def undo(self) -> int:
        """Take the last move back and return it; raises UserError where none was played."""
        if not self._moves:
            raise UserError(f"there is no move to take back: {self.line()}")
        positions, legal = self._earlier.pop()  # shared with copies of this board: what follows may not write
        self.positions, self._legal = copy_rows(positions, slice(1)), legal.copy()
        return self._moves.pop()

    def legal_moves(self) -> list[int]:
        """Moves in rising order; none once the game is over."""
        return [int(move) for move in np.flatnonzero(self._legal[0])]

    def forbidden_moves(self) -> list[int]:
        """Moves in rising order that lose at once by the rules (renju, Black to move); legal all the same."""
        return self.game.forbidden_moves(self.positions, 0)

    @property
    def turn(self) -> int:
        """The side to move, BLACK or WHITE."""
        return int(self.positions.turn[0])

    @property
    def ply(self) -> int:
        """How many moves led here, passes included; on a board set up, how many stones were put."""
        return int(self.positions.ply[0])

    @property
    def status(self) -> int:
        """ONGOING, BLACK_WON, WHITE_WON or DRAW."""
        return int(self.positions.status[0])

    @property
    def is_over(self) -> bool:
        return self.status != ONGOING

    @property
    def is_draw(self) -> bool:
        return self.status == DRAW

    @property
    def winner(self) -> int | None:
        """BLACK or WHITE; None in a draw and while the game goes on (see `status`)."""
        return self.status if self.status in (BLACK_WON, WHITE_WON) else None

    @property
    def score(self) -> tuple[int, int]:
        """How many stones Black and White have on the board."""
        stones = self.positions.stones
        return int(np.count_nonzero(stones == BLACK)), int(np.count_nonzero(stones == WHITE))

    @property
    def moves(self) -> list[int]:
        """The moves played on this board, oldest first."""
        return list(self._moves)

    @property
    def stones(self) -> NDArray[np.int8]:
        """int8[H, W], a copy: EMPTY, BLACK or WHITE, rows from the top."""
        return self.positions.stones[0].reshape(self.game.size, self.game.size).copy()

    def copy(self) -> "Board":
        """An independent board with the same moves."""
        twin = Board(self.game)
        twin.positions, twin._legal = copy_rows(self.positions, slice(1)), self._legal.copy()
        twin._moves, twin._earlier = list(self._moves), list(self._earlier)
        return twin

    def line(self) -> str:
        """The position in one line: rows from the top, digits for runs of empty points."""
        rows = ["".join(SYMBOLS[stone] for stone in row) for row in self.stones]
        board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
        return f"{describe(self.game)}, {board}, {self._state()}"

    def __str__(self) -> str:
        size = self.game.size
        width = len(str(size))
        letters = " " * (width + 1) + " ".join(chr(ord("a") + column) for column in range(size))
        symbols = [SYMBOLS[stone] for stone in self.positions.stones[0]]
        for move in self.forbidden_moves():
            symbols[move] = FORBIDDEN_SYMBOL
        rows = [
            f"{row_label(self.game, row):{width}} " + " ".join(symbols[row * size : (row + 1) * size])
            for row in range(size)
        ]
        diagram = [*rows, letters] if self.game.name == "gomoku" else [letters, *rows]
        return "\n".join([describe(self.game), *diagram, self._state() + self._remark()])

    def __repr__(self) -> str:
        return f"<Board {self.line()}>"

    def __eq__(self, other: object) -> bool:
        """Same game, stones and, while it goes on, side to move."""
        if not isinstance(other, Board):
            return NotImplemented
        same_stones = self.game == other.game and bool((self.stones == other.stones).all())
        return same_stones and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> str:
        return RESULT_TEXTS[self.status] if self.is_over else f"{SIDE_NAMES[self.turn]} to move"

    def _remark(self) -> str:
        """What the last line says beside the state: the score in Othello, the move that lost in renju."""
        if self.game.name == "othello":
            return " (black {}, white {})".format(*self.score)
        last = int(self.positions.recent_moves[0, 0])
        lost_by_moving = self.winner is not None and self.winner == self.turn and last != NO_MOVE
        return f" (forbidden {self._text(last)})" if lost_by_moving else ""

    def _text(self, move: int) -> str:
        return move_to_text(self.game, move)

    def _move_index(self, move: Any) -> int:
        try:
            if isinstance(move, str):
                return parse_move(self.game, move)
            if isinstance(move, bool | np.bool_) or not isinstance(move, int | np.integer):
                raise NotationError(f"a move is a number or a text, not {quoted(move)}")
            move_to_text(self.game, int(move))
            return int(move)
        except NotationError as error:
            raise NotationError(f"{error}; the board is {self.line()}") from error


def _check_set_up(game: Game, stones: Any, turn: Any) -> None:
    """Raise BoardTextError unless `stones` is an array that `Board.from_stones` takes, and `turn` a side."""
    size = game.size
    if not isinstance(stones, np.ndarray) or stones.shape not in ((game.num_points,), (size, size)):
        what = f"an array of shape {stones.shape}" if isinstance(stones, np.ndarray) else quoted(stones)
        raise BoardTextError(f"the stones of {describe(game)} are an array of {size} x {size}, not {what}")
    if stones.dtype.kind not in "iuf" or not np.isin(stones, (EMPTY, BLACK, WHITE)).all():
        raise BoardTextError(f"a point is {EMPTY} (empty), {BLACK} (black) or {WHITE} (white), nothing else")
    if isinstance(turn, bool) or not isinstance(turn, int | np.integer) or turn not in SIDE_NAMES:
        raise BoardTextError(f"the side to move is {BLACK} (black) or {WHITE} (white), not {quoted(turn)}")


def _checked_last_move(game: Game, stones: NDArray[np.int8], turn: int, last_move: Any) -> int:
    """`last_move`, NO_MOVE or the place of a stone of the side not to move; else raises BoardTextError."""
    if isinstance(last_move, bool) or not isinstance(last_move, int | np.integer):
        raise BoardTextError(f"the last move is a number, not {quoted(last_move)}")
    if last_move == NO_MOVE:
        return NO_MOVE
    if not 0 <= last_move < game.num_points or stones.ravel()[last_move] != 3 - turn:
        raise BoardTextError(f"the last move {quoted(last_move)} is no {SIDE_NAMES[3 - turn]} stone")
    return int(last_move)


def _has_centre(game: Game, stones: NDArray[np.int8]) -> bool:
    return bool((stones[np.flatnonzero(game.new_positions(1).stones[0])] != EMPTY).all())


def _parse_rows(game: Game, lines: list[str]) -> tuple[NDArray[np.int8], list[int]]:
    """int8[S] of the diagram's rows, and the points marked as forbidden; column letters are left out."""
    letters = " ".join(chr(ord("a") + column) for column in range(game.size))
    rows = [ROW.fullmatch(line) for line in lines if line != letters]
    points = ["" if row is None else row["points"].replace(" ", "") for row in rows]
    if len(points) != game.size or any(len(row) != game.size for row in points):
        raise BoardTextError(f"{describe(game)} needs {game.size} rows of {game.size} points, each ., X or O")
    symbols = "".join(points)
    marked = [point for point, symbol in enumerate(symbols) if symbol == FORBIDDEN_SYMBOL]
    stones = [SYMBOLS.index(symbol) for symbol in symbols.replace(FORBIDDEN_SYMBOL, SYMBOLS[EMPTY])]
    return np.array(stones, np.int8), marked
