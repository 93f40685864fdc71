"""Othello on n x n: kernels over batches, and the `Othello` game.

Boards of up to 8 x 8 are played on 64-bit words (`othello_bits.py`), larger ones and rollouts on a bordered
copy of the board, int8[(n + 2) ** 2] with OUTSIDE all round, so that a walk along a line ends by itself. A
*square* is an index into that, a *point* one into the n x n board.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, Keys, LegalMask, Moves, Rows
from stonezero.games.othello_bits import WIDTH, legal_points, playable_points, turned_discs
from stonezero.games.position import (
    BLACK,
    DRAW,
    EMPTY,
    HISTORY,
    ONGOING,
    WHITE,
    Positions,
    allocate_positions,
    copy_rows,
)
from stonezero.games.random import next_state, random_below
from stonezero.jit import inlined_kernel, kernel
from stonezero.lanes import pop_count

OUTSIDE = 3
ONE = np.uint64(1)


class Words(NamedTuple):
    """How points of a board of up to 8 x 8 lie in a 64-bit word."""

    square_of: NDArray[np.int64]  #: int64[S]: the bit of each point
    playable: np.uint64  #: the bits of all points


class Layout(NamedTuple):
    """How points and squares lie to each other."""

    square_of: NDArray[np.int64]  #: int64[S]: the square of each point
    point_of: NDArray[np.int64]  #: int64[(n + 2) ** 2]: the point of each square, -1 in the border
    steps: NDArray[np.int64]  #: int64[8]: from a square to its neighbours


def make_layout(size: int) -> Layout:
    """The layout of a `size` x `size` board."""
    stride = size + 2
    square_of = np.array([y * stride + x for y in range(1, size + 1) for x in range(1, size + 1)], np.int64)
    point_of = np.full(stride * stride, -1, np.int64)
    point_of[square_of] = np.arange(size * size)
    steps = np.array([-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1], np.int64)
    return Layout(square_of, point_of, steps)


def make_words(size: int) -> Words:
    """The words of a `size` x `size` board, at most 8 x 8."""
    bits = [WIDTH * row + column for row in range(size) for column in range(size)]
    return Words(np.array(bits, np.int64), playable_points(size))


@kernel
def load_board(stones: NDArray[np.int8], row: int, layout: Layout, board: NDArray[np.int8]) -> None:
    """Copy stones[row] into the middle of `board`."""
    for point in range(len(layout.square_of)):
        board[layout.square_of[point]] = stones[row, point]


@kernel
def capture(board: NDArray[np.int8], square: int, side: int, layout: Layout) -> bool:
    """Put a disc of `side` on the empty `square` and turn discs; change nothing where none turns.

    Returns whether any disc turned, that is, whether the move was legal.
    """
    opponent = 3 - side
    has_turned = False
    for direction in range(8):
        step = layout.steps[direction]
        end = square + step
        while board[end] == opponent:
            end += step
        if board[end] == side:
            end -= step
            while end != square:
                board[end] = side
                has_turned = True
                end -= step
    if has_turned:
        board[square] = side
    return has_turned


@kernel
def mark_captures(board: NDArray[np.int8], side: int, layout: Layout, legal: LegalMask, b: int) -> int:
    """Write legal[b] but for the pass: the empty ends of opposing runs beside discs of `side`; count them."""
    opponent = 3 - side
    legal[b, :] = 0
    num_legal = 0
    for point in range(len(layout.square_of)):
        square = layout.square_of[point]
        if board[square] == side:
            for direction in range(8):
                step = layout.steps[direction]
                end = square + step
                if board[end] == opponent:
                    while board[end] == opponent:
                        end += step
                    if board[end] == EMPTY:
                        num_legal += 1 - legal[b, layout.point_of[end]]
                        legal[b, layout.point_of[end]] = 1
    return num_legal


@kernel
def final_status(board: NDArray[np.int8]) -> int:
    """The colour with more discs, or DRAW."""
    difference = 0
    for square in range(len(board)):
        if board[square] == BLACK:
            difference += 1
        elif board[square] == WHITE:
            difference -= 1
    if difference == 0:
        return DRAW
    return BLACK if difference > 0 else WHITE


@kernel
def mark_legal(board: NDArray[np.int8], side: int, layout: Layout, legal: LegalMask, b: int) -> int:
    """Write legal[b] for `side` to move and return the status: the game is over if neither side can move."""
    if mark_captures(board, side, layout, legal, b) > 0:
        return ONGOING
    must_pass = mark_captures(board, 3 - side, layout, legal, b) > 0
    legal[b, :] = 0
    legal[b, len(layout.square_of)] = must_pass
    return ONGOING if must_pass else final_status(board)


@inlined_kernel
def note_move(positions: Positions, parent: int, child: int, move: int, mover: int) -> None:
    """Write all of row `child` but stones and status."""
    for age in range(HISTORY - 1, 0, -1):
        positions.recent_moves[child, age] = positions.recent_moves[parent, age - 1]
    positions.recent_moves[child, 0] = move
    positions.ply[child] = positions.ply[parent] + 1
    positions.passes[child] = positions.passes[parent] + 1 if move == positions.stones.shape[1] else 0
    positions.turn[child] = 3 - mover


@kernel
def play_batch_on_words(
    positions: Positions, words: Words, parents: Rows, moves: Moves, children: Rows, legal: LegalMask
) -> None:
    """Kernel of `Othello.play` for boards of up to 8 x 8."""
    for b in range(len(parents)):
        parent, child, move = parents[b], children[b], np.int64(moves[b])
        mover = np.int64(positions.turn[parent])
        own, opponent = pack_sides(positions.stones, parent, words, mover)
        if move != positions.stones.shape[1]:
            square = words.square_of[move]
            turned = turned_discs(own, opponent, np.uint64(square))
            own |= turned | np.uint64(1) << np.uint64(square)
            opponent &= ~turned
        for point in range(positions.stones.shape[1]):
            bit = np.uint64(words.square_of[point])
            is_own, is_opponent = own >> bit & ONE, opponent >> bit & ONE
            positions.stones[child, point] = is_own * np.uint64(mover) + is_opponent * np.uint64(3 - mover)
        note_move(positions, parent, child, move, mover)
        positions.status[child] = mark_legal_words(opponent, own, words, 3 - mover, legal, b)


@inlined_kernel
def pack_sides(stones: NDArray[np.int8], row: int, words: Words, side: int) -> tuple[np.uint64, np.uint64]:
    """The discs of `side` and those of the other side in stones[row], as words."""
    own = occupied = np.uint64(0)
    for point in range(stones.shape[1]):
        bit = np.uint64(words.square_of[point])
        own |= np.uint64(stones[row, point] == side) << bit
        occupied |= np.uint64(stones[row, point] != EMPTY) << bit
    return own, occupied & ~own


@inlined_kernel
def mark_legal_words(
    own: np.uint64, opponent: np.uint64, words: Words, side: int, legal: LegalMask, b: int
) -> int:
    """As `mark_legal`, for `side` with the discs `own` to move."""
    points = legal_points(own, opponent, words.playable)
    num_points = len(words.square_of)
    for point in range(num_points):
        legal[b, point] = points >> np.uint64(words.square_of[point]) & ONE
    must_pass = points == 0 and legal_points(opponent, own, words.playable) != 0
    legal[b, num_points] = must_pass
    if points != 0 or must_pass:
        return ONGOING
    difference = pop_count(own) - pop_count(opponent)
    if difference == 0:
        return DRAW
    return side if difference > 0 else 3 - side


@kernel
def mark_legal_batch_on_words(positions: Positions, words: Words, rows: Rows, legal: LegalMask) -> None:
    """Kernel of `Othello.legal_moves` for boards of up to 8 x 8."""
    for b in range(len(rows)):
        row = rows[b]
        if positions.status[row] == ONGOING:
            side = np.int64(positions.turn[row])
            own, opponent = pack_sides(positions.stones, row, words, side)
            mark_legal_words(own, opponent, words, side, legal, b)
        else:
            legal[b, :] = 0


@kernel
def play_batch(
    positions: Positions,
    work: tuple[Layout, NDArray[np.int8]],
    parents: Rows,
    moves: Moves,
    children: Rows,
    legal: LegalMask,
) -> None:
    """Kernel of `Othello.play`; `work` is the layout and a bordered board with its border set."""
    layout, board = work
    num_points = positions.stones.shape[1]
    for b in range(len(parents)):
        parent, child, move = parents[b], children[b], np.int64(moves[b])
        mover = np.int64(positions.turn[parent])
        load_board(positions.stones, parent, layout, board)
        if move != num_points:
            capture(board, layout.square_of[move], mover, layout)
        for point in range(num_points):
            positions.stones[child, point] = board[layout.square_of[point]]
        note_move(positions, parent, child, move, mover)
        positions.status[child] = mark_legal(board, 3 - mover, layout, legal, b)


@kernel
def mark_legal_batch(
    positions: Positions, work: tuple[Layout, NDArray[np.int8]], rows: Rows, legal: LegalMask
) -> None:
    """Kernel of `Othello.legal_moves`; `work` as in `play_batch`."""
    layout, board = work
    for b in range(len(rows)):
        row = rows[b]
        if positions.status[row] == ONGOING:
            load_board(positions.stones, row, layout, board)
            mark_legal(board, np.int64(positions.turn[row]), layout, legal, b)
        else:
            legal[b, :] = 0


@kernel
def roll_out(
    board: NDArray[np.int8], empties: NDArray[np.int64], side: int, key: np.uint64, layout: Layout
) -> int:
    """Play random moves on `board` (changed) until neither side can move; return the final status.

    `empties` (int64[S]) is work space. The first legal square of a random order of the empty squares
    is a uniformly random legal move.
    """
    num_empty = 0
    for square in layout.square_of:
        if board[square] == EMPTY:
            empties[num_empty] = square
            num_empty += 1
    state = key
    num_passes = 0
    while num_passes < 2:
        num_passes += 1
        for tried in range(num_empty):
            state = next_state(state)
            chosen = tried + random_below(state, num_empty - tried)
            square = empties[chosen]
            empties[chosen] = empties[tried]
            empties[tried] = square
            if capture(board, square, side, layout):
                num_empty -= 1
                empties[tried] = empties[num_empty]
                num_passes = 0
                break
        side = 3 - side
    return final_status(board)


@kernel
def roll_out_batch(
    positions: Positions,
    work: tuple[Layout, NDArray[np.int8]],
    empties: NDArray[np.int64],
    rows: Rows,
    keys: Keys,
    values: NDArray[np.float32],
) -> None:
    """Kernel of `Othello.rollout`; `work` as in `play_batch`, `empties` work space of int64[S]."""
    layout, board = work
    for b in range(len(rows)):
        turn = np.int64(positions.turn[rows[b]])
        status = np.int64(positions.status[rows[b]])
        if status == ONGOING:
            load_board(positions.stones, rows[b], layout, board)
            status = roll_out(board, empties, turn, keys[b], layout)
        values[b] = 0.0 if status == DRAW else (1.0 if status == turn else -1.0)


class Othello(Game):
    """Black starts from d4, e5 white and d5, e4 black (on 8x8); a move must turn at least one disc.

    A side that cannot move passes if the other can; the game ends at once when neither can. More discs
    win, equal discs draw.
    """

    name = "othello"
    has_pass = True

    def __init__(self, size: int) -> None:
        """Trusts its argument; `make_game` checks it."""
        self.size = size
        self.num_points = size * size
        self.num_actions = self.num_points + 1
        self.max_plies = 2 * (self.num_points - 4)  # a pass is followed by a disc
        self._layout = make_layout(size)
        self._words = None if size > WIDTH else make_words(size)

    def spec(self) -> dict[str, str | int]:
        return {"name": self.name, "size": self.size, "k": 0, "rules": "othello"}

    def new_positions(self, num_positions: int) -> Positions:
        positions = allocate_positions(num_positions, self.num_points)
        upper_left = (self.size // 2 - 1) * (self.size + 1)
        positions.stones[:, [upper_left, upper_left + self.size + 1]] = WHITE
        positions.stones[:, [upper_left + 1, upper_left + self.size]] = BLACK
        return positions

    def status_of(self, positions: Positions, row: int) -> int:
        position = copy_rows(positions, np.array([row]))
        position.status[0] = ONGOING
        legal = np.empty((1, self.num_actions), np.uint8)
        self.legal_moves(position, np.zeros(1, np.int64), legal)
        return ONGOING if legal.any() else final_status(position.stones[0])

    def play(
        self, positions: Positions, parents: Rows, moves: Moves, children: Rows, legal: LegalMask
    ) -> None:
        if self._words:
            play_batch_on_words(positions, self._words, parents, moves, children, legal)
        else:
            play_batch(positions, self._work(), parents, moves, children, legal)

    def legal_moves(self, positions: Positions, rows: Rows, legal: LegalMask) -> None:
        if self._words:
            mark_legal_batch_on_words(positions, self._words, rows, legal)
        else:
            mark_legal_batch(positions, self._work(), rows, legal)

    def rollout(self, positions: Positions, rows: Rows, keys: Keys, values: NDArray[np.float32]) -> None:
        empties = np.empty(self.num_points, np.int64)
        roll_out_batch(positions, self._work(), empties, rows, keys, values)

    def _work(self) -> tuple[Layout, NDArray[np.int8]]:
        return self._layout, np.full((self.size + 2) ** 2, OUTSIDE, np.int8)
