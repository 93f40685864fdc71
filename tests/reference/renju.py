"""Renju's forbidden points written from the rules of the Renju International Federation, shape by shape.

The oracle for `stonezero.games.renju`. Stones are sets of (row, column). A shape is the set of its stones, so
two fours are two different sets, and the two ways to complete a straight four are still one.
"""

Point = tuple[int, int]
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Position:
    """Black's and White's stones on a board of `size` x `size`."""

    def __init__(self, size: int, black: set[Point], white: set[Point]) -> None:
        self.size, self.black, self.white = size, frozenset(black), frozenset(white)

    def with_black(self, point: Point) -> "Position":
        return Position(self.size, set(self.black | {point}), set(self.white))

    def is_empty(self, point: Point) -> bool:
        y, x = point
        on_board = 0 <= y < self.size and 0 <= x < self.size
        return on_board and point not in self.black and point not in self.white


def row_through(position: Position, point: Point, step: Point) -> frozenset[Point]:
    """The unbroken black row that holds the black stone on `point`."""
    row = {point}
    for sign in (1, -1):
        y, x = point[0] + sign * step[0], point[1] + sign * step[1]
        while (y, x) in position.black:
            row.add((y, x))
            y, x = y + sign * step[0], x + sign * step[1]
    return frozenset(row)


def near(position: Position, point: Point, step: Point) -> list[Point]:
    """The empty points of a line within four of `point`."""
    points = [(point[0] + i * step[0], point[1] + i * step[1]) for i in range(-4, 5)]
    return [other for other in points if position.is_empty(other)]


def makes_five(position: Position, point: Point) -> bool:
    return any(len(row_through(position, point, step)) == 5 for step in STEPS)


def fours(position: Position, point: Point) -> dict[frozenset[Point], set[Point]]:
    """Each four with the stone on `point`, and the points that make it a five."""
    found: dict[frozenset[Point], set[Point]] = {}
    for step in STEPS:
        for completion in near(position, point, step):
            row = row_through(position.with_black(completion), completion, step)
            if len(row) == 5 and point in row:
                found.setdefault(row - {completion}, set()).add(completion)
    return found


def threes(position: Position, point: Point) -> set[frozenset[Point]]:
    """Each three with the stone on `point`: one stone more, allowed and no five, makes it a straight four."""
    found = set()
    for step in STEPS:
        for addition in near(position, point, step):
            after = position.with_black(addition)
            for four, completions in fours(after, addition).items():
                is_straight = len(completions) == 2 and point in four and same_line(four, step)
                if is_straight and not makes_five(after, addition) and kind(position, addition) == "":
                    found.add(four - {addition})
    return found


def same_line(stones: frozenset[Point], step: Point) -> bool:
    first, *_, last = sorted(stones)
    return (last[0] - first[0], last[1] - first[1]) in (
        (3 * step[0], 3 * step[1]),
        (-3 * step[0], -3 * step[1]),
    )


def kind(position: Position, point: Point) -> str:
    """Why Black must not play on the empty `point`: "overline", "4x4", "3x3", or "" where Black may."""
    after = position.with_black(point)
    if makes_five(after, point):
        return ""
    if any(len(row_through(after, point, step)) > 5 for step in STEPS):
        return "overline"
    if len(fours(after, point)) >= 2:
        return "4x4"
    return "3x3" if len(threes(after, point)) >= 2 else ""
