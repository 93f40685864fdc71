"""`book+rollouts`, an anchor: an opening book of BOOK_PLIES plies in front of `rollouts`. It never changes.

Where the books come from: `python -m stonezero.arena.make_book GAME SIZE [K [RULES]]` made them out of
nothing but the rules. From the start, each position's two most visited moves of a rollout search with
BOOK_SIMULATIONS simulations are followed for BOOK_PLIES plies, and the most visited one is the book's answer.
A book holds a line per position, distinct up to symmetry: the moves that lead there, a colon, the answer.
"""

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.game import Game, Moves, Rows
from stonezero.games.notation import describe, parse_move
from stonezero.games.position import Positions
from stonezero.games.symmetry import INVERSE, symmetry_tables, transform_move
from stonezero.players.player import Player
from stonezero.players.search_player import SearchPlayer

BOOK_PLIES = 8
BOOK_SIMULATIONS = 4000
FOLDER = "books"


class CanonicalForm(NamedTuple):
    """A position, the same for all that symmetries map onto each other."""

    key: bytes
    symmetry: int  #: that takes the position to its canonical form


Book = dict[bytes, int]
"""The answer to each position, as a move of its canonical form."""


def book_name(game: Game) -> str:
    """Name of the game's book file."""
    spec = game.spec()
    rules = f"-k{spec['k']}-{spec['rules']}" if game.name == "gomoku" else ""
    return f"{game.name}-{game.size}{rules}.txt"


@lru_cache(maxsize=8)
def read_book(game: Game) -> Book:
    """The game's book; UserError where there is none."""
    file = files("stonezero.players") / FOLDER / book_name(game)
    if not file.is_file():
        raise UserError(
            f"there is no opening book for {describe(game)}, so no book+rollouts: choose rollouts instead"
        )
    return parse_book(game, file.read_text(encoding="utf-8"))


def parse_book(game: Game, text: str) -> Book:
    """A book out of its text; the first line of a position counts."""
    book: Book = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        moves, _, answer = line.partition(":")
        board = Board(game)
        for move in moves.split():
            board.play(move)
        form = canonical_form(game, board.positions, 0)
        book.setdefault(form.key, transform_move(parse_move(game, answer), form.symmetry, game.size))
    return book


def canonical_form(game: Game, positions: Positions, row: int) -> CanonicalForm:
    """The smallest of the eight images of a position."""
    tables = symmetry_tables(game.size)
    stones = positions.stones[row]
    images = [stones[tables[INVERSE[symmetry]]].tobytes() for symmetry in range(len(tables))]
    symmetry = min(range(len(images)), key=images.__getitem__)
    return CanonicalForm(images[symmetry] + bytes([positions.turn[row]]), symmetry)


class BookPlayer(Player):
    """Plays the book's answer where there is one, and searches elsewhere."""

    def __init__(self, book: Book, search: SearchPlayer, game: Game) -> None:
        self.name = search.name
        self._book = book
        self._search = search
        self._game = game

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        answers = np.array([self._answer(positions, int(row)) for row in rows], np.int16)
        unknown = np.flatnonzero(answers < 0)
        if len(unknown):
            answers[unknown] = self._search.choose(positions, rows[unknown], keys[unknown])
        return answers

    def _answer(self, positions: Positions, row: int) -> int:
        """The book's move, or -1."""
        if positions.ply[row] >= BOOK_PLIES:
            return -1
        form = canonical_form(self._game, positions, row)
        move = self._book.get(form.key)
        return -1 if move is None else transform_move(move, int(INVERSE[form.symmetry]), self._game.size)
