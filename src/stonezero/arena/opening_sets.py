"""Opening sets as files: our own text, the offset files of Gomocup, and games of any record format.

Our text is versioned, an opening a line, with the judge's value for the side to move where there was a judge:

    # stonezero openings 1
    # gomoku 15x15, 5 in a row, freestyle
    h8i9j10h7 +0.031

Offset files have a line of numbers an opening, `dx,dy, dx,dy, ...` from the centre floor(size / 2), dy
downwards. In a record every game is an opening, to its end or to a number of plies.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stonezero.arena.openings import Openings, canonical_keys
from stonezero.errors import UserError
from stonezero.files import file_digest, write_text
from stonezero.games.board import Board
from stonezero.games.game import Game
from stonezero.games.notation import describe, move_to_text, parse_move, quoted
from stonezero.games.position import NO_MOVE
from stonezero.records.formats.catalogue import FORMATS, Format, format_of, read_bounded, read_data
from stonezero.records.formats.transcript import Hints, decoded

TITLE = "# stonezero openings 1"
LINE = re.compile(r"(?P<moves>([a-t][1-9][0-9]?|pass)+)( (?P<value>[-+]?[0-9](\.[0-9]{1,6})?))?")
MOVE = re.compile(r"[a-t][1-9][0-9]?|pass")
OFFSETS = re.compile(r"-?[0-9]{1,2}( *, *-?[0-9]{1,2})*,?")
NUMBER = re.compile(r"-?[0-9]{1,2}")


class OpeningFileError(UserError):
    """A file of openings that cannot be used: the line, and why."""


class _Opening(NamedTuple):
    where: str
    moves: list[int]
    value: float


def write_openings(path: Path, game: Game, openings: Openings, note: str = "") -> None:
    """Write the distinct openings as our text; `note` is a comment in its head: the judge, or the source."""
    lines = [TITLE, f"# {describe(game)}", *([f"# {note}"] if note else [])]
    distinct = slice(openings.num_distinct)
    for moves, value in zip(openings.moves[distinct], openings.values[distinct], strict=True):
        text = "".join(move_to_text(game, int(move)) for move in moves if move != NO_MOVE)
        lines.append(text if np.isnan(value) else f"{text} {value:+.4f}")
    write_text(path, "".join(f"{line}\n" for line in lines))


def read_openings(path: Path, game: Game, plies: int = 0) -> Openings:
    """The openings of a file, each position once up to symmetry, in the order of the file.

    Parameters
    ----------
    path : our text, an offset file, a record (by its extension), or a folder of such files
    game : what they are openings of
    plies : how many moves of each opening count; 0: all of them

    Returns
    -------
    Openings
        Shorter openings are filled up with NO_MOVE; values are NaN where nobody judged.

    Raises
    ------
    OpeningFileError
        For a line that is no opening, lies off the board or ends the game; another game; no opening at all.
    """
    kept: list[_Opening] = []
    seen: set[bytes] = set()
    for opening in _openings_below(path, game):
        board = _board_after(opening, game, plies)
        (key,) = canonical_keys(game, board.positions, np.zeros(1, np.int64))
        if key not in seen:
            seen.add(key)
            kept.append(opening._replace(moves=board.moves))
    if not kept:
        raise OpeningFileError(f"{path}: there are no openings in it")
    moves = np.full((len(kept), max(len(opening.moves) for opening in kept)), NO_MOVE, np.int16)
    for row, opening in zip(moves, kept, strict=True):
        row[: len(opening.moves)] = opening.moves
    return Openings(moves, np.array([opening.value for opening in kept], np.float32), len(kept))


def shuffled_openings(path: Path, digest: str, game: Game, seed: int) -> Openings:
    """The openings of a file with this SHA-256, in an order made from `seed`.

    Raises OpeningFileError where the file is another one, and as `read_openings` does.
    """
    if file_digest(path) != digest:
        raise OpeningFileError(f"{path} has changed since the plan was made: run `stonezero plan` again")
    found = read_openings(path, game)
    order = np.random.default_rng(seed).permutation(found.num_distinct)
    return found._replace(moves=found.moves[order], values=found.values[order])


def _openings_below(path: Path, game: Game) -> Iterator[_Opening]:
    """The openings of a file, or of all files of a folder that have a format's extension."""
    if not path.is_dir():
        yield from _openings_of(path, game)
        return
    for file in sorted(path.rglob("*")):
        if file.is_file() and format_of(file) is not None:
            yield from _openings_of(file, game)


