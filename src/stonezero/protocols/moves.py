"""Moves as engine protocols write them.

GTP      Gomoku: letter (I is skipped) and row from the bottom, as in Go. Othello: letter and row from
         the top. A pass is `pass`.
Gomocup  `x,y` from the top left corner, both from 0.
NBoard   Othello: letter and row from the top, in capitals. A pass is `PA`.
"""

import re

from stonezero.games.game import Game
from stonezero.games.notation import NotationError, describe, quoted

GTP_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
VERTEX = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)
COORDINATES = re.compile(r"(\d{1,2})\s*,\s*(\d{1,2})", re.ASCII)


def gtp_text(game: Game, move: int) -> str:
    """The vertex of a move."""
    if move == game.num_points:
        return "pass"
    row, column = divmod(move, game.size)
    if game.name == "othello":
        return f"{chr(ord('A') + column)}{row + 1}"
    return f"{GTP_LETTERS[column]}{game.size - row}"


def parse_gtp(game: Game, text: str) -> int:
    """The move of a vertex, in either case; NotationError for anything else."""
    word = text.strip().lower()
    if word == "pass" and game.has_pass:
        return game.pass_move
    match = VERTEX.fullmatch(word)
    letters = GTP_LETTERS.lower() if game.name == "gomoku" else "abcdefghijklmnopqrstuvwxyz"
    column = letters.find(match[1]) if match else -1
    label = int(match[2]) if match else 0
    if not 0 <= column < game.size or not 1 <= label <= game.size:
        raise NotationError(f"{quoted(text)} is no vertex of {describe(game)}")
    row = game.size - label if game.name == "gomoku" else label - 1
    return row * game.size + column


def gomocup_text(game: Game, move: int) -> str:
    """`x,y` of a move."""
    row, column = divmod(move, game.size)
    return f"{column},{row}"


def parse_gomocup(game: Game, text: str) -> int:
    """The move of `x,y`; NotationError for anything else."""
    match = COORDINATES.fullmatch(text.strip())
    column, row = (int(match[1]), int(match[2])) if match else (game.size, game.size)
    if column >= game.size or row >= game.size:
        raise NotationError(f"{quoted(text)} is no point of {describe(game)}: write x,y from 0,0")
    return row * game.size + column


def nboard_text(game: Game, move: int) -> str:
    """A move as NBoard writes it."""
    if move == game.num_points:
        return "PA"
    row, column = divmod(move, game.size)
    return f"{chr(ord('A') + column)}{row + 1}"


def parse_nboard(game: Game, text: str) -> int:
    """A move, with or without `/eval/time` behind it; NotationError for anything else."""
    word = text.strip().partition("/")[0].upper()
    if word in ("PA", "PS", "PASS"):
        return game.pass_move
    return parse_gtp(game, word)
