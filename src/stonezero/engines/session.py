"""Lines between a program and an engine: read by a thread, so that a search can see who is waiting."""

import contextlib
import queue
import threading
from collections.abc import Iterator
from typing import IO, Protocol

MAX_LINE = 65_536  #: bytes; what is longer is cut


class Inbox:
    """Lines that have come in, and what can be said of those to come."""

    def __init__(self) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._has_end = threading.Event()

    def put(self, line: str | None) -> None:
        """A line, or None at the end of input."""
        if line is not None and line.strip().upper() == "END":
            self._has_end.set()
        self._lines.put(line)

    def has_line(self) -> bool:
        return not self._lines.empty()

    def has_end(self) -> bool:
        """Whether a Gomocup manager has told us to stop, be it behind other lines."""
        return self._has_end.is_set()

    def __iter__(self) -> Iterator[str]:
        while (line := self._lines.get()) is not None:
            yield line


class Engine(Protocol):
    """Answers one line at a time."""

    is_over: bool

    def answer(self, line: str) -> Iterator[str]:
        """Lines to send, each as soon as it is known. Raises nothing, whatever the line."""


def read_lines(stream: IO[bytes], inbox: Inbox) -> None:
    """Fill the inbox until the stream ends; an unbuffered one, for a buffer's lock outlives a session."""
    with contextlib.suppress(OSError, ValueError):
        while data := stream.readline(MAX_LINE):
            inbox.put(data.decode("utf-8", "replace").rstrip("\r\n"))
    inbox.put(None)


def run_session(engine: Engine, inbox: Inbox, source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer until the engine is told to stop, or either side of the pipe is gone."""
    threading.Thread(target=read_lines, args=(source, inbox), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        for line in inbox:
            for answer in engine.answer(line):
                sink.write(f"{answer}\n".encode())
                sink.flush()
            if engine.is_over:
                return
