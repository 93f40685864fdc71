"""Othello on n x n: kernels over batches, and the `Othello` game.

Kernels work on a bordered copy of the board, int8[(n + 2) ** 2] with OUTSIDE all round, so that a walk
along a line ends by itself. A *square* is an index into it, a *point* one into the n x n board.
"""

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game, Keys, LegalMask, Moves, Rows
from stonezero.games.position import (
    BLACK,
    DRAW,
    EMPTY,
    HISTORY,
    ONGOING,
    WHITE,
    Positions,
    allocate_positions,
)
from stonezero.games.random import next_state, random_below
from stonezero.jit import kernel

OUTSIDE = 3


@kernel
def load_board(stones: NDArray[np.int8], row: int, size: int, board: NDArray[np.int8]) -> None:
    """Copy stones[row] into the middle of `board`."""
    for y in range(size):
        for x in range(size):
            board[(y + 1) * (size + 2) + x + 1] = stones[row, y * size + x]


@kernel
def can_capture(board: NDArray[np.int8], square: int, side: int, size: int) -> bool:
    """Whether a disc of `side` on the empty `square` would turn a disc."""
    opponent = 3 - side
    for row_step in range(-1, 2):
        for column_step in range(-1, 2):
            step = row_step * (size + 2) + column_step
            end = square + step
            if board[end] == opponent:  # never for step 0: the square is empty
                end += step
                while board[end] == opponent:
                    end += step
                if board[end] == side:
                    return True
    return False


@kernel
def capture(board: NDArray[np.int8], square: int, side: int, size: int) -> bool:
    """Put a disc of `side` on the empty `square` and turn discs; change nothing where none turns.

    Returns whether any disc turned, that is, whether the move was legal.
    """
    opponent = 3 - side
    has_turned = False
    for row_step in range(-1, 2):
        for column_step in range(-1, 2):
            step = row_step * (size + 2) + column_step
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
def has_capture(board: NDArray[np.int8], side: int, size: int) -> bool:
    """Whether `side` can turn a disc anywhere."""
    for y in range(1, size + 1):
        for square in range(y * (size + 2) + 1, y * (size + 2) + size + 1):
            if board[square] == EMPTY and can_capture(board, square, side, size):
                return True
    return False


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
def mark_captures(
    board: NDArray[np.int8], square: int, point: int, size: int, legal: LegalMask, b: int
) -> int:
    """Set legal[b] at the empty far ends of opposing runs that start next to the disc on `square`.

    Returns how many points that newly made legal.
    """
    side = board[square]
    opponent = 3 - side
    num_new = 0
    for row_step in range(-1, 2):
        for column_step in range(-1, 2):
            step = row_step * (size + 2) + column_step
            length = 1
            while board[square + length * step] == opponent:
                length += 1
            if length > 1 and board[square + length * step] == EMPTY:
                target = point + length * (row_step * size + column_step)
                num_new += 1 - legal[b, target]
                legal[b, target] = 1
    return num_new


@kernel
def mark_legal(board: NDArray[np.int8], side: int, size: int, legal: LegalMask, b: int) -> int:
    """Write legal[b] for `side` to move and return the status: the game is over if neither side can move."""
    num_legal = 0
    legal[b, :] = 0
    for y in range(size):
        for x in range(size):
            square = (y + 1) * (size + 2) + x + 1
            if board[square] == side:
                num_legal += mark_captures(board, square, y * size + x, size, legal, b)
    must_pass = num_legal == 0 and has_capture(board, 3 - side, size)
    legal[b, size * size] = must_pass
    if num_legal > 0 or must_pass:
        return ONGOING
    return final_status(board)


