"""python -m stonezero.tactics.make [GAME SIZE [K RULES [KIND]]]: write the test sets of one game, or of all.

The same version makes the same sets: the seed is fixed, and what ends a search is a number of games.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.files import write_text
from stonezero.games import Game, make_game
from stonezero.games.gomoku import Gomoku
from stonezero.players.book import canonical_form
from stonezero.solvers.endgame import EndgameSolver
from stonezero.tactics import gomoku_kinds, othello_kinds, shapes
from stonezero.tactics.case import Case, Found
from stonezero.tactics.gomoku_games import NoisyGames
from stonezero.tactics.gomoku_kinds import Wants
from stonezero.tactics.sets import FOLDER, KINDS, TacticsSet, set_name, text_of
from stonezero.tactics.shapes import ShapeProver

POSITIONS = 100  #: of a set
SEED = 2026
NOTE = f"seed {SEED}; made by python -m stonezero.tactics.make"
OTHELLO_BATCHES = 400  #: of games that are searched at most
GAMES: tuple[tuple[str, int, int, str], ...] = (
    ("gomoku", 6, 4, "freestyle"),
    ("gomoku", 9, 5, "freestyle"),
    ("gomoku", 15, 5, "freestyle"),
    ("gomoku", 15, 5, "standard"),
    ("gomoku", 15, 5, "renju"),
    ("othello", 6, 0, ""),
    ("othello", 8, 0, ""),
)

Find = Callable[[Case, Wants], Found | None]
"""What a position is, of the kind that is looked for, where its group is wanted."""

Source = Callable[[np.random.Generator], Iterator[tuple[int, Case]]]
"""A batch of games as the positions in them that are worth a look, each with the number of its game."""

Fullest = NDArray[np.int64]


class Plan(NamedTuple):
    """How the positions of one kind of Gomoku are found."""

    kind: str
    find: Callable[[Case, ShapeProver, Wants], Found | None]
    share: int  #: most positions of a group
    is_worth: Callable[[Fullest, Fullest, int], NDArray[np.bool_]]
    """By the stones in the fullest windows of the side to move and of the other, and by k: worth a look."""
    has_ring: bool = False
    batches: int = 40  #: of games that are searched at most


WIN_IN_1 = Plan("win_in_1", gomoku_kinds.win_in_1, 13, lambda own, other, k: own == k - 1)
BLOCK_IN_1 = Plan("block_in_1", gomoku_kinds.block_in_1, 13, lambda own, other, k: other == k - 1)
FOUR_THREE = Plan(
    "four_three", gomoku_kinds.four_three, POSITIONS, lambda own, other, k: (own == k - 2) & (other == k - 2)
)
DOUBLE_THREE = Plan(
    "double_three",
    gomoku_kinds.double_three,
    POSITIONS,
    lambda own, other, k: (other == k - 2) | (other == k - 3),
)
TRAP = Plan("trap", gomoku_kinds.trap, 40, lambda own, other, k: (other == k - 2) | (other == k - 3))
EDGE = Plan("edge", gomoku_kinds.edge, 60, lambda own, other, k: other >= k - 2, True, 4)
FALSE_ROW = Plan(
    "false_shape", shapes.false_shape, 40, lambda own, other, k: (own == k - 1) | (other == k - 1)
)
FORBIDDEN = Plan(
    "false_shape", shapes.false_shape, 25, lambda own, other, k: (own >= k - 2) | (other >= k - 3), False, 6
)

OTHELLO_SHARES = {"forced_pass": POSITIONS}  #: rare: taken wherever they turn up
FOR_ALL = (WIN_IN_1, BLOCK_IN_1, FOUR_THREE, DOUBLE_THREE, TRAP)
LEAST_RING_BOARD = 12  #: smaller boards have no room for a ring
OTHELLO_KINDS: dict[str, othello_kinds.OthelloKind] = {
    "corner_grab": othello_kinds.corner_grab,
    "corner_gift": othello_kinds.corner_gift,
    "forced_pass": othello_kinds.forced_pass,
    "parity": othello_kinds.parity,
}


class Collection:
    """Positions distinct up to symmetry, at most `share` of each group."""

    def __init__(self, share: int) -> None:
        self._share = share
        self._seen: set[bytes] = set()
        self._counts: Counter[str] = Counter()
        self.entries: list[tuple[Case, Found]] = []

    @property
    def is_full(self) -> bool:
        """Whether there are enough."""
        return len(self.entries) == POSITIONS

    def wants(self, group: str) -> bool:
        """Whether a group has not reached its share."""
        return self._counts[group] < self._share

    def add(self, case: Case, found: Found) -> bool:
        """Take a position, unless it is there or its group is full."""
        key = canonical_form(case.game, case.positions, 0).key
        is_new = key not in self._seen and self.wants(found.group)
        if is_new:
            self._seen.add(key)
            self._counts[found.group] += 1
            self.entries.append((case, found))
        return is_new


def collect(
    find: Find, source: Source, share: int, seed: list[int], batches: int
) -> list[tuple[Case, Found]]:
    """The positions of a set, one of a game at most; fewer than POSITIONS where the batches have no more."""
    collection, rng = Collection(share), np.random.default_rng(seed)
    for _ in range(batches):
        taken: set[int] = set()
        for number, case in source(rng):
            if number in taken or (found := find(case, collection.wants)) is None:
                continue
            if collection.add(case, found):
                taken.add(number)
            if collection.is_full:
                return collection.entries
    return collection.entries


def gomoku_plans(game: Gomoku) -> list[Plan]:
    """What is looked for on a board."""
    plans = list(FOR_ALL)
    if game.size >= LEAST_RING_BOARD:
        plans.append(EDGE)
    if game.rules != "freestyle":
        plans.append(FORBIDDEN if game.rules == "renju" else FALSE_ROW)
    return plans


def gomoku_entries(game: Gomoku, plan: Plan) -> list[tuple[Case, Found]]:
    """The positions of one kind."""
    prover = ShapeProver(game)

    def source(rng: np.random.Generator) -> Iterator[tuple[int, Case]]:
        for ply in NoisyGames(game, rng, plan.has_ring).batch():
            is_worth = plan.is_worth(ply.most_own, ply.most_other, game.k)
            yield from ((int(row), ply.case(game, int(row))) for row in ply.seen if is_worth[row])

    find = partial(_find, plan, prover)
    return collect(find, source, plan.share, seed_of(game, plan.kind), plan.batches)


def _find(plan: Plan, prover: ShapeProver, case: Case, wants: Wants) -> Found | None:
    return plan.find(case, prover, wants)


def othello_entries(game: Game, kind: str) -> list[tuple[Case, Found]]:
    """The positions of one kind."""
    solver = EndgameSolver(game)

    def find(case: Case, wants: Wants) -> Found | None:
        ending = othello_kinds.Ending(case, solver)
        return OTHELLO_KINDS[kind](ending) if ending.asks_something else None

    def source(rng: np.random.Generator) -> Iterator[tuple[int, Case]]:
        return enumerate(othello_kinds.endings(game, rng))

    share = -(-POSITIONS // len(othello_kinds.EMPTIES))
    return collect(find, source, OTHELLO_SHARES.get(kind, share), seed_of(game, kind), OTHELLO_BATCHES)


def seed_of(game: Game, kind: str) -> list[int]:
    """Of one set."""
    return [SEED, *set_name(game, kind).encode()]


def make_sets(game: Game, only: str = "") -> Iterator[TacticsSet]:
    """All sets of a game, or one kind."""
    if isinstance(game, Gomoku):
        made = ((plan.kind, partial(gomoku_entries, game, plan)) for plan in gomoku_plans(game))
    else:
        made = ((kind, partial(othello_entries, game, kind)) for kind in OTHELLO_KINDS)
    for kind, entries in made:
        if only in ("", kind) and (found := entries()):
            cases, answers = zip(*found, strict=True)
            yield TacticsSet(KINDS[kind], game, [case.moves for case in cases], list(answers))


def main(
    name: Annotated[str, typer.Argument(help="gomoku or othello; by default all sets are made.")] = "",
    size: Annotated[int, typer.Argument()] = 0,
    k: Annotated[int, typer.Argument(help="Stones in a row, for gomoku.")] = 0,
    rules: Annotated[str, typer.Argument(help="freestyle, standard or renju, for gomoku.")] = "",
    kind: Annotated[str, typer.Argument(help="One kind of positions; by default all.")] = "",
) -> None:
    """Write the sets where `sets_of` looks for them."""
    wanted = [(name, size, k, rules)] if name else GAMES
    for game in (make_game(*spec) for spec in wanted):
        for made in make_sets(game, kind):
            path = Path(__file__).parent / FOLDER / set_name(game, made.kind.name)
            write_text(path, text_of(made, NOTE))
            groups = Counter(found.group for found in made.found)
            print(f"{path.name}: {len(made)} positions {dict(sorted(groups.items()))}", flush=True)


if __name__ == "__main__":
    try:
        typer.run(main)
    except UserError as error:
        sys.exit(str(error))
