"""The bracketed grammar that SGF and GGF share: `(;KEY[value][value];KEY[value]...)`, scanned with its lines.

Of a tree with variations only the main line (always the first branch) is kept. What stands between games is
skipped. No recursion, and one pass: time and memory grow with the length of the text alone.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from stonezero.games.notation import quoted
from stonezero.records.formats.transcript import FormatError

OPENING = re.compile(r"\(\s*(?:;|(?=[A-Z]{1,4}\s*\[))")  #: some exporters leave the first ; out
TOKEN = re.compile(
    r"\s*+(?:(?P<mark>[();])|(?P<key>[A-Za-z]++)|(?P<value>\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]))", re.S
)
VISIBLE = re.compile(r"\S")
ESCAPED = re.compile(r"\\(\r\n|\n\r|.)", re.S)
LINE_BREAKS = ("\n", "\r\n", "\n\r", "\r")


class Property(NamedTuple):
    """One property of the main line."""

    key: str  #: capital letters
    values: list[str]  #: at least one, escapes resolved
    line: int
    node: int  #: number of the node within its game

    @property
    def where(self) -> str:
        return f"line {self.line}"


class PropertyList(NamedTuple):
    """One game: its properties in their order."""

    line: int
    properties: list[Property]

    @property
    def where(self) -> str:
        return f"line {self.line}"

    def first(self, key: str) -> str:
        """The first value of the first property `key`, without blanks around it; empty without one."""
        return next((item.values[0].strip() for item in self.properties if item.key == key), "")


def scan(text: str, what: str) -> Iterator[PropertyList]:
    """The games of a text, one after the other; FormatError with the line where the grammar breaks."""
    scanner = _Scanner(text)
    opening = OPENING.search(text)
    if opening is None:
        raise FormatError(f"line 1: no game here: {what} begins with (;")
    while opening is not None:
        game = scanner.game(opening.start())
        yield game
        opening = OPENING.search(text, scanner.position)


class _Scanner:
    """Where the scan stands in a text."""

    def __init__(self, text: str) -> None:
        self.position = 0
        self._text = text
        self._line, self._counted = 1, 0

    def game(self, start: int) -> PropertyList:
        """Scan one game that begins at `start`."""
        self.position = start
        game = PropertyList(self._line_of(start), [])
        branches: list[int] = []  # of each open bracket: how many branches have begun in it
        off_main, node = 0, 0  # at which depth the scan left the main line; 0: it is on it
        while True:
            kind, token = self._next(game)
            if token == "(":
                if branches:
                    branches[-1] += 1
                    if branches[-1] > 1 and not off_main:
                        off_main = len(branches) + 1
                branches.append(0)
            elif token == ")":
                if off_main == len(branches):
                    off_main = 0
                branches.pop()
                if not branches:
                    return game
            elif token == ";":
                node += 1
            elif kind == "key":
                item = self._property(token, node, game)
                if not off_main:
                    game.properties.append(item)
            else:
                raise FormatError(
                    f"line {self._line_of(self.position)}: {quoted(token)} belongs to no property"
                )

    def _property(self, key: str, node: int, game: PropertyList) -> Property:
        line = self._line_of(self.position)
        values = []
        while True:
            match = TOKEN.match(self._text, self.position)
            if match is None or match.lastgroup != "value":
                break
            self.position = match.end()
            values.append(ESCAPED.sub(_unescaped, match["value"][1:-1]))
        if not values:
            self._next(game)  # a value without its end has a message of its own
            raise FormatError(f"line {line}: the property {quoted(key)} has no value in [ ]")
        return Property(
            "".join(letter for letter in key if letter.isupper()) or key.upper(), values, line, node
        )

    def _next(self, game: PropertyList) -> tuple[str, str]:
        match = TOKEN.match(self._text, self.position)
        if match is not None and match.lastgroup is not None:
            self.position = match.end()
            return match.lastgroup, match[match.lastgroup]
        junk = VISIBLE.search(self._text, self.position)
        if junk is None:
            raise FormatError(f"line {self._line_of(len(self._text))}: the game of {game.where} has no )")
        word = self._text[junk.start() : junk.start() + 10]
        fault = "a value that has no ]" if word[0] == "[" else f"{quoted(word)} where a property should be"
        raise FormatError(f"line {self._line_of(junk.start())}: {fault}")

    def _line_of(self, position: int) -> int:
        """Number of the line of a position, which may not lie before the last one asked for."""
        self._line += self._text.count("\n", self._counted, max(position, self._counted))
        self._counted = max(position, self._counted)
        return self._line


def _unescaped(match: re.Match[str]) -> str:
    return "" if match[1] in LINE_BREAKS else match[1]


def escaped(value: str) -> str:
    """A text as a value between brackets."""
    return value.replace("\\", "\\\\").replace("]", "\\]")
