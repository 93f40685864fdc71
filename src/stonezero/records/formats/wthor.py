"""WTHOR, the base of Othello tournaments: .wtb with games, .jou with players, .trn with tournaments.

All three have a header of 16 bytes (little endian): date of the file (century, year, month, day), number of
games uint32, number of names uint16, year of the games uint16, then bytes: board size (0 or 8), type (1:
solitaires), depth (empties of the best score; 0: 22), and one unused. A game is 68 bytes: tournament, black,
white (uint16), black's score, black's best score, 60 moves as 10 * row + column from 11 to 88, 0 after the
end. Passes are not written. Scores give the empty squares to the winner. Names have 20 and 26 bytes.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stonezero.games.position import ONGOING
from stonezero.records.formats.game_text import GameText, disc_differences
from stonezero.records.formats.transcript import FormatError, Hints, Transcript, Turn, first_of

HEADER = struct.Struct("<4BIHHBBBx")
GAME = struct.Struct("<HHHBB60s")
SIZE = 8
SOLITAIRES = 1
NAME_BYTES = {"jou": 20, "trn": 26}
UNKNOWN_NAME = "???"
NO_DATE = (20, 0, 1, 1)
"""Of the files that we write: the same games give the same bytes."""


class Entry(NamedTuple):
    """One game of a file."""

    number: int
    offset: int  #: of its first byte
    data: bytes
    year: int


def split(data: bytes, hints: Hints) -> Iterator[Entry]:
    """The games of a .wtb file; FormatError where its header contradicts it."""
    hints.refuse_other_game("othello", "WTHOR")
    if len(data) < HEADER.size:
        raise FormatError(f"byte {len(data)}: the file ends within its header of {HEADER.size} bytes")
    *_, num_games, _, year, size, kind, _ = HEADER.unpack_from(data)
    if size not in (0, SIZE) or hints.size not in (0, SIZE):
        raise FormatError(f"byte 12: a board of size {size}: only 8x8 (0 or 8) is read")
    if kind == SOLITAIRES:
        raise FormatError("byte 13: a file of solitaires, which have no games")
    expected = HEADER.size + num_games * GAME.size
    if len(data) != expected:
        raise FormatError(
            f"byte 4: the header says {num_games} games, so {expected} bytes, but the file has {len(data)}"
        )
    for number in range(1, num_games + 1):
        offset = HEADER.size + (number - 1) * GAME.size
        yield Entry(number, offset, data[offset : offset + GAME.size], year)


def parse(entry: Entry, hints: Hints) -> Transcript:
    """One game as written; FormatError names the byte."""
    tournament, black, white, score, best_score, moves = GAME.unpack(entry.data)
    where = f"game {entry.number}, byte {entry.offset}"
    if score > 64:
        raise FormatError(f"game {entry.number}, byte {entry.offset + 6}: a score of {score}, of 64 discs")
    facts = {
        "black": _name(hints, "jou", black),
        "white": _name(hints, "jou", white),
        "event": _name(hints, "trn", tournament),
        "date": str(entry.year) if entry.year else "",
        "black_discs": str(score),
        "black_discs_with_best_play": str(best_score),
    }
    return Transcript(
        hints.othello(SIZE),
        where,
        turns=list(_turns(entry, moves)),
        disc_difference=2 * score - 64,
        gives_empties_to_winner=True,
        facts={name: text for name, text in facts.items() if text},
    )


def check(game: GameText) -> None:
    """FormatError for a game that WTHOR has no place for."""
    if game.game.name != "othello" or game.game.size != SIZE or game.start is not None:
        raise FormatError("WTHOR holds Othello 8x8 from its usual start, and nothing else")
    if game.ending:
        raise FormatError(f"WTHOR has no place for a result that the board does not show: {game.ending}")


def write(games: Sequence[GameText]) -> bytes:
    """A .wtb file of games that pass `check`."""
    players, tournaments = (
        {name: place for place, name in enumerate(names_of(games, kind))} for kind in NAME_BYTES
    )
    years = [match[0] for game in games if (match := re.match(r"[0-9]{4}", game.facts.get("date", "")))]
    year = int(years[0]) if years else 0
    parts = [HEADER.pack(*NO_DATE, len(games), 0, year, SIZE, 0, 0)]
    for game in games:
        codes = [
            10 * (move // SIZE + 1) + move % SIZE + 1 for move in game.moves if move != game.game.pass_move
        ]
        black, white = (players[_stored(game, name, "jou")] for name in ("black", "white"))
        event = tournaments[_stored(game, "event", "trn")]
        score = _black_score(game)
        best = game.facts.get("black_discs_with_best_play", "")
        best_score = int(best) if re.fullmatch(r"[0-9]{1,2}", best) else score
        parts.append(GAME.pack(event, black, white, score, best_score, bytes(codes)))
    return b"".join(parts)


def companions(games: Sequence[GameText]) -> dict[str, bytes]:
    """The .jou (players) and .trn (tournaments) files that belong to `write(games)`."""
    files = {}
    for kind, width in NAME_BYTES.items():
        names = names_of(games, kind)
        stored = b"".join(name.encode("latin-1", "replace").ljust(width, b"\0") for name in names)
        files[kind] = HEADER.pack(*NO_DATE, 0, len(names), 0, 0, 0, 0) + stored
    return files


def names_of(games: Sequence[GameText], kind: str) -> list[str]:
    """The names of a .jou or .trn file, in order; the first is that of the unknown."""
    facts = ("black", "white") if kind == "jou" else ("event",)
    names = dict.fromkeys([UNKNOWN_NAME, *(_stored(game, name, kind) for game in games for name in facts)])
    if len(names) > 1 << 16:
        raise FormatError(f"a WTHOR file holds 65536 names of one kind, not {len(names)}")
    return list(names)


def _turns(entry: Entry, moves: bytes) -> Iterator[Turn]:
    codes = moves.rstrip(b"\0")
    for place, code in enumerate(codes):
        row, column = divmod(code, 10)
        where = f"game {entry.number}, byte {entry.offset + GAME.size - len(moves) + place}"
        if not (1 <= row <= SIZE and 1 <= column <= SIZE):
            raise FormatError(f"{where}: {code} is no square: a move is 10 * row + column, 11 to 88")
        yield Turn(0, (row - 1) * SIZE + column - 1, where)


def _name(hints: Hints, kind: str, number: int) -> str:
    """Name `number` of a companion file; its number where the file or the name is missing."""
    begin = HEADER.size + number * NAME_BYTES[kind]
    data = hints.companions.get(kind, b"")[begin : begin + NAME_BYTES[kind]]
    return data.split(b"\0")[0].decode("latin-1").strip() or f"#{number}"


def _stored(game: GameText, fact: str, kind: str) -> str:
    """A name as the file keeps it: cut to the width of its place, which ends with a zero byte."""
    return first_of(game.facts, fact)[: NAME_BYTES[kind] - 1].strip() or UNKNOWN_NAME


def _black_score(game: GameText) -> int:
    plain, with_empties = disc_differences(game.positions().stones[-1])
    return (64 + (plain if game.status == ONGOING else with_empties)) // 2
