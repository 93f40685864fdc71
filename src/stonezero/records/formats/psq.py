"""PSQ, the records of Piskvork and Gomocup: `Piskvorky 15x15, 11:11, 0`, then one line `x,y,ms` a move.

x and y count from 1, from the top left. After the moves may stand the two engines' names, a result code, and
`1,Freestyle`: a player and the rules. Without that the rules are freestyle, unless the user says otherwise.
What the board does not show of the result is unknown.
"""

import re
from collections.abc import Iterator, Sequence

from stonezero.games.game import Game
from stonezero.games.notation import describe, quoted
from stonezero.records.formats.game_text import GameText
from stonezero.records.formats.transcript import FormatError, Hints, Transcript, Turn, decoded, rules_named

HEADER = re.compile(
    r"Piskvorky (?P<width>[0-9]{1,3})x(?P<height>[0-9]{1,3}), *[0-9]+:[0-9]+, *(?P<first>[01])\b.*"
)
MOVE = re.compile(r" *(?P<x>-?[0-9]{1,4}) *, *(?P<y>-?[0-9]{1,4}) *(, *(?P<ms>-?[0-9]{1,12}) *)?(,.*)?")
CODE = re.compile(r"-?[0-9]{1,6}")
RULES = re.compile(r"(?P<player>[0-9]) *, *(?P<rules>[A-Za-z]{2,20})")
MAX_TRAILER_LINES = 8


def split(data: bytes, hints: Hints) -> Iterator[list[str]]:
    """The one game of the file, as lines."""
    hints.refuse_other_game("gomoku", "PSQ")
    yield decoded(data).rstrip("\x00\x1a \r\n").splitlines()


def parse(lines: list[str], hints: Hints) -> Transcript:
    """The game as written; FormatError names the line."""
    header = HEADER.fullmatch(lines[0].strip()) if lines else None
    if header is None:
        raise FormatError("line 1: a PSQ file begins with a line like 'Piskvorky 15x15, 0:0, 0'")
    if header["width"] != header["height"]:
        raise FormatError(
            f"line 1: a board of {header['width']}x{header['height']}: only square ones are played"
        )
    rules = RULES.fullmatch(lines[-1].strip())
    stated = rules_named(rules["rules"], f"line {len(lines)}")[0] if rules and not hints.rules else ""
    game = hints.gomoku(int(header["width"]), stated)
    transcript = Transcript(game, "line 1", turns=moves_of(lines, 1, game, 1))
    if rules:
        transcript.facts["result_player"] = rules["player"]
    trailer = lines[1 + len(transcript.turns) : len(lines) - bool(rules)]
    _read_trailer(trailer, len(transcript.turns) + 2, int(header["first"]), transcript)
    return transcript


def check(game: GameText, what: str = "PSQ") -> None:
    """FormatError for a game that PSQ has no place for."""
    if game.game.name != "gomoku" or game.game.spec()["k"] != 5:
        raise FormatError(f"{what} holds Gomoku with five in a row, not {describe(game.game)}")
    if game.start is not None:
        raise FormatError(f"{what} has no place for a position that was set up")
    if game.ending:
        raise FormatError(f"{what} has no place for a result that the board does not show: {game.ending}")


def write(games: Sequence[GameText]) -> bytes:
    """A file of one game."""
    (game,) = games
    size = game.game.size
    lines = [f"Piskvorky {size}x{size}, 0:0, 0"]
    lines += [f"{move % size + 1},{move // size + 1},0" for move in game.moves]
    names = [game.facts.get(name, "") for name in ("black", "white")]
    lines += [" ".join(name.split()) or "?" for name in names] if any(names) else []
    return "".join(f"{line}\r\n" for line in [*lines, "-1"]).encode()


def moves_of(lines: Sequence[str], begin: int, game: Game, lowest: int) -> list[Turn]:
    """The moves in lines[begin:], up to the first line that is none; their coordinates begin at `lowest`."""
    turns: list[Turn] = []
    for number, line in enumerate(lines[begin:], begin + 1):
        match = MOVE.fullmatch(line)
        if match is None:
            break
        if len(turns) > game.max_plies:
            raise FormatError(f"line {number}: no game has so many moves")
        column, row = int(match["x"]) - lowest, int(match["y"]) - lowest
        if not (0 <= column < game.size and 0 <= row < game.size):
            last = game.size - 1 + lowest
            raise FormatError(
                f"line {number}: {match['x']},{match['y']} lies outside the board: coordinates are "
                f"{lowest} to {last}"
            )
        comment = f"{match['ms']} ms" if match["ms"] not in (None, "0") else ""
        turns.append(Turn(0, row * game.size + column, f"line {number}", comment))
    return turns


def _read_trailer(lines: list[str], number: int, first: int, transcript: Transcript) -> None:
    """Two names, the player who starts second where `first` is 1, and a code; all of it may be missing."""
    lines = [line.strip() for line in lines]
    if len(lines) > MAX_TRAILER_LINES:
        raise FormatError(f"line {number}: {quoted(lines[0])} is no move, and too much follows to be the end")
    lines = [line for line in lines if line]
    if lines and CODE.fullmatch(lines[-1]):
        transcript.facts["result_code"] = lines.pop()
    if len(lines) not in (0, 2):
        raise FormatError(
            f"line {number}: {quoted(lines[0])} is neither a move nor the first of two names before the end"
        )
    if lines:
        transcript.facts |= {"black": lines[first], "white": lines[1 - first]}
