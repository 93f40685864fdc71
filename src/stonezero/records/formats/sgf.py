"""SGF: Gomoku (GM[4]) and Othello (GM[2]), also out of exporters that label their files wrongly.

Points are two letters, column and row from the top left, or as players write them (h8, d3). Rules are those
of red-bean.com/sgf (FF[4], and FF[1]'s appendix for Othello). Only the main line is read. Othello's passes
may be `[]`, `[tt]`, `[PA]`, `[pass]` or left out.

A file is Gomoku when it says GM[4]; when it says something else, only if its moves end in a row of k, or the
user says so: other games' records look alike.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.catalogue import OTHELLO_SIZES
from stonezero.games.game import Game
from stonezero.games.notation import move_to_text, parse_move
from stonezero.games.position import BLACK, DRAW, EMPTY, ONGOING, WHITE, WHITE_WON
from stonezero.records.formats.game_text import GameText, disc_differences, replay
from stonezero.records.formats.properties import Property, PropertyList, escaped, scan
from stonezero.records.formats.transcript import (
    FormatError,
    Hints,
    Transcript,
    Turn,
    decoded,
    rules_named,
    rules_text,
)

ENCODINGS = {
    name.replace("-", "").replace("_", ""): name
    for name in (
        *("utf-8", "latin-1", "iso-8859-1", "iso-8859-2", "iso-8859-15", "cp1250", "cp1251", "cp1252"),
        *("gb18030", "gbk", "gb2312", "big5", "shift_jis", "euc_jp", "euc_kr", "koi8_r", "ascii"),
    )
}
CHARSET = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_.-]{1,20})\s*\]")
HEAD_BYTES = 4096  #: where CA must stand
OTHELLO, GOMOKU = "2", "4"
GAME_NUMBERS = {OTHELLO: "othello", GOMOKU: "gomoku"}
SIDES = {"B": BLACK, "W": WHITE}
FACTS = {
    "black": "PB",
    "white": "PW",
    "black_rating": "BR",
    "white_rating": "WR",
    "event": "EV",
    "round": "RO",
}
FACTS |= {"place": "PC", "date": "DT", "time_limit": "TM", "name": "GN", "source": "SO", "comment": "C"}
RESULT = re.compile(r"(?P<side>b|w|black|white)\+(?P<how>.*)", re.I | re.S)
ENDINGS = {"r": "resigned", "resign": "resigned", "t": "timeout", "time": "timeout", "f": "stated"}
ENDING_LETTERS = {"resigned": "R", "timeout": "T"}
PASSES = ("", "pass", "--")
OTHELLO_PASSES = ("pa", "ps")  #: points of a large Gomoku board
GO_PASS = "tt"  #: of boards up to 19x19
LETTERS = re.compile(r"[a-z]{2}")


def split(data: bytes, hints: Hints) -> Iterator[PropertyList]:
    """The games of a file; FormatError where the grammar breaks."""
    declared = CHARSET.search(data[:HEAD_BYTES])
    name = "" if declared is None else declared[1].decode("ascii").lower().replace("-", "").replace("_", "")
    return scan(decoded(data, ENCODINGS.get(name, "")), "SGF")


def parse(game: PropertyList, hints: Hints) -> Transcript:
    """One game as written; FormatError names the line."""
    size = _size(game, hints)
    name = hints.game or _game_name(game, size, hints)
    if name == "othello":
        return _transcript(game, hints.othello(size))
    return _transcript(game, _gomoku(game, size, hints))


def check(game: GameText) -> None:
    """SGF has a place for every game."""


def write(games: Sequence[GameText]) -> bytes:
    """A collection, one game a paragraph. UTF-8."""
    return "".join(f"{_written(game)}\n" for game in games).encode()


def _size(game: PropertyList, hints: Hints) -> int:
    text = game.first("SZ")
    width, _, height = text.partition(":")
    if hints.size:
        return hints.size
    if not text and game.first("GM") == OTHELLO:
        return 8
    if not text:
        raise FormatError(f"{game.where}: the game does not say its size (SZ): give it by --size")
    if not re.fullmatch(r"[0-9]{1,3}(:[0-9]{1,3})?", text) or (height and int(height) != int(width)):
        raise FormatError(f"{game.where}: SZ[{text[:20]}] is no square board")
    return int(width)


def _gomoku(game: PropertyList, size: int, hints: Hints) -> Game:
    rules, k = ("", 0) if hints.rules else rules_named(game.first("RU"), game.where)
    return hints.gomoku(size, rules, k)


def _game_name(game: PropertyList, size: int, hints: Hints) -> str:
    """Which game it is, by its number where that fits, else by its moves."""
    number = game.first("GM")
    if number == GOMOKU or (
        number == OTHELLO and size in OTHELLO_SIZES and not _has_gomoku_moves(game, size)
    ):
        return GAME_NUMBERS[number]
    if _is_won_gomoku(game, size, hints):
        return "gomoku"
    says = f"says GM[{number[:10]}]" if number else "does not say what it is (GM)"
    raise FormatError(
        f"{game.where}: the game {says}, and its moves do not end in five in a row: if it is one of this "
        "program's games, say so by --game gomoku or --game othello"
    )


def _has_gomoku_moves(game: PropertyList, size: int) -> bool:
    """A first move in Othello touches the centre; one that no Othello game begins with is Gomoku's."""
    first = next((item for item in game.properties if item.key in SIDES), None)
    if first is None or any(item.key in ("AB", "AW") for item in game.properties):
        return False
    try:
        board = Board("othello", size)
        move = _point(board.game, first.values[0], first.where)
    except UserError:
        return True
    return move not in board.legal_moves()


