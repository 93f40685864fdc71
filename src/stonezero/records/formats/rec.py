"""REC, the other record of Piskvork: one line `x,y` a move (more may follow), from 0, without a header.

So it says no size: the user must (`--size 15`).
"""

from collections.abc import Iterator, Sequence

from stonezero.games.notation import quoted
from stonezero.records.formats import psq
from stonezero.records.formats.game_text import GameText
from stonezero.records.formats.transcript import FormatError, Hints, Transcript, decoded


def split(data: bytes, hints: Hints) -> Iterator[list[str]]:
    """The one game of the file, as lines."""
    hints.refuse_other_game("gomoku", "REC")
    if not hints.size:
        raise FormatError("line 1: a REC file does not say the size of its board: give it, as --size 15")
    yield decoded(data).rstrip("\x00\x1a \r\n").splitlines()


def parse(lines: list[str], hints: Hints) -> Transcript:
    """The game as written; FormatError names the line."""
    game = hints.gomoku(hints.size, "")
    turns = psq.moves_of(lines, 0, game, 0)
    if len(turns) < len(lines):
        raise FormatError(f"line {len(turns) + 1}: {quoted(lines[len(turns)])} is no move: write x,y from 0")
    return Transcript(game, "line 1", turns=turns)


def check(game: GameText) -> None:
    """FormatError for a game that REC has no place for."""
    psq.check(game, "REC")


def write(games: Sequence[GameText]) -> bytes:
    """A file of one game."""
    (game,) = games
    return "".join(f"{move % game.game.size},{move // game.game.size}\r\n" for move in game.moves).encode()
