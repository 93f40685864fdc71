"""Counts of move sequences and positions known from other programs.

A finished game higher in the tree counts as one leaf. In mode 1 a forced pass takes a ply, in mode 2 it
is free. Sources: A. Bik (8x8); Edax, `-count positions` (distinct positions by discs).
"""

import numpy as np
import pytest

from stonezero.games import ONGOING, Game, Positions, make_game
from tests.games.common import distinct, successors, turned_alike

PERFT_8 = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]
PERFT_6 = [4, 12, 56, 244, 1364, 7604, 47740, 308716]
PERFT_4 = [4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540, 50704, 57436, 59564, 59980]
PERFT_4_FREE_PASSES = [4, 12, 44, 128, 436, 1296, 3788, 9768, 22184, 41636, 60060, 60060]
POSITIONS_8 = [1, 1, 3, 14, 60, 322, 1773, 10649]
POSITIONS_6 = [1, 1, 3, 14, 60, 314, 1632, 9069]
CHUNK = 20000


def perft(game: Game, positions: Positions, depth: int) -> list[int]:
    """Leaves at depths 1 to `depth`, mode 1."""
    children, _, _ = successors(game, positions)
    ongoing = children.status == ONGOING
    totals = np.full(depth, np.count_nonzero(~ongoing))
    totals[0] += np.count_nonzero(ongoing)
    if depth > 1:
        rows = np.flatnonzero(ongoing)
        for chunk in np.split(rows, range(CHUNK, len(rows), CHUNK)):
            below = Positions._make(field[chunk] for field in children)
            totals[1:] += perft(game, below, depth - 1)
    return [int(total) for total in totals]


def play_forced_passes(game: Game, positions: Positions) -> Positions:
    """The positions with a forced pass played where there is one."""
    rows = np.arange(len(positions.turn))
    legal = np.zeros((len(rows), game.num_actions), np.uint8)
    game.legal_moves(positions, rows, legal)
    stuck = np.flatnonzero(legal[:, game.pass_move])
    moves = np.full(len(stuck), game.pass_move, np.int16)
    game.play(positions, stuck, moves, stuck, legal[stuck])
    return positions


def perft_free_passes(game: Game, depth: int) -> list[int]:
    """Leaves at depths 1 to `depth`, mode 2."""
    positions, num_finished, totals = game.new_positions(1), 0, []
    for _ in range(depth):
        children = play_forced_passes(game, successors(game, positions)[0])
        totals.append(num_finished + len(children.turn))
        num_finished += int(np.count_nonzero(children.status != ONGOING))
        positions = Positions._make(field[children.status == ONGOING] for field in children)
    return totals


@pytest.mark.parametrize(
    ("size", "table"), [(8, PERFT_8[:7]), (6, PERFT_6[:7]), (4, PERFT_4)], ids=["8x8", "6x6", "4x4"]
)
def test_othello_perft(size: int, table: list[int]) -> None:
    game = make_game("othello", size)
    assert perft(game, game.new_positions(1), len(table)) == table


@pytest.mark.slow
@pytest.mark.parametrize(("size", "table"), [(8, PERFT_8), (6, PERFT_6)], ids=["8x8", "6x6"])
def test_othello_perft_deep(size: int, table: list[int]) -> None:
    game = make_game("othello", size)
    assert perft(game, game.new_positions(1), len(table)) == table


def test_othello_perft_with_free_passes_counts_all_60060_games_of_4x4() -> None:
    assert perft_free_passes(make_game("othello", 4), len(PERFT_4_FREE_PASSES)) == PERFT_4_FREE_PASSES


@pytest.mark.parametrize(("size", "table"), [(8, POSITIONS_8), (6, POSITIONS_6)], ids=["8x8", "6x6"])
def test_distinct_othello_positions_up_to_symmetry(size: int, table: list[int]) -> None:
    game = make_game("othello", size)
    positions, counts = game.new_positions(1), [1]
    for _ in table[1:]:
        positions, _ = distinct(turned_alike(game, successors(game, positions)[0]))
        counts.append(len(positions.turn))
    assert counts == table


def test_tictactoe_has_255168_games() -> None:
    game = make_game("gomoku", 3, 3)
    assert perft(game, game.new_positions(1), 9)[-1] == 255168
