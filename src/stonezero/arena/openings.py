"""Balanced openings: distinct starts for colour-swapped pairs, made from a seed.

Random legal sequences are drawn, one is kept for each position up to the board's symmetries, those won or
lost at once are dropped, and of what is left a judge picks the ones nearest to balance: half of a sample
twice as large as needed. On tiny boards there are fewer: then all are used, over and over.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.game import Game, Moves, Rows
from stonezero.games.position import BLACK, ONGOING, WHITE, Positions
from stonezero.games.symmetry import symmetry_tables

Judge = Callable[[Positions, Rows], NDArray[np.float32]]
"""Values float32[B] in [-1, 1] of rows for the side to move; nearest to 0 is most balanced."""

OVERSAMPLING = 2
MAX_DRAWS = 8
JUDGE_ROLLOUTS = 64


class Openings(NamedTuple):
    """N openings; rows from `num_distinct` on repeat the first ones in turn."""

    moves: NDArray[np.int16]  #: int16[N, plies]; NO_MOVE behind the end of a shorter one
    values: NDArray[np.float32]  #: float32[N]: the judge's value for the side to move; NaN without one
    num_distinct: int  #: different up to symmetry


def balanced_openings(game: Game, plies: int, count: int, seed: int, judge: Judge | None = None) -> Openings:
    """`count` openings of `plies` plies, most balanced by `judge` (default: random rollouts).

    The same arguments give the same openings. Raises UserError when no opening leaves a game to play.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, plies]))
    judge = judge or rollout_judge(game, int(rng.integers(2**63)))
    positions, moves = _sample(game, plies, OVERSAMPLING * count, rng)
    if len(moves) == 0:
        raise UserError(
            f"no opening of {plies} plies leaves an open game on {game.name} {game.size}x{game.size}: "
            "choose fewer gate.opening_plies"
        )
    values = judge(positions, np.arange(len(moves)))
    nearest = np.sort(np.argsort(np.abs(values), kind="stable")[:count])
    chosen = np.resize(nearest, count)
    return Openings(moves[chosen], values[chosen], len(nearest))


def rollout_judge(game: Game, seed: int, rollouts: int = JUDGE_ROLLOUTS) -> Judge:
    """Mean result of uniformly random games from the position."""

    def judge(positions: Positions, rows: Rows) -> NDArray[np.float32]:
        rng = np.random.default_rng(seed)
        results = np.zeros(len(rows) * rollouts, np.float32)
        keys = rng.integers(2**64, size=len(results), dtype=np.uint64)
        game.rollout(positions, np.repeat(rows, rollouts), keys, results)
        return results.reshape(len(rows), rollouts).mean(axis=1)

    return judge


def _sample(game: Game, plies: int, wanted: int, rng: np.random.Generator) -> tuple[Positions, Moves]:
    """Up to `wanted` open positions, distinct up to symmetry, and their moves int16[N, plies].

    Stops early when a whole draw brings nothing new.
    """
    seen: set[bytes] = set()
    kept_positions, kept_moves = [game.new_positions(0)], [np.zeros((0, plies), np.int16)]
    for _ in range(MAX_DRAWS):
        positions, moves = _random_sequences(game, plies, wanted, rng)
        open_rows = np.flatnonzero(_is_open(game, positions))
        new_rows = []
        for row, key in zip(open_rows, canonical_keys(game, positions, open_rows), strict=True):
            if key not in seen and len(seen) < wanted:
                seen.add(key)
                new_rows.append(row)
        if not new_rows:
            break
        kept_positions.append(_take(positions, np.array(new_rows)))
        kept_moves.append(moves[new_rows])
    joined = Positions._make(np.concatenate(arrays) for arrays in zip(*kept_positions, strict=True))
    return joined, np.concatenate(kept_moves)


def _random_sequences(
    game: Game, plies: int, count: int, rng: np.random.Generator
) -> tuple[Positions, NDArray[np.int16]]:
    """Play uniformly random legal moves; games that end on the way keep their last position."""
    positions, rows = game.new_positions(count), np.arange(count)
    moves = np.zeros((count, plies), np.int16)
    legal = np.zeros((count, game.num_actions), np.uint8)
    game.legal_moves(positions, rows, legal)
    for ply in range(plies):
        moves[:, ply] = np.argmax(rng.random(legal.shape) * legal, axis=1)
        live = np.flatnonzero(positions.status == ONGOING)
        masks = np.zeros((len(live), game.num_actions), np.uint8)
        game.play(positions, live, moves[live, ply], live, masks)
        legal[live] = masks
    return positions, moves


def _is_open(game: Game, positions: Positions) -> NDArray[np.bool_]:
    """bool[P]: the game goes on, the side to move has no winning move, and faces at most one."""
    other = positions._replace(turn=(BLACK + WHITE - positions.turn).astype(np.int8))
    ongoing = positions.status == ONGOING
    return ongoing & (_winning_moves(game, positions) == 0) & (_winning_moves(game, other) <= 1)


def _winning_moves(game: Game, positions: Positions) -> NDArray[np.int64]:
    """int64[P]: how many moves win at once for the side to move."""
    rows = np.arange(len(positions.status))
    legal = np.zeros((len(rows), game.num_actions), np.uint8)
    game.legal_moves(positions, rows, legal)
    parents, moves = np.nonzero(legal)
    board = _take(positions, parents)
    children = np.arange(len(parents))
    masks = np.zeros((len(parents), game.num_actions), np.uint8)
    game.play(board, children, moves.astype(np.int16), children, masks)
    has_won = board.status == positions.turn[parents]
    return np.bincount(parents[has_won], minlength=len(rows))


def canonical_keys(game: Game, positions: Positions, rows: NDArray[np.int64]) -> list[bytes]:
    """A key per row, equal for positions that some symmetry maps onto each other."""
    images = positions.stones[rows][:, symmetry_tables(game.size)]
    turns = positions.turn[rows]
    return [
        min(image.tobytes() for image in row) + turn.tobytes()
        for row, turn in zip(images, turns, strict=True)
    ]


def _take(positions: Positions, rows: NDArray[np.int64]) -> Positions:
    """A copy of some rows."""
    return Positions._make(array[rows] for array in positions)
