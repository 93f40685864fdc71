"""Boards out of records: what `stonezero.Board.from_record` does."""

from pathlib import Path
from typing import Any

from stonezero.games.board import Board
from stonezero.games.notation import quoted
from stonezero.records.formats.catalogue import Reading, format_named, read_file, read_text
from stonezero.records.formats.game_text import GameText
from stonezero.records.formats.transcript import FormatError, Hints

MAX_PATH = 1024  #: letters; a longer text names no file


def read_board(record: str | Path, number: int = 1, **hints: Any) -> Board:
    """The last position of a recorded game; see `Board.from_record`, which has the checks."""
    return read_game(record, number, **hints).board()


def read_game(record: str | Path, number: int = 1, **hints: Any) -> GameText:
    """Game `number` of a file or a text, counted from 1; hints as for `Board.from_record`."""
    unknown = hints.keys() - {"format", "game", "size", "k", "rules"}
    if unknown:
        raise TypeError(f"from_record() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    name = hints.pop("format", "")
    kind = format_named(name) if name else None
    if isinstance(record, Path) or (isinstance(record, str) and _is_file(record)):
        reading, source = read_file(Path(record), kind, Hints(**hints)), str(record)
    elif isinstance(record, str):
        reading, source = read_text(record, kind, Hints(**hints)), "the text"
    else:
        raise FormatError(f"a record is a file or a text, not {quoted(record)}")
    return _game(reading, source, number)


def _is_file(text: str) -> bool:
    """Whether a text is the name of a file that there is."""
    try:
        return len(text) <= MAX_PATH and Path(text).is_file()
    except (OSError, ValueError):  # too long for the system, or with a zero byte
        return False


def _game(reading: Reading, source: str, number: int) -> GameText:
    for item in reading.games:
        if item.number == number:
            return item.game
    for refusal in reading.refusals:
        if refusal.number == number or not reading.games:
            raise FormatError(f"{source}: {refusal.reason}")
    raise FormatError(f"{source}: there is no game {quoted(number)}: it holds {len(reading.games)}")
