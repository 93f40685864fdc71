"""Othello written from its rules, cell by cell: the oracle for `stonezero.games.othello`.

A board maps (row, column) to "X" (Black) or "O" (White); empty points are absent.
"""

Board = dict[tuple[int, int], str]
DIRECTIONS = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]
OTHER = {"X": "O", "O": "X"}


def start(size: int) -> Board:
    """White on the falling diagonal of the centre, Black on the rising one."""
    low, high = size // 2 - 1, size // 2
    return {(low, low): "O", (high, high): "O", (low, high): "X", (high, low): "X"}


def turned(board: Board, side: str, row: int, column: int) -> list[tuple[int, int]]:
    """The discs that a disc of `side` at an empty point would turn."""
    result = []
    for row_step, column_step in DIRECTIONS:
        run = []
        y, x = row + row_step, column + column_step
        while board.get((y, x)) == OTHER[side]:
            run.append((y, x))
            y, x = y + row_step, x + column_step
        if board.get((y, x)) == side:
            result += run
    return result


def placements(board: Board, side: str, size: int) -> set[tuple[int, int]]:
    """The points where `side` may put a disc."""
    points = [(row, column) for row in range(size) for column in range(size)]
    return {point for point in points if point not in board and turned(board, side, *point)}


def legal_moves(board: Board, side: str, size: int) -> set[tuple[int, int] | str]:
    """Points, or {"pass"} where only the other side can move; empty when the game is over."""
    own = placements(board, side, size)
    if own:
        return set(own)
    return {"pass"} if placements(board, OTHER[side], size) else set()


def play(board: Board, side: str, move: tuple[int, int] | str) -> Board:
    """The board after a move."""
    if isinstance(move, str):
        return board
    return board | dict.fromkeys([move, *turned(board, side, *move)], side)


def outcome(board: Board) -> str:
    """ "X", "O" or "draw" by discs, for a game that is over."""
    discs = list(board.values())
    difference = discs.count("X") - discs.count("O")
    return "draw" if difference == 0 else "X" if difference > 0 else "O"
