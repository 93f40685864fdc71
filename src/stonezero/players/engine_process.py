"""An outside engine as a process: lines to it, lines from it within a time limit, never a hang."""

import contextlib
import os
import queue
import shlex
import shutil
import subprocess
import threading
import time
import weakref

from stonezero.errors import UserError
from stonezero.games.notation import quoted
from stonezero.processes import die_with_parent

MAX_LINE = 65_536  #: bytes; longer ones are cut into several
MAX_WAITING = 10_000  #: lines that an engine may be ahead; then its pipe fills and it waits for us

CLOSE_SECONDS = 0.5


class EngineError(Exception):
    """An outside engine has not done what its protocol asks for."""


class EngineDiedError(EngineError):
    """The process has ended."""


def split_command(text: str) -> tuple[str, ...]:
    """The words of a command line; UserError where its program doesn't exist."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"the engine command {quoted(text)} can't be read: {error}") from error
    if not words:
        raise UserError("an outside engine needs a command, as in gtp:/usr/games/gtp-rhino")
    if shutil.which(words[0]) is None:
        raise UserError(f"there is no program {quoted(words[0])} to run as an engine")
    return tuple(words)


class EngineProcess:
    """A running engine. What it writes to stderr is dropped."""

    def __init__(self, command: tuple[str, ...]) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=die_with_parent if os.name == "posix" else None,
            )
        except OSError as error:
            raise EngineDiedError(f"cannot be started: {error.strerror}") from error
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_WAITING)
        threading.Thread(target=_pump, args=(self._process, self._lines), daemon=True).start()
        self._finalizer = weakref.finalize(self, _kill, self._process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, line: str) -> None:
        """Write one line; EngineDiedError where nobody reads it."""
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(f"{line}\n".encode())
            stdin.flush()
        except OSError as error:
            raise EngineDiedError("has ended") from error

    def read(self, deadline: float) -> str:
        """The next line, without its end, before time.monotonic() is `deadline`.

        EngineError when there is none in time, EngineDiedError when there can't be one any more.
        """
        seconds_left = deadline - time.monotonic()
        try:
            if seconds_left <= 0:
                raise queue.Empty
            line = self._lines.get(timeout=seconds_left)
        except queue.Empty:
            raise EngineError("gave no answer in time") from None
        if line is None:
            self._lines.put(None)
            raise EngineDiedError("has ended")
        return line

    def close(self) -> None:
        """End the process and what it has started."""
        self._finalizer()
        with contextlib.suppress(queue.Empty):
            while self._lines.get(timeout=CLOSE_SECONDS) is not None:
                pass  # lets go of the thread that waits to hand over more lines


def _pump(process: subprocess.Popen[bytes], lines: "queue.Queue[str | None]") -> None:
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):
        while data := process.stdout.readline(MAX_LINE):
            lines.put(data.decode("utf-8", "replace").rstrip("\r\n"))
    lines.put(None)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End the process's whole session; its pipes first, so that a thread that waits for it wakes up."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, 9)
        else:
            process.kill()
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    process.wait()
