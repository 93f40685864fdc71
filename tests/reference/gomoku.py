"""Gomoku written from its rules, cell by cell: the oracle for `stonezero.games.gomoku`.

A board is a list of "." (empty), "X" (Black) and "O" (White), row by row from the top.
"""

from itertools import groupby


def lines_of(size: int) -> list[list[int]]:
    """The points of every row, column and diagonal."""
    cells = [(y, x) for y in range(size) for x in range(size)]
    lines: dict[tuple[str, int], list[int]] = {}
    for y, x in cells:
        for key in (("row", y), ("column", x), ("falling", y - x), ("rising", y + x)):
            lines.setdefault(key, []).append(y * size + x)
    return list(lines.values())


def winners(board: list[str], lines: list[list[int]], k: int, rules: str) -> set[str]:
    """The colours that have a winning row."""
    found = set()
    for line in lines:
        for colour, run in groupby(board[point] for point in line):
            length = len(list(run))
            if colour != "." and (length >= k if rules == "freestyle" else length == k):
                found.add(colour)
    return found


def outcome(board: list[str], lines: list[list[int]], k: int, rules: str) -> str:
    """ "X", "O", "draw" or "" while the game goes on."""
    found = winners(board, lines, k, rules)
    if found:
        return found.pop()
    return "" if "." in board else "draw"
