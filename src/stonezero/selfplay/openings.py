"""How a self-play game begins: random moves, a line of the book, an earlier game's moves, or none of them.

Opening moves are recorded and never learnt from. All draws come from the game's own stream.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import SelfplayConfig
from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.game import Game
from stonezero.games.notation import parse_move
from stonezero.games.position import ONGOING
from stonezero.games.symmetry import NUM_SYMMETRIES, transform_move

Line = tuple[int, ...]  #: moves from the start position


class EarlierGames(NamedTuple):
    """Move lists of earlier games, one after the other."""

    moves: NDArray[np.int16]  #: int16[V]
    offsets: NDArray[np.int64]  #: int64[games + 1]: game i owns moves offsets[i] to offsets[i + 1]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def game(self, number: int) -> NDArray[np.int16]:
        """int16[T]: the moves of one game."""
        return self.moves[self.offsets[number] : self.offsets[number + 1]]


NO_GAMES = EarlierGames(np.zeros(0, np.int16), np.zeros(1, np.int64))


def parse_book(lines: Sequence[str], game: Game) -> list[Line]:
    """The book's lines as moves; UserError for a line without moves, an illegal move or the end of a game."""
    book = []
    for number, text in enumerate(lines, start=1):
        board, words = Board(game), text.split()
        if not words:
            raise UserError(f"selfplay.opening_book line {number} has no moves")
        for place, word in enumerate(words, start=1):
            try:
                board.play(word)
            except UserError as error:
                raise UserError(f"selfplay.opening_book line {number}, move {place}: {error}") from error
        if board.is_over:
            raise UserError(f"selfplay.opening_book line {number} ends the game: {text}")
        book.append(tuple(parse_move(game, word) for word in words))
    return book


class Openings:
    """Draws the first moves of games; shares are those of conf/selfplay."""

    def __init__(self, game: Game, selfplay: SelfplayConfig, earlier: EarlierGames = NO_GAMES) -> None:
        self._game = game
        self._selfplay = selfplay
        self._book = parse_book(selfplay.opening_book, game)
        self._earlier = earlier
        self._legal = np.zeros((1, game.num_actions), np.uint8)

    def draw(self, rng: np.random.Generator) -> Line:
        """The opening moves of one game, perhaps none; the game goes on after them."""
        chance = rng.random()
        for share, line in (
            (self._selfplay.random_opening_share, self._random_line),
            (self._selfplay.opening_book_share, self._book_line),
            (self._selfplay.earlier_game_share, self._earlier_line),
        ):
            if chance < share:
                return line(rng)
            chance -= share
        return ()

    def _random_line(self, rng: np.random.Generator) -> Line:
        """1 to `random_opening_plies` uniformly random moves; all drawn anew where they end the game."""
        most = self._selfplay.random_opening_plies
        while True:
            num_plies = int(rng.integers(1, most + 1))
            position, row = self._game.new_positions(1), np.zeros(1, np.int64)
            line: list[int] = []
            while len(line) < num_plies and position.status[0] == ONGOING:
                self._game.legal_moves(position, row, self._legal)
                line.append(int(rng.choice(np.flatnonzero(self._legal[0]))))
                self._game.play(position, row, np.array(line[-1:], np.int16), row, self._legal)
            if position.status[0] == ONGOING:
                return tuple(line)

    def _book_line(self, rng: np.random.Generator) -> Line:
        """A line of the book, turned by a random symmetry that leaves the start position as it is."""
        line = self._book[int(rng.integers(len(self._book)))]
        symmetry = int(rng.choice(self._start_symmetries()))
        return tuple(transform_move(move, symmetry, self._game.size) for move in line)

    def _start_symmetries(self) -> list[int]:
        stones = self._game.new_positions(1).stones[0]
        return [
            symmetry
            for symmetry in range(NUM_SYMMETRIES)
            if all(
                stones[transform_move(point, symmetry, self._game.size)] == stones[point]
                for point in range(self._game.num_points)
            )
        ]

    def _earlier_line(self, rng: np.random.Generator) -> Line:
        """An earlier game's moves up to a ply drawn evenly, its end left out; none before the first games."""
        if not len(self._earlier):
            return ()
        moves = self._earlier.game(int(rng.integers(len(self._earlier))))
        return tuple(int(move) for move in moves[: int(rng.integers(len(moves)))])
