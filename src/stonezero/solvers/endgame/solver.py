"""`EndgameSolver`: exact scores and best moves of Othello positions, by search to the end of the game."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.game import Game
from stonezero.games.notation import quoted
from stonezero.games.othello_bits import WIDTH, pack_discs, playable_points
from stonezero.games.position import BLACK, EMPTY, NO_MOVE, WHITE
from stonezero.solvers.endgame.last_squares import NO_SCORE
from stonezero.solvers.endgame.search import Memory, Window, search_root
from stonezero.solvers.endgame.squares import NUM_SQUARES
from stonezero.solvers.endgame.table import NO_SQUARE, new_table

FEWEST_ROW_BITS, MOST_ROW_BITS = 8, 21
ROW_BITS_BEYOND_EMPTIES = 3
"""The table of a position with e empties has 2 ** (e + this) rows, within those limits: up to 64 MiB."""

EXACT = Window(-NUM_SQUARES, NUM_SQUARES, wants_all=False)
EVERY_MOVE = Window(-NUM_SQUARES, NUM_SQUARES, wants_all=True)
OUTCOME = Window(-1, 1, wants_all=False)


class EndgameError(UserError):
    """A position that the endgame solver cannot be asked about."""


class Solution(NamedTuple):
    """What a search found."""

    score: int  #: for the side to move: disc difference, empty squares counted for the winner; or -1, 0, 1
    move: int  #: a best move, the pass where it is forced; NO_MOVE once the game is over
    num_nodes: int  #: moves tried


class EndgameSolver:
    """Solves positions of one game of Othello on 4x4, 6x6 or 8x8; its table is reused, never its contents.

    So an answer depends on the position alone. Some 20 empty squares take a second; each one more takes about
    twice as long, and a search cannot be interrupted.
    """

    def __init__(self, game: Game) -> None:
        """Raises EndgameError for other games and boards."""
        if game.name != "othello" or game.size > WIDTH:
            raise EndgameError(
                "the endgame solver takes Othello on 4x4, 6x6 and 8x8, "
                f"not {game.name} on {game.size}x{game.size}"
            )
        self.game = game
        self._margin = (WIDTH + 1) * ((WIDTH - game.size) // 2)  # the board lies in the middle of the squares
        playable = int(playable_points(game.size)) << self._margin
        corners = [self._square(row, column) for row in (0, game.size - 1) for column in (0, game.size - 1)]
        self._memory = Memory(
            table=new_table(1 << FEWEST_ROW_BITS),
            moves=np.zeros((NUM_SQUARES + 1, NUM_SQUARES), np.int64),
            nodes=np.zeros(1, np.int64),
            playable=np.uint64(playable),
            corners=np.uint64(sum(1 << square for square in corners)),
        )
        self._scores = np.zeros(NUM_SQUARES, np.int64)

    def solve(self, stones: NDArray[np.int8], side: int) -> Solution:
        """The exact score of stones int8[S] with `side` to move, and a move that reaches it.

        EndgameError where the position is impossible, here and in the other methods.
        """
        return self.solve_discs(*self._discs(stones, side))

    def outcome(self, stones: NDArray[np.int8], side: int) -> Solution:
        """Whether `side` wins (score 1), draws (0) or loses (-1), and a move that keeps that."""
        score, move, num_nodes = self._search(*self._discs(stones, side), OUTCOME)
        return Solution(int(np.sign(score)), move, num_nodes)

    def score_moves(self, stones: NDArray[np.int8], side: int) -> NDArray[np.int16]:
        """int16[A]: the exact score of each legal move, NO_SCORE for all others."""
        score, move, _ = self._search(*self._discs(stones, side), EVERY_MOVE)
        result = np.full(self.game.num_actions, NO_SCORE, np.int16)
        if move == self.game.pass_move:
            result[move] = score
        elif move != NO_MOVE:
            size = self.game.size
            squares = [self._square(row, column) for row in range(size) for column in range(size)]
            result[: self.game.num_points] = self._scores[squares]
        return result

    def solve_discs(self, own: int, opponent: int) -> Solution:
        """As `solve`, from two sets of bits as in `games.othello_bits`; `own` is to move."""
        return self._search(own, opponent, EXACT)

    def _search(self, own: int, opponent: int, window: Window) -> Solution:
        self._check(own, opponent)
        mine, theirs = np.uint64(own << self._margin), np.uint64(opponent << self._margin)
        num_empties = self.game.num_points - (own | opponent).bit_count()
        memory = self._cleared_memory(num_empties)
        square = search_root(mine, theirs, window, memory, self._scores)
        if square != NO_SQUARE:
            return Solution(int(self._scores[square]), self._point(square), int(memory.nodes[0]))
        square = search_root(theirs, mine, window, memory, self._scores)
        if square != NO_SQUARE:
            return Solution(-int(self._scores[square]), self.game.pass_move, int(memory.nodes[0]))
        lead = own.bit_count() - opponent.bit_count()
        return Solution(lead + num_empties * int(np.sign(lead)), NO_MOVE, 0)

    def _cleared_memory(self, num_empties: int) -> Memory:
        bits = min(max(num_empties + ROW_BITS_BEYOND_EMPTIES, FEWEST_ROW_BITS), MOST_ROW_BITS)
        if len(self._memory.table) < 1 << bits:
            self._memory = self._memory._replace(table=new_table(1 << bits))
        memory = self._memory._replace(table=self._memory.table[: 1 << bits])
        memory.table[:] = 0
        memory.nodes[0] = 0
        return memory

    def _discs(self, stones: NDArray[np.int8], side: int) -> tuple[int, int]:
        """The discs of `side` and of its opponent as bits."""
        if side not in (BLACK, WHITE):
            raise EndgameError(f"the side to move is {BLACK} (black) or {WHITE} (white), not {quoted(side)}")
        if stones.shape != (self.game.num_points,) or not np.isin(stones, (EMPTY, BLACK, WHITE)).all():
            raise EndgameError(
                f"the endgame solver takes an array of {self.game.num_points} points, each {EMPTY} (empty), "
                f"{BLACK} (black) or {WHITE} (white)"
            )
        board = np.ascontiguousarray(stones, np.int8)[None]
        own, opponent = (pack_discs(board, 0, self.game.size, colour) for colour in (side, 3 - side))
        return int(own), int(opponent)

    def _check(self, own: int, opponent: int) -> None:
        inside = int(playable_points(self.game.size))
        size = f"{self.game.size}x{self.game.size}"
        if own & opponent:
            raise EndgameError(
                f"an impossible position: both sides have a disc on {self._name(own & opponent)}"
            )
        if outside := (own | opponent) & ~inside:
            raise EndgameError(
                f"an impossible position: {outside.bit_count()} discs lie outside the {size} board"
            )
        if not own | opponent:
            raise EndgameError(f"an impossible position: there is no disc on the {size} board")

    def _name(self, squares: int) -> str:
        """The first of some squares, as in notation."""
        row, column = divmod((squares & -squares).bit_length() - 1, WIDTH)
        return f"{chr(ord('a') + column)}{row + 1}"

    def _square(self, row: int, column: int) -> int:
        return WIDTH * row + column + self._margin

    def _point(self, square: int) -> int:
        row, column = divmod(square - self._margin, WIDTH)
        return row * self.game.size + column
