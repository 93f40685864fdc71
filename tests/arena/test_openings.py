"""Balanced openings: deterministic, legal, distinct up to symmetry, not decided."""

import numpy as np
import pytest

from stonezero.arena.openings import balanced_openings
from stonezero.errors import UserError
from stonezero.games import ONGOING, Game, make_game
from stonezero.games.symmetry import transform_move

GAMES = [("gomoku", 6, 4, 2), ("gomoku", 9, 5, 4), ("othello", 6, 0, 4), ("othello", 8, 0, 6)]


def replay(game: Game, moves: np.ndarray):
    """The position after a list of moves; every move is checked to be legal."""
    positions, row = game.new_positions(1), np.zeros(1, np.int64)
    legal = np.zeros((1, game.num_actions), np.uint8)
    game.legal_moves(positions, row, legal)
    for move in moves:
        assert legal[0, move]
        game.play(positions, row, np.array([move], np.int16), row, legal)
    return positions


def final_stones(game: Game, moves: np.ndarray, symmetry: int) -> bytes:
    mapped = np.array([transform_move(int(m), symmetry, game.size) for m in moves], np.int16)
    return replay(game, mapped).stones.tobytes()


@pytest.mark.parametrize(("name", "size", "k", "plies"), GAMES)
def test_openings_are_legal_open_and_distinct_up_to_symmetry(name, size, k, plies):
    game = make_game(name, size, k)
    openings = balanced_openings(game, plies, 30, seed=1)
    assert openings.moves.shape == (30, plies)
    assert openings.num_distinct == 30
    boards = [
        {final_stones(game, moves, s) for s in ((0, 2, 5, 7) if k == 0 else range(8))}
        for moves in openings.moves
    ]
    for i, images in enumerate(boards):
        assert all(not images & others for others in boards[:i])
    assert all(replay(game, moves).status[0] == ONGOING for moves in openings.moves)


def test_same_seed_same_openings():
    game = make_game("gomoku", 6, 4)
    first, again, other = (balanced_openings(game, 2, 20, seed) for seed in (3, 3, 4))
    assert np.array_equal(first.moves, again.moves)
    assert not np.array_equal(first.moves, other.moves)


def test_the_most_balanced_half_is_kept():
    game = make_game("gomoku", 9, 5)
    everything = []

    def judge(positions, rows):
        values = np.linspace(-1, 1, len(rows), dtype=np.float32)
        everything.extend(values)
        return values

    openings = balanced_openings(game, 3, 25, seed=1, judge=judge)
    assert np.abs(openings.values).max() <= np.median(np.abs(everything))


def test_tiny_boards_cycle_through_what_there_is():
    game = make_game("gomoku", 3, 3)
    openings = balanced_openings(game, 2, 40, seed=1)
    assert openings.num_distinct == 12  # two stones on tic-tac-toe, up to symmetry
    assert np.array_equal(openings.moves[12:24], openings.moves[:12])


def test_decided_openings_are_left_out():
    game = make_game("gomoku", 4, 3)
    openings = balanced_openings(game, 5, 40, seed=2)
    for moves in openings.moves[: openings.num_distinct]:
        position = replay(game, moves)
        legal = np.zeros((1, game.num_actions), np.uint8)
        game.legal_moves(position, np.zeros(1, np.int64), legal)
        for move in np.flatnonzero(legal[0]):
            assert replay(game, np.append(moves, np.int16(move))).status[0] == ONGOING


def test_no_open_position_is_a_clear_error():
    with pytest.raises(UserError, match="opening_plies"):
        balanced_openings(make_game("gomoku", 3, 3), 9, 5, seed=1)
