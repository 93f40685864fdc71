"""The exact value of a Gomoku position by trying everything, with the plain rules of the twins."""

from functools import cache

from tests.reference import gomoku, renju

OTHER = {"X": "O", "O": "X"}


def value(cells: str, side: str, size: int, k: int, rules: str) -> int:
    """1, 0 or -1 for `side` to move; `cells` is the board row by row of ".XO", and nobody has won on it."""
    lines = gomoku.lines_of(size)
    through = [[line for line in lines if point in line] for point in range(size * size)]

    def wins(board: str, point: int, mover: str) -> bool:
        freely = rules == "freestyle" or (rules == "renju" and mover == "O")
        return mover in gomoku.winners(list(board), through[point], k, "freestyle" if freely else "standard")

    def is_forbidden(board: str, point: int) -> bool:
        stones = {
            symbol: {divmod(i, size) for i, cell in enumerate(board) if cell == symbol} for symbol in "XO"
        }
        return bool(renju.kind(renju.Position(size, stones["X"], stones["O"]), divmod(point, size)))

    @cache
    def best(board: str, mover: str) -> int:
        empty = [point for point, cell in enumerate(board) if cell == "."]
        result = -1 if empty else 0
        for point in empty:
            after = board[:point] + mover + board[point + 1 :]
            if wins(after, point, mover):
                return 1
            if rules == "renju" and mover == "X" and is_forbidden(board, point):
                continue
            result = max(result, -best(after, OTHER[mover]))
            if result == 1:
                return 1
        return result

    return best(cells, side)