def _openings_of(path: Path, game: Game) -> Iterator[_Opening]:
    data = read_bounded(path)
    kind = format_of(path)
    lines = decoded(data).splitlines()
    if lines and lines[0].strip() == TITLE:
        yield from _of_text(path, lines, game)
    elif kind in (None, FORMATS["text"]) and _is_offset_file(lines):
        yield from _of_offsets(path, lines, game)
    elif kind is None:
        raise OpeningFileError(
            f"{path}: neither {TITLE!r}, nor offsets like 0,0, 1,-2, nor a record's extension"
        )
    else:
        yield from _of_records(path, data, kind, game)


def _of_text(path: Path, lines: Sequence[str], game: Game) -> Iterator[_Opening]:
    if len(lines) < 2 or lines[1].strip() != f"# {describe(game)}":
        found = quoted(lines[1].strip()) if len(lines) > 1 else "nothing"
        raise OpeningFileError(
            f"{path}, line 2: openings of {describe(game)} are wanted, but here is {found}"
        )
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = LINE.fullmatch(text)
        if match is None:
            raise OpeningFileError(f"{path}, line {number}: {quoted(text)} is no opening like h8i9j10 +0.03")
        try:
            moves = [parse_move(game, word) for word in MOVE.findall(match["moves"])]
        except UserError as error:
            raise OpeningFileError(f"{path}, line {number}: {error}") from None
        yield _Opening(f"{path}, line {number}", moves, float(match["value"] or "nan"))


def _is_offset_file(lines: Sequence[str]) -> bool:
    first = next((line.strip() for line in lines if line.strip() and not line.startswith("#")), "")
    return OFFSETS.fullmatch(first) is not None


def _of_offsets(path: Path, lines: Sequence[str], game: Game) -> Iterator[_Opening]:
    if game.name != "gomoku":
        raise OpeningFileError(f"{path}: offset files hold openings of gomoku, not of {game.name}")
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        numbers = [int(word) + game.size // 2 for word in NUMBER.findall(text)]
        if not OFFSETS.fullmatch(text) or len(numbers) % 2:
            raise OpeningFileError(
                f"{path}, line {number}: {quoted(text)} is no list of pairs like 0,0, 1,-2"
            )
        if min(numbers) < 0 or max(numbers) >= game.size:
            raise OpeningFileError(f"{path}, line {number}: the opening leaves the board of {describe(game)}")
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        yield _Opening(f"{path}, line {number}", [row * game.size + column for column, row in pairs], np.nan)


def _of_records(path: Path, data: bytes, kind: Format, game: Game) -> Iterator[_Opening]:
    """The games of a record, which must be of the same board; its rules are those of `game`."""
    spec = game.spec()
    hints = Hints(game.name)
    if game.name == "gomoku":
        hints = replace(hints, k=int(spec["k"]), rules=str(spec["rules"]))
    if kind.name in ("rec", "text"):
        hints = replace(hints, size=game.size)
    reading = read_data(data, kind, hints)
    for refusal in reading.refusals:
        raise OpeningFileError(f"{path}: {refusal.reason}")
    for item in reading.games:
        if item.game.game != game or item.game.start is not None:
            raise OpeningFileError(f"{path}, {item.where}: not {describe(game)} from its usual start")
        yield _Opening(f"{path}, {item.where}", list(item.game.moves), np.nan)


def _board_after(opening: _Opening, game: Game, plies: int) -> Board:
    board = Board(game)
    try:
        for move in opening.moves[: plies or None]:
            board.play(move)
    except UserError as error:
        raise OpeningFileError(f"{opening.where}: {error}") from None
    if board.is_over:
        raise OpeningFileError(f"{opening.where}: the game is over after this opening: {board.line()}")
    return board
