"""GGF, the records of the Generic Game Server, Othello only (M. Buro, skatgame.net/mburo/ggsa/ggf).

`(;GM[Othello]PC[GGS]PB[a]PW[b]TY[8]RE[+12.000:r]BO[8 <cells> *]B[d3/eval/seconds]W[c5//0.01]...;)`. The
lines of an archive begin with the number of games of a match, which is skipped. NBoard's `set game` sends the
same.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.game import Game
from stonezero.games.notation import describe, move_to_text, parse_move
from stonezero.games.position import BLACK, DRAW, EMPTY, ONGOING, WHITE
from stonezero.records.formats.game_text import GameText, disc_differences, status_by_sign
from stonezero.records.formats.properties import Property, PropertyList, escaped, scan
from stonezero.records.formats.transcript import FormatError, Hints, Transcript, Turn, decoded, first_of

SIDES = {"B": BLACK, "W": WHITE}
CELLS = {"*": BLACK, "X": BLACK, "O": WHITE, "-": EMPTY, ".": EMPTY}
CELL_LETTERS = "-*O"
FACTS = {
    "black": "PB",
    "white": "PW",
    "black_rating": "RB",
    "white_rating": "RW",
    "place": "PC",
    "date": "DT",
}
FACTS |= {"time_limit": "TI", "event": "EV", "comment": "CO"}
RESULT = re.compile(r"(?P<score>[-+]?[0-9]{1,3}(\.[0-9]{0,9})?)(:(?P<how>[rts]))?")
ENDINGS = {"r": "resigned", "t": "timeout", "s": "agreed"}
ENDING_LETTERS = {name: f":{letter}" for letter, name in ENDINGS.items()}
ANTI = re.compile(r"s?[0-9]+(r[0-9]+)?a.*")
PASSES = ("pa", "ps", "pass")
EVALUATION = re.compile(r"[-+0-9.eE]*(/[-+0-9.]*)?")  #: and seconds, behind the move


def split(data: bytes, hints: Hints) -> Iterator[PropertyList]:
    """The games of a file; FormatError where the grammar breaks."""
    hints.refuse_other_game("othello", "GGF")
    return scan(decoded(data), "GGF")


def parse(properties: PropertyList, hints: Hints) -> Transcript:
    """One game as written; FormatError names the line."""
    name, kind = properties.first("GM"), properties.first("TY").lower()
    if name.lower() != "othello":
        raise FormatError(f"{properties.where}: GM[{name[:20]}], where only Othello is read")
    if ANTI.fullmatch(kind):
        raise FormatError(f"{properties.where}: TY[{kind[:20]}] is anti-Othello, where fewer discs win")
    board = next((item for item in properties.properties if item.key == "BO"), None)
    if board is None:
        raise FormatError(f"{properties.where}: the game has no start position (BO)")
    game, stones, turn = _start(board, hints)
    transcript = Transcript(game, properties.where, stones=stones, first=turn)
    transcript.facts = {name: text for name, key in FACTS.items() if (text := properties.first(key))}
    for item in properties.properties:
        if item.key in SIDES:
            transcript.turns.append(_turn(game, item))
    if not properties.first("KM"):  # a komi counts towards the score, not on the board
        _read_result(properties.first("RE"), transcript)
    return transcript


def check(game: GameText) -> None:
    """FormatError for a game that is not Othello."""
    if game.game.name != "othello":
        raise FormatError(f"GGF holds Othello here, not {describe(game.game)}")


def write(games: Sequence[GameText]) -> bytes:
    """One game a line."""
    return "".join(f"{_written(game)}\n" for game in games).encode()


def _start(item: Property, hints: Hints) -> tuple[Game, NDArray[np.int8], int]:
    words = item.values[0].split()
    cells = "".join(words[1:]).upper()
    if not words or not re.fullmatch(r"[0-9]{1,2}", words[0]):
        raise FormatError(f"{item.where}: BO[{item.values[0][:20]}...] does not begin with the board's size")
    try:
        game = hints.othello(int(words[0]))
    except UserError as error:
        raise FormatError(f"{item.where}: {error}") from None
    if len(cells) != game.num_points + 1 or not set(cells) <= CELLS.keys() or CELLS[cells[-1]] == EMPTY:
        raise FormatError(
            f"{item.where}: BO needs {game.num_points} cells, each *, O or -, and then the side "
            "to move, * or O"
        )
    return game, np.array([CELLS[cell] for cell in cells[:-1]], np.int8), CELLS[cells[-1]]


def _turn(game: Game, item: Property) -> Turn:
    word, _, rest = item.values[0].partition("/")
    text = word.strip().lower()
    if text in PASSES:
        return Turn(SIDES[item.key], game.pass_move, item.where, rest)
    try:
        return Turn(SIDES[item.key], parse_move(game, text), item.where, rest)
    except UserError as error:
        raise FormatError(f"{item.where}: {error}") from None


def _read_result(text: str, transcript: Transcript) -> None:
    """RE where it is a number; anything else says nothing."""
    match = RESULT.fullmatch(text)
    score = 0.0 if match is None else float(match["score"])
    if match is None or abs(score) > transcript.game.num_points:  # Edax writes -127 for a game not over
        return
    transcript.result = status_by_sign(score)
    transcript.ending = ENDINGS.get(match["how"] or "", "")
    if transcript.ending:
        transcript.facts["score"] = match["score"]
    elif score == int(score):
        transcript.disc_difference = int(score)


def _written(game: GameText) -> str:
    rules = game.game
    positions = game.positions()
    cells = "".join(CELL_LETTERS[stone] for stone in positions.stones[0])
    rows = [cells[i : i + rules.size] for i in range(0, len(cells), rules.size)]
    head = {"GM": "Othello", "PC": first_of(game.facts, "place") or "stonezero", "TY": str(rules.size)}
    head |= {key: game.facts[name] for name, key in FACTS.items() if game.facts.get(name)}
    head["RE"] = _result_text(game)
    head["BO"] = " ".join([str(rules.size), *rows, CELL_LETTERS[positions.turn[0]]])
    root = "".join(f"{key}[{escaped(value)}]" for key, value in head.items())
    moves = []
    for ply, move in enumerate(game.moves):
        word = "PA" if move == rules.pass_move else move_to_text(rules, move)
        comment = game.comments.get(ply, "")
        tail = f"/{comment}" if comment and EVALUATION.fullmatch(comment) else ""
        moves.append(f"{'BW'[positions.turn[ply] - 1]}[{word}{tail}]")
    return f"(;{root}{''.join(moves)};)"


def _result_text(game: GameText) -> str:
    if game.status == ONGOING:
        return "?"
    if not game.ending:
        return f"{disc_differences(game.positions().stones[-1])[1]:+d}.000"
    score = game.facts.get("score", "")
    if not RESULT.fullmatch(score) or status_by_sign(float(score)) != game.status:
        score = {BLACK: "+1.000", WHITE: "-1.000", DRAW: "0.000"}[game.status]
    return score + ENDING_LETTERS.get(game.ending, "")
