"""Text with one game or position a line, as NBoard, Edax and opening books write it.

    f5d6c3d3c4                                     moves from the start
    ---------------------------OX------XO--------------------------- X;f5d6   a position, then moves
    --O-... X; d3:+2; c5:-4;                     a position with scores of moves (OBF)
    h8i9j10                                      Gomoku, where the file or the user says so

A line `# gomoku 15x15, 5 in a row, freestyle` says what the lines after it are; other lines with # or % are
comments. Points of a position go row by row from the top: X or * black, O white, - or . empty, then the side
to move. Letters do not skip i. Results are those that the board shows: the text has no place for others.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from stonezero.errors import UserError
from stonezero.games.board import HEADER
from stonezero.games.game import Game
from stonezero.games.notation import describe, move_to_text, parse_move, quoted
from stonezero.games.position import BLACK, EMPTY, WHITE
from stonezero.records.formats.game_text import GameText
from stonezero.records.formats.transcript import FormatError, Hints, Transcript, Turn, decoded

POINTS = {"X": BLACK, "*": BLACK, "B": BLACK, "O": WHITE, "W": WHITE, "0": WHITE, "-": EMPTY, ".": EMPTY}
POINT_LETTERS = "-XO"
POSITION = re.compile(r"(?P<cells>[-.XxOo*0 ]{9,}?) *(?P<side>[XxOo*0BbWw])( to move)? *(;(?P<rest>.*))?")
MOVES = re.compile(r"(([a-t][1-9][0-9]?|pass|pa|ps|--)|[0-9]{1,3}\.|[\s,])*", re.I)
MOVE = re.compile(r"[a-t][1-9][0-9]?|pass|pa|ps|--", re.I)
SCORE = re.compile(
    r" *(?P<move>[a-t][1-9][0-9]?|pass|pa|ps|--) *: *(?P<score>[-+]?[0-9]{1,3}(\.[0-9]{1,6})?) *", re.I
)
PASSES = ("pass", "pa", "ps", "--")
MAX_LINE = 2048  #: letters


class Line(NamedTuple):
    """A line that holds a game."""

    number: int
    text: str
    header: str  #: the description of the game in force; empty where none was given

    @property
    def where(self) -> str:
        return f"line {self.number}"


def split(data: bytes, hints: Hints) -> Iterator[Line]:
    """The lines that hold games."""
    header = ""
    for number, line in enumerate(decoded(data).splitlines(), 1):
        text = line.strip()
        if text.startswith("#") and HEADER.fullmatch(text[1:].strip()):
            header = text[1:].strip()
        elif text and text[0] not in "#%":
            yield Line(number, text, header)


def parse(line: Line, hints: Hints) -> Transcript:
    """One line as written; FormatError names it."""
    if len(line.text) > MAX_LINE:
        raise FormatError(f"{line.where}: {len(line.text)} letters: a line has {MAX_LINE} at most")
    position = POSITION.fullmatch(line.text)
    if position is None:
        game = _game(line, hints, None)
        return Transcript(game, line.where, turns=_turns(game, line.text, line.where))
    cells = position["cells"].replace(" ", "").upper()
    game = _game(line, hints, math.isqrt(len(cells)))
    if len(cells) != game.num_points:
        raise FormatError(f"{line.where}: {len(cells)} points, where {describe(game)} has {game.num_points}")
    transcript = Transcript(game, line.where, first=POINTS[position["side"].upper()])
    transcript.stones = np.array([POINTS[cell] for cell in cells], np.int8)
    rest = (position["rest"] or "").strip()
    if ":" in rest:
        transcript.facts["move_scores"] = _scores(game, rest, line.where)
    else:
        transcript.turns = _turns(game, rest.rstrip("; "), line.where)
    return transcript


def check(game: GameText) -> None:
    """FormatError for a result that text has no place for."""
    if game.ending:
        raise FormatError(f"text has no place for a result that the board does not show: {game.ending}")


def write(games: Sequence[GameText]) -> bytes:
    """A line a game, and one before them that says which game."""
    lines: list[str] = []
    header = ""
    for game in games:
        if describe(game.game) != header:
            header = describe(game.game)
            lines.append(f"# {header}")
        moves = "".join(move_to_text(game.game, move) for move in game.moves)
        if game.start is None and moves:
            lines.append(moves)
            continue
        positions = game.positions()
        cells = "".join(POINT_LETTERS[stone] for stone in positions.stones[0])
        tail = moves or game.facts.get("move_scores", "")
        lines.append(f"{cells} {POINT_LETTERS[positions.turn[0]]};{tail}".rstrip(";") + (";" if tail else ""))
    return "".join(f"{line}\n" for line in lines).encode()


def _game(line: Line, hints: Hints, size: int | None) -> Game:
    """What the user, the file's header line or the number of points says the game is."""
    header = HEADER.fullmatch(line.header) if line.header else None
    name = hints.game or (header["name"] if header else "othello")
    k, rules = (int(header["k"] or 0), header["rules"] or "") if header else (0, "")
    if size is None:
        size = int(header["size"]) if header else 8 if name == "othello" else hints.size
    if not size:
        raise FormatError(f"{line.where}: nothing says the size of the board: give it, as --size 15")
    try:
        return hints.othello(size) if name == "othello" else hints.gomoku(size, rules, k)
    except UserError as error:
        raise FormatError(f"{line.where}: {error}") from None


def _turns(game: Game, text: str, where: str) -> list[Turn]:
    if not MOVES.fullmatch(text):
        raise FormatError(
            f"{where}: {quoted(text)} is neither moves like f5d6 nor a position and its side to move"
        )
    return [Turn(EMPTY, _move(game, word, where), where) for word in MOVE.findall(text)]


def _move(game: Game, word: str, where: str) -> int:
    try:
        return parse_move(game, "pass" if word.lower() in PASSES else word)
    except UserError as error:
        raise FormatError(f"{where}: {error}") from None


def _scores(game: Game, text: str, where: str) -> str:
    """The scored moves, checked and in one form."""
    parts = [part for part in text.split(";") if part.strip()]
    matches = [SCORE.fullmatch(part) for part in parts]
    words = []
    for part, match in zip(parts, matches, strict=True):
        if match is None:
            raise FormatError(f"{where}: {quoted(part)} is no scored move like f5:+2")
        words.append(f"{move_to_text(game, _move(game, match['move'], where))}:{match['score']}")
    return ";".join(words)
