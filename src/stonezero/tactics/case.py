"""One position under question, and what the rules alone say about it."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.games.game import Game
from stonezero.games.position import Positions, copy_rows

ROW = np.zeros(1, np.int64)


class Found(NamedTuple):
    """A position's right answers, and what is told about it."""

    answers: list[int]  #: all right moves, in rising order
    group: str  #: positions of a set are spread over its groups
    number: int  #: plies to the end of the proven line in Gomoku, the best move's exact score in Othello


class Case:
    """A position whose game is not over, and the moves that led to it."""

    def __init__(self, game: Game, positions: Positions, moves: list[int]) -> None:
        """`positions` has one row."""
        self.game = game
        self.positions = positions
        self.moves = moves

    @property
    def turn(self) -> int:
        """The side to move."""
        return int(self.positions.turn[0])

    @property
    def stones(self) -> NDArray[np.int8]:
        """int8[S]"""
        return self.positions.stones[0]

    @cached_property
    def legal(self) -> list[int]:
        """Legal moves in rising order."""
        mask = np.zeros((1, self.game.num_actions), np.uint8)
        self.game.legal_moves(self.positions, ROW, mask)
        return [int(move) for move in np.flatnonzero(mask[0])]

    @cached_property
    def children(self) -> Positions:
        """The positions after each legal move, in its order."""
        count = len(self.legal)
        children = copy_rows(self.positions, np.zeros(count, np.int64))
        masks = np.zeros((count, self.game.num_actions), np.uint8)
        rows = np.arange(count)
        self.game.play(children, rows, np.array(self.legal, np.int16), rows, masks)
        return children

    @cached_property
    def wins(self) -> list[int]:
        """Moves that win at once, in rising order."""
        won = self.children.status == self.turn
        return [move for move, is_win in zip(self.legal, won.tolist(), strict=True) if is_win]

    @cached_property
    def passed(self) -> "Case":
        """The same position with the other side to move."""
        turned = self.positions._replace(turn=(3 - self.positions.turn).astype(np.int8))
        return Case(self.game, turned, self.moves)

    @property
    def threats(self) -> list[int]:
        """Moves with which the other side would win at once."""
        return self.passed.wins

    def after(self, *moves: int) -> "Case":
        """The position some moves later; the game may be over then."""
        positions = copy_rows(self.positions, slice(1))
        mask = np.zeros((1, self.game.num_actions), np.uint8)
        for move in moves:
            self.game.play(positions, ROW, np.array([move], np.int16), ROW, mask)
        return Case(self.game, positions, [*self.moves, *moves])


def case_of(game: Game, moves: list[int]) -> Case:
    """The position after some moves from the start; they are trusted to be legal."""
    return Case(game, game.new_positions(1), []).after(*moves)


def direction_of(size: int, points: list[int]) -> tuple[int, int] | None:
    """The step (down, right) of the line through all points, or None where they are not in line."""
    (y, x), *others = (divmod(point, size) for point in sorted(set(points)))
    steps = {_normal(row - y, column - x) for row, column in others}
    return steps.pop() if len(steps) == 1 and None not in steps else None


def _normal(down: int, right: int) -> tuple[int, int] | None:
    """The smallest step of a horizontal, vertical or diagonal line."""
    if down and right and abs(down) != abs(right):
        return None
    return (int(np.sign(down)), int(np.sign(right)))


def distance_to_edge(size: int, point: int) -> int:
    """0 on the edge itself."""
    y, x = divmod(point, size)
    return min(y, x, size - 1 - y, size - 1 - x)
