"""What a file says of a game before the rules have seen it, and what a reader is told beside the file.

A reader makes `Transcript`s, whatever its format; `stonezero.records.formats.game_text.replay` checks them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.catalogue import make_game
from stonezero.games.game import Game
from stonezero.games.notation import quoted
from stonezero.games.position import EMPTY, ONGOING

RULE_NAMES = {
    "freestyle": "freestyle",
    "free": "freestyle",
    "gomoku": "freestyle",
    "0": "freestyle",
    "standard": "standard",
    "exact": "standard",
    "1": "standard",
    "renju": "renju",
    "4": "renju",
}
"""Names of rule sets in files: words, and the numbers of the Gomocup protocol."""


class FormatError(UserError):
    """A file, or one game in it, that cannot be read or written: where, and why, always in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


@dataclass(frozen=True)
class Hints:
    """What the user says of files; it counts for more than what files say. Empty: ask the file."""

    game: str = ""
    size: int = 0
    k: int = 0
    rules: str = ""
    companions: Mapping[str, bytes] = field(
        default_factory=dict
    )  #: files beside this one: "jou" and "trn" of WTHOR

    def __post_init__(self) -> None:
        if self.game not in ("", "gomoku", "othello"):
            raise UserError(f"there is no game {quoted(self.game)}: choose gomoku or othello")

    def gomoku(self, size: int, rules: str, k: int = 0) -> Game:
        """The Gomoku of a file that says this `size`, `rules` and `k` (0 or "" where it does not)."""
        size = self.size or size
        return make_game("gomoku", size, self.k or k or min(5, size), self.rules or rules)

    def othello(self, size: int) -> Game:
        """The Othello of a file that says this size."""
        return make_game("othello", self.size or size, self.k, self.rules)

    def refuse_other_game(self, name: str, what: str) -> None:
        """FormatError where the user asks for another game than `name`, the only one of this format."""
        if self.game not in ("", name):
            raise FormatError(f"{what} holds {name}, not {quoted(self.game)}")


class Turn(NamedTuple):
    """One move as written."""

    side: int  #: BLACK, WHITE, or EMPTY where the file does not say
    move: int  #: index; the pass of a game without passes is refused before
    where: str  #: "line 3" or "byte 84"
    comment: str = ""


@dataclass
class Transcript:
    """One game as written."""

    game: Game
    where: str
    turns: list[Turn] = field(default_factory=list)
    stones: NDArray[np.int8] | None = None  #: int8[S] of a position set up; None: the game's own start
    first: int = EMPTY  #: side to move at the start; EMPTY: that of the first turn, or BLACK
    result: int = ONGOING  #: as stated; ONGOING where nothing is
    ending: str = ""  #: resigned, timeout, agreed: why a game ended before the board said so
    disc_difference: int | None = None  #: Black's discs less White's, as stated (Othello)
    gives_empties_to_winner: bool = False  #: the difference certainly counts so
    facts: dict[str, str] = field(default_factory=dict)  #: black, white, event, date, ... as text


def rules_named(text: str, where: str) -> tuple[str, int]:
    """Rules and k of a text like "standard", "4" or "freestyle, 6 in a row"; ("", 0) of an empty one."""
    name, _, row = text.strip().lower().partition(",")
    words = row.split()
    is_row = words[1:] == ["in", "a", "row"] and words[0].isdecimal() and len(words[0]) <= 2
    if not name.strip():
        return "", 0
    if name.strip() not in RULE_NAMES or (words and not is_row):
        known = ", ".join(sorted({name for name in RULE_NAMES if name.isalpha()}))
        raise FormatError(f"{where}: the rules {quoted(text)} are none of {known}: say which by --rules")
    return RULE_NAMES[name.strip()], int(words[0]) if words else 0


def rules_text(game: Game) -> str:
    """What `rules_named` reads as the rules of a Gomoku game."""
    spec = game.spec()
    return str(spec["rules"]) if spec["k"] == 5 else f"{spec['rules']}, {spec['k']} in a row"


def decoded(data: bytes, declared: str = "") -> str:
    """The text of a file: by its declared encoding where that fits, else as UTF-8, else as Latin-1."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    for encoding in (declared, "utf-8"):
        if encoding:
            try:
                return data.decode(encoding)
            except (UnicodeDecodeError, LookupError):
                continue
    return data.decode("latin-1")


def first_of(facts: Mapping[str, str], *names: str) -> str:
    """The first of these facts that is there, or an empty text."""
    return next((facts[name] for name in names if facts.get(name)), "")
