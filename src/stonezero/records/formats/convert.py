"""`stonezero convert`: a file or a folder of records into another format."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stonezero.errors import UserError
from stonezero.files import write_bytes
from stonezero.records.formats.catalogue import Format, ReadGame, format_of, read_file
from stonezero.records.formats.transcript import Hints


@dataclass
class Summary:
    """What became of some files."""

    num_files: int = 0  #: read
    num_games: int = 0  #: written
    num_unfinished: int = 0  #: of these
    skipped: Counter[str] = field(default_factory=Counter)  #: files of a folder, by an extension that is none
    refusals: list[str] = field(default_factory=list)  #: file, place and reason
    written: list[Path] = field(default_factory=list)

    def text(self) -> str:
        """The summary in one line."""
        games = f"{self.num_games} game{'' if self.num_games == 1 else 's'}"
        unfinished = f" ({self.num_unfinished} unfinished)" if self.num_unfinished else ""
        files = f"{self.num_files} file{'' if self.num_files == 1 else 's'}"
        skipped = (
            f", {self.skipped.total()} skipped ({' '.join(sorted(self.skipped))})" if self.skipped else ""
        )
        return (
            f"{games}{unfinished} from {files}, written to {len(self.written)}; "
            f"{len(self.refusals)} refused{skipped}"
        )


@dataclass(frozen=True)
class Conversion:
    """What is to be done."""

    source: Path  #: a file, or a folder with all below it
    target: Path  #: a file for all games, or a folder for a file each
    source_format: Format | None = None  #: None: by extension
    target_format: Format | None = None  #: None: by extension
    hints: Hints = field(default_factory=Hints)


def convert(task: Conversion) -> Summary:
    """Convert what can be; the summary says what could not, and why.

    Raises UserError where nothing can begin: no source, no format, no place to write.
    """
    summary = Summary()
    into_folder = task.target.is_dir() or str(task.target).endswith(os.sep) or format_of(task.target) is None
    kind = task.target_format or format_of(task.target)
    if kind is None:
        raise UserError(f"{task.target} is a folder or has no known extension: say the format by --to")
    if into_folder and task.target.is_file():
        raise UserError(f"{task.target} is a file, whose extension is no format's: name another, or a folder")
    batches: dict[Path, list[ReadGame]] = {}
    for path in _sources(task, summary):
        games = _read(path, task, summary)
        target = _target_of(path, task, kind, batches) if into_folder else task.target
        batches.setdefault(target, []).extend(_fitting(path, games, kind, summary))
        if into_folder:
            _write(target, batches[target], kind, summary)
            batches[target] = []
    if not into_folder:
        _write(task.target, batches.get(task.target, []), kind, summary)
    return summary


def _sources(task: Conversion, summary: Summary) -> list[Path]:
    if not task.source.is_dir():
        return [task.source]
    files = sorted(path for path in task.source.rglob("*") if path.is_file())
    known = [path for path in files if task.source_format is not None or format_of(path) is not None]
    summary.skipped.update(path.suffix or path.name for path in files if path not in set(known))
    if not known:
        raise UserError(f"{task.source}: no file has the extension of a format: say which it is by --from")
    return known


def _read(path: Path, task: Conversion, summary: Summary) -> list[ReadGame]:
    summary.num_files += 1
    try:
        reading = read_file(path, task.source_format, task.hints)
    except UserError as error:
        summary.refusals.append(str(error))
        return []
    summary.refusals += [f"{path}: {refusal.reason}" for refusal in reading.refusals]
    return reading.games


def _target_of(path: Path, task: Conversion, kind: Format, taken: dict[Path, list[ReadGame]]) -> Path:
    """The place below the target folder; the full old name where two files would have the same."""
    name = path.relative_to(task.source) if task.source.is_dir() else Path(path.name)
    target = task.target / name.with_suffix(kind.suffixes[0])
    return target if target not in taken else task.target / f"{name}{kind.suffixes[0]}"


def _fitting(path: Path, games: Sequence[ReadGame], kind: Format, summary: Summary) -> list[ReadGame]:
    """The games that the format has a place for."""
    kept = []
    for item in games:
        try:
            kind.check(item.game)
            kept.append(item)
        except UserError as error:
            summary.refusals.append(f"{path}: {item.where}: {error}")
    return kept


def _write(target: Path, items: Sequence[ReadGame], kind: Format, summary: Summary) -> None:
    """One file, or one a game where the format holds no more; nothing where there is no game."""
    games = [item.game for item in items]
    parts = {target: games} if kind.holds_many or len(games) == 1 else {}
    if not parts:
        width = max(4, len(str(len(games))))
        parts = {
            target.with_name(f"{target.stem}-{number:0{width}d}{target.suffix}"): [game]
            for number, game in enumerate(games, 1)
        }
    for path, of_file in parts.items():
        if not of_file:
            continue
        try:
            data = kind.write(of_file)
            beside = {} if kind.companions is None else kind.companions(of_file)
        except UserError as error:
            summary.refusals.append(f"{path}: {error}")
            continue
        write_bytes(path, data)
        for suffix, content in beside.items():
            write_bytes(path.with_suffix(f".{suffix}"), content)
        summary.written.append(path)
        summary.num_games += len(of_file)
        summary.num_unfinished += sum(game.is_unfinished for game in of_file)
