"""Which formats there are, and reading: `read_file`, `read_data` (bytes) and `read_text`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from stonezero.errors import UserError
from stonezero.games.notation import quoted
from stonezero.records.formats import ggf, parquet, position_text, psq, rec, sgf, wthor
from stonezero.records.formats.game_text import GameText, replay
from stonezero.records.formats.transcript import FormatError, Hints, Transcript

MAX_FILE_BYTES = 64 << 20
"""Far above any collection we know (all of WTHOR has 10 MB), far below what would fill the memory."""

NO_HINTS = Hints()


class Format(NamedTuple):
    """How one format is read and written."""

    name: str
    suffixes: tuple[str, ...]  #: of its files; the first is the one that we write
    split: Callable[[bytes, Hints], Iterator[Any]]  #: the games of a file, not yet looked into
    parse: Callable[[Any, Hints], Transcript]  #: one of them
    check: Callable[[GameText], None]  #: FormatError where the format has no place for a game
    write: Callable[[Sequence[GameText]], bytes]  #: of games that pass `check`
    holds_many: bool = True  #: games in one file
    companions: Callable[[Sequence[GameText]], Mapping[str, bytes]] | None = None  #: other files, by suffix


def _format(name: str, suffixes: tuple[str, ...], module: Any, **options: Any) -> Format:
    return Format(name, suffixes, module.split, module.parse, module.check, module.write, **options)


FORMATS = {
    item.name: item
    for item in (
        _format("sgf", (".sgf",), sgf),
        _format("psq", (".psq",), psq, holds_many=False),
        _format("rec", (".rec",), rec, holds_many=False),
        _format("ggf", (".ggf",), ggf),
        _format("wthor", (".wtb",), wthor, companions=wthor.companions),
        _format("text", (".txt", ".obf", ".pos"), position_text),
        _format("parquet", (".parquet",), parquet),
    )
}


class ReadGame(NamedTuple):
    """A game that was read, and where it stands."""

    number: int  #: within the file, from 1; refused games have numbers, too
    where: str
    game: GameText


class Refusal(NamedTuple):
    """A game, or the rest of a file, that could not be read."""

    number: int
    reason: str  #: one sentence, which names the line or byte


class Reading(NamedTuple):
    """What a file held."""

    games: list[ReadGame]
    refusals: list[Refusal]


def format_named(name: str) -> Format:
    """The format called `name`; UserError where there is none."""
    if name not in FORMATS:
        raise UserError(f"there is no format {quoted(name)}: choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of(path: Path) -> Format | None:
    """The format that a file's extension stands for."""
    suffix = path.suffix.lower()
    return next((item for item in FORMATS.values() if suffix in item.suffixes), None)


def format_of_text(text: str) -> Format:
    """The format that a text looks like."""
    if "(;" in text.replace(" ", ""):
        return FORMATS["ggf" if "GM[OTHELLO]" in text.upper() else "sgf"]
    return FORMATS["psq" if text.lstrip("\ufeff\r\n ").startswith("Piskvorky") else "text"]


def read_data(data: bytes, kind: Format, hints: Hints = NO_HINTS) -> Reading:
    """All games of a file's bytes that are right, and why the others are not. Raises nothing."""
    reading = Reading([], [])
    number = 1
    try:
        for part in kind.split(data, hints):
            try:
                transcript = kind.parse(part, hints)
                reading.games.append(ReadGame(number, transcript.where, replay(transcript)))
            except UserError as error:
                reading.refusals.append(Refusal(number, str(error)))
            number += 1
    except UserError as error:
        reading.refusals.append(Refusal(number, str(error)))
    return reading


def read_text(text: str, kind: Format | None = None, hints: Hints = NO_HINTS) -> Reading:
    """The games of a text, by default of the format that it looks like."""
    return read_data(text.encode("utf-8", "replace"), kind or format_of_text(text), hints)


def read_file(path: Path, kind: Format | None = None, hints: Hints = NO_HINTS) -> Reading:
    """The games of a file, by default of the format of its extension; FormatError where it cannot be read."""
    kind = kind or format_of(path)
    if kind is None:
        known = " ".join(suffix for item in FORMATS.values() for suffix in item.suffixes)
        raise FormatError(f"{path}: the extension is none of {known}: say which format it is")
    if kind is FORMATS["wthor"]:
        hints = replace(hints, companions={name: _companion(path, name) for name in wthor.NAME_BYTES})
    return read_data(read_bounded(path), kind, hints)


def read_bounded(path: Path) -> bytes:
    """A file's bytes; FormatError where it cannot be read or is absurdly large."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > MAX_FILE_BYTES:
        raise FormatError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB, the most that is read at once")
    return data


def _companion(path: Path, suffix: str) -> bytes:
    """The file of names that belongs to a .wtb file: beside it, under its own name or WTHOR's."""
    wanted = [f"{path.stem}.{suffix}".lower(), f"wthor.{suffix}"]
    beside = {file.name.lower(): file for file in path.parent.iterdir()} if path.parent.is_dir() else {}
    found = next((beside[name] for name in wanted if name in beside), None)
    return b"" if found is None else read_bounded(found)