def _is_won_gomoku(game: PropertyList, size: int, hints: Hints) -> bool:
    try:
        won = replay(_transcript(game, _gomoku(game, size, hints)))
    except UserError:
        return False
    return won.status in (BLACK, WHITE) and not won.ending


def _transcript(properties: PropertyList, game: Game) -> Transcript:
    transcript = Transcript(game, properties.where, facts=_facts(properties))
    stones: NDArray[np.int8] | None = None
    comments: dict[int, str] = {}
    nodes: list[int] = []
    for item in properties.properties:
        if item.key in SIDES:
            point = _point(game, item.values[0], item.where)
            if len(transcript.turns) > 2 * game.max_plies:
                raise FormatError(f"{item.where}: no game has so many moves")
            transcript.turns.append(Turn(SIDES[item.key], point, item.where))
            nodes.append(item.node)
        elif item.key in ("AB", "AW", "AE"):
            if transcript.turns:
                raise FormatError(f"{item.where}: {item.key} puts stones in the middle of the game")
            stones = np.zeros(game.num_points, np.int8) if stones is None else stones
            _set_up(game, item, stones)
        elif item.key == "PL" and not transcript.turns:
            transcript.first = _side_to_play(item)
        elif item.key == "C":
            comments[item.node] = item.values[0]
    transcript.stones = stones
    if nodes and nodes[0] in comments and "comment" in transcript.facts:
        transcript.facts.pop("comment")  # it is the first move's
    transcript.turns = [
        turn._replace(comment=comments.pop(node, ""))
        for turn, node in zip(transcript.turns, nodes, strict=True)
    ]
    _read_result(properties.first("RE"), transcript)
    return transcript


def _facts(properties: PropertyList) -> dict[str, str]:
    facts = {name: properties.first(key) for name, key in FACTS.items() if key != "C"}
    first = next(iter(properties.properties), None)
    root = first.node if first is not None else 0
    facts["comment"] = next(
        (p.values[0] for p in properties.properties if p.key == "C" and p.node == root), ""
    )
    return {name: text for name, text in facts.items() if text}


def _point(game: Game, text: str, where: str) -> int:
    """The move that a value names; FormatError where it names none."""
    word = text.strip().lower()
    is_pass = word in PASSES or (word == GO_PASS and game.size < 20)
    if is_pass or (game.has_pass and word in OTHELLO_PASSES):
        if not game.has_pass:
            raise FormatError(f"{where}: a pass, which {game.name} does not have")
        return game.pass_move
    if LETTERS.fullmatch(word):
        column, row = ord(word[0]) - ord("a"), ord(word[1]) - ord("a")
        if column < game.size and row < game.size:
            return row * game.size + column
        raise FormatError(f"{where}: [{word}] lies outside a board of {game.size}x{game.size}")
    try:
        return parse_move(game, word)
    except UserError as error:
        raise FormatError(f"{where}: {error}") from None


