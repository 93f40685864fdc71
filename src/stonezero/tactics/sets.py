"""Tactical test sets as text: versioned, a position a line, with all its right answers.

    # stonezero tactics 1
    # gomoku 15x15, 5 in a row, freestyle
    # block_in_1: the other side threatens to make a row; only one point stops it
    h8 i9 j10 h7: g6 2

A line has the moves from the start, a colon, the right answers with commas between them, and a number: plies
to the end of the proven line in Gomoku, the exact score of the best move in Othello.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.game import Game
from stonezero.games.notation import describe, move_to_text, parse_move, quoted
from stonezero.games.position import Positions
from stonezero.tactics.case import Found

TITLE = "# stonezero tactics 1"
FOLDER = "sets"
LINE = re.compile(r"(?P<moves>[a-t0-9 ps]*): (?P<answers>[a-t0-9,]+) (?P<number>-?[0-9]{1,3})")


class TacticsFileError(UserError):
    """A text that is no test set: the line, and why."""


class Kind(NamedTuple):
    """A kind of test positions."""

    name: str
    task: str  #: what is asked, in words


KINDS = {
    kind.name: kind
    for kind in (
        Kind("win_in_1", "a row can be made at once"),
        Kind("block_in_1", "the other side threatens to make a row, and one point stops it"),
        Kind("four_three", "a stone that makes a four and a three wins, and the other side would win next"),
        Kind("double_three", "the other side would make two threes with one stone, which can be prevented"),
        Kind("edge", "stones ring the centre, and the threat to be met lies at the edge"),
        Kind("false_shape", "what is right in freestyle is wrong under these rules, or only looks forbidden"),
        Kind("trap", "the other side threatens a long win, and it can still be met"),
        Kind("corner_grab", "only taking a corner keeps the outcome"),
        Kind("corner_gift", "moves that give a corner away lose the outcome"),
        Kind("forced_pass", "only moves that make the other side pass keep the outcome"),
        Kind("parity", "only moves into an odd region keep the outcome"),
    )
}


@dataclass(frozen=True)
class TacticsSet:
    """Positions of one kind on one board; row i of each field belongs together."""

    kind: Kind
    game: Game
    moves: list[list[int]]  #: from the start
    found: list[Found]  #: groups are not kept in files

    def __len__(self) -> int:
        return len(self.moves)

    def positions(self) -> Positions:
        """The positions, with the last moves that led to them."""
        boards = [_board_after(self.game, moves).positions for moves in self.moves]
        return Positions._make(np.concatenate(arrays) for arrays in zip(*boards, strict=True))

    def is_right(self, chosen: NDArray[np.int16]) -> NDArray[np.bool_]:
        """bool[P]: whether the move chosen in each position is one of its right answers."""
        pairs = zip(chosen.tolist(), self.found, strict=True)
        return np.array([move in found.answers for move, found in pairs], np.bool_)


def set_name(game: Game, kind: str) -> str:
    """The name of a set's file."""
    spec = game.spec()
    rules = f"-k{spec['k']}-{spec['rules']}" if game.name == "gomoku" else ""
    return f"{game.name}-{game.size}{rules}-{kind}.txt"


@lru_cache(maxsize=8)
def sets_of(game: Game) -> tuple[TacticsSet, ...]:
    """The sets that there are for a game, in the order of KINDS; UserError where there is none."""
    found = tuple(_shipped(game))
    if not found:
        raise UserError(f"there are no tactical test sets for {describe(game)}; docs/tactics.md lists them")
    return found


def _shipped(game: Game) -> Iterator[TacticsSet]:
    for name in KINDS:
        file = files("stonezero.tactics") / FOLDER / set_name(game, name)
        if file.is_file():
            yield parse_set(file.read_text(encoding="utf-8"), game, file.name)


def text_of(tactics: TacticsSet, note: str) -> str:
    """A set as text; `note` says how it was made."""
    game = tactics.game
    head = [TITLE, f"# {describe(game)}", f"# {tactics.kind.name}: {tactics.kind.task}", f"# {note}"]
    lines = []
    for moves, found in zip(tactics.moves, tactics.found, strict=True):
        told = " ".join(move_to_text(game, move) for move in moves)
        answers = ",".join(move_to_text(game, move) for move in found.answers)
        lines.append(f"{told}: {answers} {found.number}")
    return "".join(f"{line}\n" for line in [*head, *lines])


def parse_set(text: str, game: Game, where: str) -> TacticsSet:
    """A set of `game` from its text.

    Raises TacticsFileError for another game, an unknown kind, a line that is none, moves that are not legal;
    `where` names the text.
    """
    lines = text.splitlines()
    name = lines[2][2:].partition(":")[0] if len(lines) > 2 else ""
    if len(lines) < 3 or lines[0] != TITLE or lines[1] != f"# {describe(game)}" or name not in KINDS:
        raise TacticsFileError(
            f"{where}: a test set begins with the lines {TITLE!r}, '# {describe(game)}' and '# KIND: ...'"
        )
    moves, found = [], []
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        try:
            entry = _parse_line(game, line)
        except UserError as error:
            raise TacticsFileError(f"{where}, line {number}: {error}") from None
        moves.append(entry[0])
        found.append(entry[1])
    return TacticsSet(KINDS[name], game, moves, found)


def _parse_line(game: Game, line: str) -> tuple[list[int], Found]:
    match = LINE.fullmatch(line)
    if match is None:
        raise TacticsFileError(f"{quoted(line)} is no line like 'h8 i9 j10: h9,j9 5'")
    moves = [parse_move(game, word) for word in match["moves"].split()]
    answers = [parse_move(game, word) for word in match["answers"].split(",")]
    board = _board_after(game, moves)
    if not set(answers) <= set(board.legal_moves()):
        raise TacticsFileError(f"the answers {match['answers']} are not all legal in {board.line()}")
    return moves, Found(answers, "", int(match["number"]))


def _board_after(game: Game, moves: list[int]) -> Board:
    board = Board(game)
    for move in moves:
        board.play(move)
    return board
