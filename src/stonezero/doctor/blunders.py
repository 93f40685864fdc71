"""Measures of mistakes: fives not made and corners given away in the records, wrong answers in test sets."""

import numpy as np
from numpy.typing import NDArray

from stonezero.doctor.facts import RunFacts
from stonezero.doctor.rows import SETTLED_GENERATIONS, games_of, searched, top_visits
from stonezero.games.position import BLACK
from stonezero.records.schema import RecordTable

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
FEWEST_CHANCES = 30
MOST_POSITIONS = 20_000  #: looked at, evenly spaced


def missed_wins(facts: RunFacts) -> float | None:
    """Gomoku: share of the searched positions with a winning move where the most visited move is another."""
    table = facts.table
    if table is None or table.game["name"] != "gomoku" or len(facts.gates) < SETTLED_GENERATIONS:
        return None
    rows = np.flatnonzero(searched(table) & table.is_full_search)
    if len(rows) > MOST_POSITIONS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_POSITIONS).astype(np.int64)]
    wins = winning_moves(table, rows)
    chances = wins.any(axis=1)
    if chances.sum() < FEWEST_CHANCES:
        return None
    chosen = top_visits(table)[0][rows[chances]]
    return float(1 - np.take_along_axis(wins[chances], chosen[:, None], axis=1).mean())


def winning_moves(table: RecordTable, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[N, S]: where the side to move completes a row that wins under the game's rules."""
    size, k, rules = int(table.game["size"]), int(table.game["k"]), table.game["rules"]
    turn = table.turn[rows]
    exact = (turn == BLACK) if rules == "renju" else np.full(len(rows), rules == "standard")
    board = table.stones[rows].reshape(len(rows), size, size)
    own = np.pad(board == turn[:, None, None], ((0, 0), (1, 1), (1, 1)))
    empty = np.pad(board == 0, ((0, 0), (1, 1), (1, 1)))
    wins = np.zeros_like(own)
    for step in DIRECTIONS:
        ends = [_shifted(own, step, at, k, size) for at in (-1, k)]
        stones = np.sum([_shifted(own, step, at, k, size) for at in range(k)], axis=0, dtype=np.int8)
        holes = np.sum([_shifted(empty, step, at, k, size) for at in range(k)], axis=0, dtype=np.int8)
        makes_row = (stones == k - 1) & (holes == 1) & ~(exact[:, None, None] & (ends[0] | ends[1]))
        for at in range(k):
            _shifted(wins, step, at, k, size)[...] |= makes_row & _shifted(empty, step, at, k, size)
    return wins[:, 1:-1, 1:-1].reshape(len(rows), size * size)


def weakest_tactics(facts: RunFacts) -> float | None:
    """Share of right answers in the weakest tactical test set; None where the champion was asked none."""
    if not facts.tactics or len(facts.gates) < SETTLED_GENERATIONS:
        return None
    return min(facts.tactics.values())


def _shifted(
    padded: NDArray[np.bool_], step: tuple[int, int], at: int, k: int, size: int
) -> NDArray[np.bool_]:
    """A view: for each window of k points in direction `step`, the point number `at` of it."""
    down, right = step
    height, width = size - down * (k - 1), size - abs(right) * (k - 1)
    top = 1 + down * at
    left = 1 + right * at + (k - 1 if right < 0 else 0)
    return padded[:, top : top + height, left : left + width]


def corner_gifts(facts: RunFacts) -> float | None:
    """Othello: corners per game that a side took right after the other had moved next to it."""
    table = facts.table
    if table is None or table.game["name"] != "othello" or len(facts.gates) < SETTLED_GENERATIONS:
        return None
    size = int(table.game["size"])
    corner = np.array([0, size - 1, size * (size - 1), size * size - 1])
    before, taken = table.move[:-1], table.move[1:]
    is_gift = np.isin(taken, corner) & (before < size * size) & (table.game_id[:-1] == table.game_id[1:])
    is_gift &= ~table.is_opening[:-1]
    distance = np.maximum(np.abs(before // size - taken // size), np.abs(before % size - taken % size))
    return float((is_gift & (distance == 1)).sum() / len(games_of(table).first))
