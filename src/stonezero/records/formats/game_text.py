"""`GameText`: one game, its moves checked by the rules, in between all formats; and `replay`, which checks.

Axis letters: T plies, S points.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.board import RESULT_TEXTS, SIDE_NAMES, Board
from stonezero.games.game import Game
from stonezero.games.notation import describe, move_to_text
from stonezero.games.position import BLACK, DRAW, EMPTY, ONGOING, WHITE, Positions
from stonezero.records.formats.transcript import FormatError, Transcript, Turn

ENDINGS = ("resigned", "timeout", "agreed", "stated")
"""Why a game has a result that its board does not show; "stated" where the file gives no reason."""

START = np.zeros(1, np.int64)


class Start(NamedTuple):
    """A position that was set up."""

    stones: NDArray[np.int8]  #: int8[S]
    turn: int


@dataclass(frozen=True)
class GameText:
    """A game whose moves are legal and whose result does not contradict them."""

    game: Game
    moves: tuple[int, ...]  #: forced passes included
    status: int  #: BLACK_WON, WHITE_WON or DRAW; ONGOING: unfinished, and nobody knows how it ended
    ending: str = ""  #: one of ENDINGS; empty where the rules ended the game, or nothing did
    start: Start | None = None  #: None: the game's own start
    facts: Mapping[str, str] = field(default_factory=dict)  #: black, white, event, date, ... as text
    comments: Mapping[int, str] = field(default_factory=dict)  #: by ply

    @property
    def is_unfinished(self) -> bool:
        """Whether it breaks off: neither the rules nor the file say how it ended."""
        return self.status == ONGOING

    def positions(self) -> Positions:
        """The T + 1 positions of the game; row t is the one before move t."""
        positions, legal = _allocate(self.game, len(self.moves), self.start)
        for ply, move in enumerate(self.moves):
            _play(self.game, positions, ply, move, legal)
        return positions

    def board(self) -> Board:
        """The position at the end, with all moves to take back."""
        board = Board(self.game) if self.start is None else Board.from_stones(self.game, *self.start)
        for move in self.moves:
            board.play(move)
        return board


def replay(transcript: Transcript) -> GameText:
    """Check a transcript by the rules; insert passes where they are forced and not written.

    Raises FormatError, which names the place of the first wrong move, or a result that the moves contradict.
    """
    game, turns = transcript.game, transcript.turns
    start = _start_of(transcript)
    positions, legal = _allocate(game, 0, start)
    moves: list[int] = []
    comments: dict[int, str] = {}
    for number, turn in enumerate(turns, 1):
        if positions.status[0] != ONGOING:
            if game.has_pass and turn.move == game.pass_move:
                continue  # some programs write the passes that end a game
            raise FormatError(
                f"{turn.where}: move {number}, {_text(game, turn)}, comes after the end of the game"
            )
        if game.has_pass and legal[0, game.pass_move] and turn.move != game.pass_move:
            moves.append(game.pass_move)
            _play_in_place(game, positions, game.pass_move, legal)
        _check_turn(game, positions, legal, number, turn)
        if turn.comment:
            comments[len(moves)] = turn.comment
        moves.append(turn.move)
        _play_in_place(game, positions, turn.move, legal)
    status, ending = _result_of(transcript, positions)
    return GameText(game, tuple(moves), status, ending, start, dict(transcript.facts), comments)


def _start_of(transcript: Transcript) -> Start | None:
    """The position set up, checked; None where it is the game's own start."""
    game, stones = transcript.game, transcript.stones
    sides = [turn.side for turn in transcript.turns if turn.side != EMPTY]
    first = transcript.first or (sides[0] if stones is not None and sides else BLACK)
    fresh = game.new_positions(1)
    if (stones is None or (stones == fresh.stones[0]).all()) and first == BLACK:
        return None
    stones = fresh.stones[0] if stones is None else stones
    try:
        board = Board.from_stones(game, stones, first)
    except UserError as error:
        raise FormatError(f"{transcript.where}: {error}") from None
    if board.is_over and transcript.turns:
        raise FormatError(f"{transcript.where}: the position set up is over: {board.line()}")
    return Start(stones, first)


def _allocate(game: Game, num_plies: int, start: Start | None) -> tuple[Positions, NDArray[np.uint8]]:
    """Positions with the start in row 0, and its legal moves uint8[1, A]."""
    positions = game.new_positions(num_plies + 1)
    legal = np.zeros((1, game.num_actions), np.uint8)
    if start is not None:
        board = Board.from_stones(game, *start)
        for field in range(len(Positions._fields)):
            positions[field][0] = board.positions[field][0]
    game.legal_moves(positions, START, legal)
    return positions, legal


def _play(game: Game, positions: Positions, ply: int, move: int, legal: NDArray[np.uint8]) -> None:
    row = np.array([ply], np.int64)
    game.play(positions, row, np.array([move], np.int16), row + 1, legal)


def _play_in_place(game: Game, positions: Positions, move: int, legal: NDArray[np.uint8]) -> None:
    game.play(positions, START, np.array([move], np.int16), START, legal)


def _check_turn(game: Game, positions: Positions, legal: NDArray[np.uint8], number: int, turn: Turn) -> None:
    side = int(positions.turn[0])
    move = f"{turn.where}: move {number}, {_text(game, turn)}"
    if turn.side not in (EMPTY, side):
        raise FormatError(f"{move}, is {SIDE_NAMES[turn.side]}'s, but {SIDE_NAMES[side]} is to move")
    if game.has_pass and turn.move == game.pass_move and not legal[0, turn.move]:
        raise FormatError(f"{move}: {SIDE_NAMES[side]} has a move and may not pass")
    if not legal[0, turn.move]:
        raise FormatError(f"{move}, is not legal for {SIDE_NAMES[side]} in {describe(game)}")


def _text(game: Game, turn: Turn) -> str:
    return move_to_text(game, turn.move)


def _result_of(transcript: Transcript, positions: Positions) -> tuple[int, str]:
    """Status and ending: by the board where the rules ended the game, else as the file states."""
    status = int(positions.status[0])
    if status == ONGOING:
        stated = transcript.result
        return stated, "" if stated == ONGOING else transcript.ending or "stated"
    if transcript.result not in (ONGOING, status):
        says, is_so = RESULT_TEXTS[transcript.result], RESULT_TEXTS[status]
        raise FormatError(
            f"{transcript.where}: the file says {says}, but by its moves and rules it is {is_so}"
        )
    difference = transcript.disc_difference
    if difference is not None and transcript.game.name == "othello":
        plain, with_empties = disc_differences(positions.stones[0])
        if difference != with_empties and (transcript.gives_empties_to_winner or difference != plain):
            raise FormatError(
                f"{transcript.where}: the file says {difference:+d} discs for black, but it is "
                f"{with_empties:+d}"
            )
    return status, ""


def disc_differences(stones: NDArray[np.int8]) -> tuple[int, int]:
    """Black's discs less White's in stones int8[S], and the same with the empties given to the winner."""
    plain = int(np.count_nonzero(stones == BLACK)) - int(np.count_nonzero(stones == WHITE))
    return plain, plain + int(np.sign(plain)) * int(np.count_nonzero(stones == EMPTY))


def status_by_sign(difference: float) -> int:
    """Who won when Black is ahead by `difference`."""
    if difference == 0:
        return DRAW
    return BLACK if difference > 0 else WHITE
