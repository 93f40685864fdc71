"""Writing files so that a reader meets the whole file or the old one, never half of one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
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
        temporary.unlink(missing_ok=True)


def _flush_to_disk(path: Path) -> None:
    """A rename may reach the disk before the data does: a power cut would leave an empty file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
