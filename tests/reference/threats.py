"""Gomoku wins by fours and threes on a plain board, by trying everything: the oracle for tactical positions.

A board is a list of ".", "X" and "O" as in `tests.reference.gomoku`. What is claimed to win is tried against
every reply.
"""

from collections.abc import Iterator

from tests.reference import gomoku, renju

OTHER = {"X": "O", "O": "X"}


class Judge:
    """Rules and searches on one board."""

    def __init__(self, size: int, k: int, rules: str) -> None:
        self.size, self.k, self.rules = size, k, rules
        lines = gomoku.lines_of(size)
        self.through = [[line for line in lines if point in line] for point in range(size * size)]
        self.windows = [line[i : i + k] for line in lines for i in range(len(line) - k + 1)]

    def wins_at(self, board: list[str], point: int, side: str) -> bool:
        """Whether `side` wins by a stone on the empty `point`."""
        freely = self.rules == "freestyle" or (self.rules == "renju" and side == "O")
        after = placed(board, point, side)
        won = gomoku.winners(after, self.through[point], self.k, "freestyle" if freely else "standard")
        return side in won

    def is_forbidden(self, board: list[str], point: int, side: str) -> bool:
        """Whether `side` loses by a stone on the empty `point`."""
        if self.rules != "renju" or side == "O":
            return False
        black, white = (
            {divmod(i, self.size) for i, cell in enumerate(board) if cell == colour} for colour in "XO"
        )
        return bool(renju.kind(renju.Position(self.size, black, white), divmod(point, self.size)))

    def points(self, board: list[str], side: str, stones: int) -> list[int]:
        """Empty points of windows with at least so many stones of `side` and none of the other."""
        found = set()
        for window in self.windows:
            cells = [board[point] for point in window]
            if OTHER[side] not in cells and cells.count(side) >= stones:
                found |= {point for point in window if board[point] == "."}
        return sorted(found)

    def winning_points(self, board: list[str], side: str) -> list[int]:
        """Where `side` wins at once."""
        candidates = self.points(board, side, self.k - 1)
        return [point for point in candidates if self.wins_at(board, point, side)]

    def wins_by_fours(self, board: list[str], side: str, depth: int) -> bool:
        """Whether `side`, to move, wins by at most `depth` fours and a row."""
        if self.winning_points(board, side):
            return True
        stops = self.winning_points(board, OTHER[side])
        if depth == 0 or len(stops) > 1:
            return False
        for move in stops or self.points(board, side, self.k - 2):
            if self.is_forbidden(board, move, side):
                continue
            after = placed(board, move, side)
            replies = self.winning_points(after, side)
            if len(replies) > 1:
                return True
            for reply in replies:
                if self.is_forbidden(after, reply, OTHER[side]):
                    return True
                if self.wins_by_fours(placed(after, reply, OTHER[side]), side, depth - 1):
                    return True
        return False

    def wins_with(self, board: list[str], side: str, move: int, threes: int, fours: int) -> bool:
        """Whether `move` of `side` wins: at once, or against every reply by `threes` more, then fours."""
        if self.wins_at(board, move, side):
            return True
        if self.is_forbidden(board, move, side):
            return False
        after, other = placed(board, move, side), OTHER[side]
        if self.winning_points(after, other):
            return False
        replies = self.winning_points(after, side) or [i for i, cell in enumerate(after) if cell == "."]
        return all(
            self.is_forbidden(after, reply, other)
            or self.wins(placed(after, reply, other), side, threes, fours)
            for reply in replies
        )

    def wins(self, board: list[str], side: str, threes: int, fours: int) -> bool:
        """Whether `side`, to move, wins by at most `threes` threes and then fours."""
        if self.wins_by_fours(board, side, fours):
            return True
        if threes == 0 or len(self.winning_points(board, OTHER[side])) > 1:
            return False
        return any(
            self.wins_with(board, side, move, threes - 1, fours) for move in self._threes(board, side, fours)
        )

    def _threes(self, board: list[str], side: str, fours: int) -> Iterator[int]:
        """Moves after which `side` would win by fours were the other side to do nothing."""
        stops = self.winning_points(board, OTHER[side])
        for move in stops or self.points(board, side, self.k - 3):
            if self.wins_by_fours(placed(board, move, side), side, fours):
                yield move


def placed(board: list[str], point: int, side: str) -> list[str]:
    """The board with one stone more."""
    return [*board[:point], side, *board[point + 1 :]]
