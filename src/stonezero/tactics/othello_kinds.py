"""What makes an Othello ending one of a kind, with all its right answers, by the exact solver.

A move is right if it keeps the best outcome: the win that is there or, where there is none, the draw.
"""

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from stonezero.games.game import Game
from stonezero.games.position import EMPTY, NO_MOVE, ONGOING, copy_rows
from stonezero.solvers.endgame import EndgameSolver
from stonezero.tactics.case import Case, Found

NUM_GAMES = 128
EMPTIES = range(6, 13)
LEAST_WRONG_PER_RIGHT = 2


class Ending:
    """A position near the end, solved."""

    def __init__(self, case: Case, solver: EndgameSolver) -> None:
        self.case = case
        self._scores = solver.score_moves(case.stones, case.turn)
        self.score = int(self._scores[case.legal].max())
        self.right = [move for move in case.legal if np.sign(self._scores[move]) == np.sign(self.score)]
        self.wrong = [move for move in case.legal if move not in self.right]

    @property
    def asks_something(self) -> bool:
        """Whether there is a win or a draw to be kept, and enough to go wrong with."""
        return self.score >= 0 and len(self.wrong) >= LEAST_WRONG_PER_RIGHT * len(self.right)

    def found(self) -> Found:
        """As an entry of a set."""
        return Found(self.right, f"{int((self.case.stones == EMPTY).sum())} empty", self.score)

    @cached_property
    def corners(self) -> set[int]:
        """The corners of the board."""
        size = self.case.game.size
        return {0, size - 1, size * (size - 1), size * size - 1}


def corner_grab(ending: Ending) -> Found | None:
    """Only taking a corner is right."""
    return ending.found() if set(ending.right) <= ending.corners else None


def corner_gift(ending: Ending) -> Found | None:
    """Moves that let the other side take a corner, which it cannot take yet, are there, and all are wrong."""
    case = ending.case
    could = set(case.passed.legal) & ending.corners
    gifts = [move for move in case.legal if set(case.after(move).legal) & ending.corners - could]
    is_lure = not set(case.legal) & ending.corners and bool(gifts)
    return ending.found() if is_lure and not set(gifts) & set(ending.right) else None


def forced_pass(ending: Ending) -> Found | None:
    """Only moves after which the other side has to pass are right."""
    case = ending.case
    passes = [move for move in case.legal if case.after(move).legal == [case.game.pass_move]]
    return ending.found() if passes and set(ending.right) <= set(passes) else None


def parity(ending: Ending) -> Found | None:
    """Regions with odd and with even numbers of empty points can be entered; only an odd one is right."""
    regions = regions_of(ending.case)
    odd = {point for region in regions if len(region) % 2 for point in region}
    legal = set(ending.case.legal)
    return ending.found() if set(ending.right) <= odd and legal & odd and legal - odd else None


def regions_of(case: Case) -> list[set[int]]:
    """The empty points as sets of neighbours, diagonal ones included."""
    size = case.game.size
    left = {divmod(int(point), size) for point in np.flatnonzero(case.stones == EMPTY)}
    regions = []
    while left:
        region, front = set(), [min(left)]
        while front:
            y, x = front.pop()
            if (y, x) in left:
                left.remove((y, x))
                region.add(y * size + x)
                front += [(y + down, x + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
        regions.append(region)
    return regions


def endings(game: Game, rng: np.random.Generator) -> Iterator[Case]:
    """From a batch of random games one position each, with 6 to 12 empty points and a choice of moves."""
    positions = game.new_positions(NUM_GAMES)
    masks = np.zeros((NUM_GAMES, game.num_actions), np.uint8)
    game.legal_moves(positions, np.arange(NUM_GAMES), masks)
    moves = np.full((NUM_GAMES, game.max_plies), NO_MOVE, np.int16)
    wanted = rng.choice(EMPTIES, NUM_GAMES)
    for ply in range(game.max_plies):
        is_ripe = ((positions.stones == EMPTY).sum(axis=1) <= wanted) & (masks.sum(axis=1) > 2)
        for row in np.flatnonzero(is_ripe & (positions.status == ONGOING)):
            yield Case(game, copy_rows(positions, np.array([row])), moves[row, :ply].tolist())
            wanted[row] = -1
        chosen = np.argmax(rng.random(masks.shape) * masks, axis=1).astype(np.int16)
        live = np.flatnonzero((positions.status == ONGOING) & (wanted > 0))
        if not len(live):
            return
        moves[live, ply] = chosen[live]
        legal = np.zeros((len(live), game.num_actions), np.uint8)
        game.play(positions, live, chosen[live], live, legal)
        masks[live] = legal


OthelloKind = Callable[[Ending], Found | None]
