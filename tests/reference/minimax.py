"""Plain twins of the anchors, written from their documentation: no pruning, `Board` for the rules."""

import numpy as np

from stonezero.games.board import Board
from stonezero.games.position import BLACK, DRAW, ONGOING

LINES = [(0, 1), (1, 0), (1, 1), (1, -1)]


def mobility(stones: np.ndarray, side: int) -> int:
    """Legal moves of a side in Othello."""
    size, count = len(stones), 0
    steps = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]
    for y in range(size):
        for x in range(size):
            count += stones[y, x] == 0 and any(turns(stones, y, x, dy, dx, side) for dy, dx in steps)
    return int(count)


def turns(stones: np.ndarray, y: int, x: int, dy: int, dx: int, side: int) -> int:
    """Discs turned in one direction."""
    size, count = len(stones), 0
    y, x = y + dy, x + dx
    while 0 <= y < size and 0 <= x < size and stones[y, x] == 3 - side:
        y, x, count = y + dy, x + dx, count + 1
    return count if 0 <= y < size and 0 <= x < size and stones[y, x] == side else 0


def othello_value(board: Board) -> int:
    """For the side to move, of a game that goes on."""
    stones, side, last = board.stones, board.turn, board.game.size - 1
    value = 8 * (mobility(stones, side) - mobility(stones, 3 - side))
    for y in (0, last):
        for x in (0, last):
            down, right = (1 if y == 0 else -1), (1 if x == 0 else -1)
            holder = stones[y, x]
            sign = {0: 0, side: 1, 3 - side: -1}
            if holder == 0:
                value -= 20 * sign[int(stones[y + down, x + right])]
                continue
            value += 40 * sign[int(holder)]
            for dy, dx in ((down, 0), (0, right)):
                a, b = y + dy, x + dx
                while 0 <= a <= last and 0 <= b <= last and stones[a, b] == holder:
                    value += 15 * sign[int(holder)]
                    a, b = a + dy, b + dx
    return value + (5 if np.count_nonzero(stones == 0) % 2 else -5)


def windows(board: Board) -> list[list[int]]:
    """The stones of every run of k points."""
    size, k = board.game.size, int(board.game.spec()["k"])
    found = []
    for y in range(size):
        for x in range(size):
            for dy, dx in LINES:
                points = [(y + i * dy, x + i * dx) for i in range(k)]
                if all(0 <= a < size and 0 <= b < size for a, b in points):
                    found.append([int(board.stones[p]) for p in points])
    return found


def gomoku_value(board: Board) -> int:
    """For the side to move, of a game that goes on."""
    k, side, value = int(board.game.spec()["k"]), board.turn, 0
    mover, waiter = {1: 10000, 2: 120, 3: 12, 4: 2}, {1: 400, 2: 60, 3: 8, 4: 1}
    for window in windows(board):
        own, other = window.count(side), window.count(3 - side)
        if own and not other:
            value += mover.get(k - own, 0)
        if other and not own:
            value -= waiter.get(k - other, 0)
    return value


def near_points(board: Board) -> list[int]:
    """Empty points at most two steps from a stone, or all of an empty board's."""
    size, stones = board.game.size, board.stones
    near = []
    for move in board.legal_moves():
        y, x = divmod(move, size)
        if stones[max(y - 2, 0) : y + 3, max(x - 2, 0) : x + 3].any():
            near.append(move)
    return near or board.legal_moves()


def value_of(board: Board, depth: int, level: int = 0) -> int:
    """Plain minimax; all near points are tried in Gomoku."""
    if board.status != ONGOING:
        return finished_value(board, level)
    is_othello = board.game.name == "othello"
    if depth == 0:
        return othello_value(board) if is_othello else gomoku_value(board)
    return max(move_values(board, depth, level).values())


def move_values(board: Board, depth: int, level: int = 0) -> dict[int, int]:
    """What each move is worth for the side to move, searched to `depth` plies."""
    moves = board.legal_moves() if board.game.name == "othello" else near_points(board)
    values = {}
    for move in moves:
        board.play(move)
        values[move] = -value_of(board, depth - 1, level + 1)
        board.undo()
    return values


def finished_value(board: Board, level: int) -> int:
    """For the side whose turn it would be."""
    if board.status == DRAW:
        return 0
    sign = 1 if board.status == board.turn else -1
    if board.game.name == "othello":
        black, white = board.score
        difference = black - white if board.turn == BLACK else white - black
        return difference + sign * 10_000
    return sign * (1_000_000 - (level - 1))