def _set_up(game: Game, item: Property, stones: NDArray[np.int8]) -> None:
    content = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}[item.key]
    for value in item.values:
        corners = [_point(game, part, item.where) for part in value.split(":")]
        if len(corners) > 2 or game.num_points in corners:
            raise FormatError(f"{item.where}: {item.key}[{value[:20]}] is no point")
        (top, left), (bottom, right) = (divmod(corner, game.size) for corner in (corners[0], corners[-1]))
        stones.reshape(game.size, game.size)[top : bottom + 1, left : right + 1] = content


def _side_to_play(item: Property) -> int:
    letter = item.values[0].strip()[:1].upper()
    side = {"B": BLACK, "1": BLACK, "W": WHITE, "2": WHITE}.get(letter)
    if side is None:
        raise FormatError(f"{item.where}: PL[{item.values[0][:10]}] is no side: write B or W")
    return side


def _read_result(text: str, transcript: Transcript) -> None:
    """RE where it is a known form; anything else says nothing."""
    match = RESULT.fullmatch(text)
    if match is None:
        if text.lower() in ("0", "draw", "jigo"):
            transcript.result = DRAW
        return
    transcript.result = BLACK if match["side"][0] in "bB" else WHITE
    how = match["how"].strip().lower()
    transcript.ending = ENDINGS.get(how, "")
    if re.fullmatch(r"[0-9]{1,3}", how) and transcript.game.name == "othello":
        transcript.disc_difference = int(how) * (1 if transcript.result == BLACK else -1)


def _written(game: GameText) -> str:
    is_othello = game.game.name == "othello"
    size = game.game.size
    head = {
        "FF": "4",
        "GM": OTHELLO if is_othello else GOMOKU,
        "CA": "UTF-8",
        "AP": "stonezero",
        "SZ": str(size),
    }
    if not is_othello:
        head["RU"] = rules_text(game.game)
    head |= {key: game.facts[name] for name, key in FACTS.items() if game.facts.get(name)}
    head["RE"] = _result_text(game)
    root = "".join(f"{key}[{escaped(value)}]" for key, value in head.items())
    turns = game.positions().turn
    moves = []
    for ply, move in enumerate(game.moves):
        comment = f"C[{escaped(game.comments[ply])}]" if ply in game.comments else ""
        moves.append(f";{'BW'[turns[ply] - 1]}[{_point_text(game.game, move)}]{comment}")
    lines = ["".join(moves[i : i + 10]) for i in range(0, len(moves), 10)]
    return "\n".join([f"(;{root}{_set_up_text(game)}", *lines]) + ")"


def _point_text(game: Game, move: int) -> str:
    if game.has_pass and move == game.pass_move:
        return ""
    if game.name == "othello":
        return move_to_text(game, move)
    row, column = divmod(move, game.size)
    return chr(ord("a") + column) + chr(ord("a") + row)


def _set_up_text(game: GameText) -> str:
    """The stones of the start, which readers of Othello expect in any case."""
    if game.start is None and game.game.name == "gomoku":
        return ""
    positions = game.positions()
    stones, turn = positions.stones[0], int(positions.turn[0])
    parts = []
    for key, side in (("AB", BLACK), ("AW", WHITE)):
        points = "".join(f"[{_point_text(game.game, int(p))}]" for p in np.flatnonzero(stones == side))
        parts.append(f"{key}{points}" if points else "")
    return "".join(parts) + f"PL[{'BW'[turn - 1]}]"


def _result_text(game: GameText) -> str:
    if game.status in (ONGOING, DRAW):
        return "?" if game.status == ONGOING else "0"
    side = "W" if game.status == WHITE_WON else "B"
    if not game.ending and game.game.name == "othello":
        difference = disc_differences(game.positions().stones[-1])[1]
        return f"{side}+{abs(difference)}"
    return f"{side}+{ENDING_LETTERS.get(game.ending, '')}"