@kernel
def play_batch(
    positions: Positions,
    board: NDArray[np.int8],
    parents: Rows,
    moves: Moves,
    children: Rows,
    legal: LegalMask,
) -> None:
    """Kernel of `Othello.play`; `board` is work space, int8[(n + 2) ** 2] with its border set."""
    num_points = positions.stones.shape[1]
    stride = np.int64(np.sqrt(len(board)))
    size = stride - 2
    for b in range(len(parents)):
        parent, child, move = parents[b], children[b], np.int64(moves[b])
        mover = np.int64(positions.turn[parent])
        load_board(positions.stones, parent, size, board)
        if move != num_points:
            capture(board, (move // size + 1) * stride + move % size + 1, mover, size)
        for y in range(size):
            for x in range(size):
                positions.stones[child, y * size + x] = board[(y + 1) * stride + x + 1]
        for age in range(HISTORY - 1, 0, -1):
            positions.recent_moves[child, age] = positions.recent_moves[parent, age - 1]
        positions.recent_moves[child, 0] = move
        positions.ply[child] = positions.ply[parent] + 1
        positions.passes[child] = positions.passes[parent] + 1 if move == num_points else 0
        positions.turn[child] = 3 - mover
        positions.status[child] = mark_legal(board, 3 - mover, size, legal, b)


@kernel
def mark_legal_batch(positions: Positions, board: NDArray[np.int8], rows: Rows, legal: LegalMask) -> None:
    """Kernel of `Othello.legal_moves`; `board` as in `play_batch`."""
    size = np.int64(np.sqrt(len(board))) - 2
    for b in range(len(rows)):
        row = rows[b]
        if positions.status[row] == ONGOING:
            load_board(positions.stones, row, size, board)
            mark_legal(board, np.int64(positions.turn[row]), size, legal, b)
        else:
            legal[b, :] = 0


@kernel
def roll_out(
    board: NDArray[np.int8], empties: NDArray[np.int64], side: int, key: np.uint64, size: int
) -> int:
    """Play random moves on `board` (changed) until neither side can move; return the final status.

    `empties` (int64[S]) is work space. The first legal square of a random order of the empty squares
    is a uniformly random legal move.
    """
    num_empty = 0
    for square in range(len(board)):
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
            if capture(board, square, side, size):
                num_empty -= 1
                empties[tried] = empties[num_empty]
                num_passes = 0
                break
        side = 3 - side
    return final_status(board)


@kernel
def roll_out_batch(
    positions: Positions,
    work: tuple[NDArray[np.int8], NDArray[np.int64]],
    rows: Rows,
    keys: Keys,
    values: NDArray[np.float32],
) -> None:
    """Kernel of `Othello.rollout`; `work` is (bordered board, int64[S])."""
    board, empties = work
    size = np.int64(np.sqrt(len(board))) - 2
    for b in range(len(rows)):
        turn = np.int64(positions.turn[rows[b]])
        status = np.int64(positions.status[rows[b]])
        if status == ONGOING:
            load_board(positions.stones, rows[b], size, board)
            status = roll_out(board, empties, turn, keys[b], size)
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

    def spec(self) -> dict[str, str | int]:
        return {"name": self.name, "size": self.size, "k": 0, "rules": "othello"}

    def new_positions(self, num_positions: int) -> Positions:
        positions = allocate_positions(num_positions, self.num_points)
        upper_left = (self.size // 2 - 1) * (self.size + 1)
        positions.stones[:, [upper_left, upper_left + self.size + 1]] = WHITE
        positions.stones[:, [upper_left + 1, upper_left + self.size]] = BLACK
        return positions

    def play(
        self, positions: Positions, parents: Rows, moves: Moves, children: Rows, legal: LegalMask
    ) -> None:
        play_batch(positions, self._bordered_board(), parents, moves, children, legal)

    def legal_moves(self, positions: Positions, rows: Rows, legal: LegalMask) -> None:
        mark_legal_batch(positions, self._bordered_board(), rows, legal)

    def rollout(self, positions: Positions, rows: Rows, keys: Keys, values: NDArray[np.float32]) -> None:
        work = (self._bordered_board(), np.empty(self.num_points, np.int64))
        roll_out_batch(positions, work, rows, keys, values)

    def _bordered_board(self) -> NDArray[np.int8]:
        return np.full((self.size + 2) ** 2, OUTSIDE, np.int8)
