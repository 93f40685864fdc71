"""Writing files so that a reader meets the whole file or the old one, never half of one; digests of files."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stonezero.errors import UserError


class WriteError(UserError):
    """A file could not be written: disk full, no permission, no such folder."""


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`; rename it to `path` when the block ends well.

    The folder is made where it is missing. When the block fails, the temporary file is removed and
    what was at `path` before stays. Raises WriteError in place of the OSError of a failed write.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        _flush_to_disk(temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise WriteError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def _flush_to_disk(path: Path) -> None:
    """A rename may reach the disk before the data does: a power cut would leave an empty file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8, whole or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content`, whole or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


def digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, or of all files of a folder and their names; `missing` where there is neither.

    Compiled Python files are not part of a folder's content.
    """
    path = Path(path)
    if path.is_file():
        return file_digest(path)
    if not path.is_dir():
        return "missing"
    total = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            total.update(f"{file.relative_to(path).as_posix()} {file_digest(file)}\n".encode())
    return total.hexdigest()


def file_digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, as hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
