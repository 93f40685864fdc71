"""Moves as text: a column letter from a on (i included) and a row number, or `pass`.

Rows are counted from the bottom in Gomoku (h8 is the centre of 15x15) and from the top in Othello (f5).
"""

import re

import numpy as np

from stonezero.errors import UserError
from stonezero.games.game import Game

MOVE_TEXT = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)
QUOTED_LENGTH = 40  #: of wrong input in a message


class NotationError(UserError):
    """A move that names nothing on the board, whatever the position."""


def move_to_text(game: Game, move: int) -> str:
    """The text of a move; raises NotationError for a number that is no action of the game."""
    if not 0 <= move < game.num_actions:
        raise NotationError(
            f"{quoted(move)} is no move of {describe(game)}: moves are 0 to {game.num_actions - 1}"
        )
    if move == game.num_points:
        return "pass"
    row, column = divmod(int(move), game.size)
    return f"{chr(ord('a') + column)}{row_label(game, row)}"


def parse_move(game: Game, text: str) -> int:
    """The move that `text` names, in either case; raises NotationError for anything else."""
    word = text.strip().lower()
    if word == "pass" and game.has_pass:
        return game.pass_move
    match = MOVE_TEXT.fullmatch(word)
    column = ord(match[1]) - ord("a") if match else game.size
    label = int(match[2]) if match else 0
    if column >= game.size or not 1 <= label <= game.size:
        last = chr(ord("a") + game.size - 1)
        kinds = f"a1 to {last}{game.size}" + (" or pass" if game.has_pass else "")
        raise NotationError(f"{quoted(text)} is no move of {describe(game)}: write {kinds}")
    row = game.size - label if game.name == "gomoku" else label - 1
    return row * game.size + column


def row_label(game: Game, row: int) -> int:
    """The number that players give to the row with this index from the top."""
    return game.size - row if game.name == "gomoku" else row + 1


def describe(game: Game) -> str:
    """The game in words, as `Board` prints it: "gomoku 15x15, 5 in a row, freestyle"."""
    spec = game.spec()
    board = f"{game.name} {game.size}x{game.size}"
    return f"{board}, {spec['k']} in a row, {spec['rules']}" if game.name == "gomoku" else board


def quoted(value: object) -> str:
    """Wrong input as a message shows it: in one line, cut to 40 characters."""
    plain = value.item() if isinstance(value, np.generic) else value
    try:
        text = " ".join(repr(plain).splitlines())
    except ValueError:  # Python refuses to write integers of thousands of digits
        text = f"a huge {type(plain).__name__}"
    return text if len(text) <= QUOTED_LENGTH else text[: QUOTED_LENGTH - 3] + "..."
