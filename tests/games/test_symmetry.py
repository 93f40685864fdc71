"""The eight symmetries: a group, and one that rules, planes and policies share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stonezero.games import Game, Positions, make_game
from stonezero.games.position import copy_rows
from stonezero.games.symmetry import (
    INVERSE,
    NUM_SYMMETRIES,
    position_hash,
    symmetry_tables,
    transform_move,
    transform_planes,
    transform_policy,
)
from tests.games.common import ALL_GAMES, game_id, random_positions

SYMMETRIES = range(NUM_SYMMETRIES)


def turned_plane(plane: np.ndarray, symmetry: int) -> np.ndarray:
    """The definition: mirrored left to right for the upper four, then quarter turns counter-clockwise."""
    return np.rot90(np.fliplr(plane) if symmetry >= 4 else plane, symmetry % 4)


@pytest.mark.parametrize("size", [3, 4, 8, 15])
def test_tables_are_eight_different_permutations_that_keep_neighbours(size: int) -> None:
    tables = symmetry_tables(size)
    assert len({table.tobytes() for table in tables}) == NUM_SYMMETRIES
    assert (np.sort(tables, axis=1) == np.arange(size * size)).all()
    assert (tables[0] == np.arange(size * size)).all()
    for table in tables:
        rows, columns = np.divmod(table.reshape(size, size), size)
        for axis in (0, 1):
            assert (np.abs(np.diff(rows, axis=axis)) + np.abs(np.diff(columns, axis=axis)) == 1).all()


def test_inverse_undoes_each_symmetry_and_products_stay_inside() -> None:
    tables = symmetry_tables(5)
    known = {table.tobytes() for table in tables}
    for first in SYMMETRIES:
        assert (tables[INVERSE[first]][tables[first]] == np.arange(25)).all()
        assert all(tables[second][tables[first]].tobytes() in known for second in SYMMETRIES)


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_planes_policies_and_moves_go_to_the_same_point(symmetry: int) -> None:
    planes = np.random.default_rng(40).random((2, 3, 6, 6))
    moved = transform_planes(planes, symmetry)
    assert (moved == np.array([[turned_plane(p, symmetry) for p in row] for row in planes])).all()
    for point in range(36):
        policy = np.zeros(37)
        policy[point], policy[36] = 0.3, 0.7
        turned = transform_policy(policy, symmetry, 6)
        target = transform_move(point, symmetry, 6)
        assert turned[target] == 0.3
        assert turned[36] == 0.7
        assert (moved[..., target // 6, target % 6] == planes[..., point // 6, point % 6]).all()
    assert transform_move(36, symmetry, 6) == 36


@given(st.integers(3, 12), st.lists(st.integers(0, 7), min_size=1, max_size=6), st.integers(0, 2**32))
def test_a_symmetry_per_row_equals_each_alone_and_the_inverse_brings_all_back(
    size: int, chosen: list[int], seed: int
) -> None:
    symmetries, rng = np.array(chosen, np.int8), np.random.default_rng(seed)
    planes = rng.random((len(chosen), 2, size, size)).astype(np.float32)
    policies = rng.random((len(chosen), size * size + 1)).astype(np.float32)
    moved_planes = transform_planes(planes, symmetries)
    moved_policies = transform_policy(policies, symmetries, size)
    for row, symmetry in enumerate(chosen):
        assert (moved_planes[row] == transform_planes(planes[row], symmetry)).all()
        assert (moved_policies[row] == transform_policy(policies[row], symmetry, size)).all()
    assert (transform_planes(moved_planes, INVERSE[symmetries]) == planes).all()
    assert (transform_policy(moved_policies, INVERSE[symmetries], size) == policies).all()


def turned_position(game: Game, positions: Positions, symmetry: int) -> Positions:
    stones = transform_policy(positions.stones, symmetry, game.size)
    moved = np.append(symmetry_tables(game.size)[symmetry], [game.pass_move, -1]).astype(np.int16)
    recent = moved[positions.recent_moves]
    return copy_rows(positions, slice(None))._replace(stones=stones, recent_moves=recent)


@pytest.mark.parametrize("game", [*ALL_GAMES[2:5], make_game("othello", 6)], ids=game_id)
def test_playing_then_turning_equals_turning_then_playing(game: Game) -> None:
    parents = random_positions(game, 3, seed=41)
    rows = np.flatnonzero(parents.status == 0)
    legal = np.empty((len(rows), game.num_actions), np.uint8)
    game.legal_moves(parents, rows, legal)
    moves = legal.argmax(axis=1).astype(np.int16)
    for symmetry in SYMMETRIES:
        children, turned = copy_rows(parents, slice(None)), turned_position(game, parents, symmetry)
        turned_moves = np.array([transform_move(int(m), symmetry, game.size) for m in moves], np.int16)
        turned_legal = np.empty_like(legal)
        game.play(children, rows, moves, rows, legal)
        game.play(turned, rows, turned_moves, rows, turned_legal)
        expected = turned_position(game, children, symmetry)
        assert all((field == other).all() for field, other in zip(turned, expected, strict=True))
        assert (transform_policy(legal, symmetry, game.size) == turned_legal).all()


def test_the_hash_of_a_position_knows_its_stones_and_side_and_never_changes() -> None:
    stones = np.zeros(9, np.int8)
    stones[4] = 1
    assert position_hash(stones, 2) == 0x2A1D9988E1A3F725
    different = [position_hash(stones, 1), position_hash(stones, 2), position_hash(np.roll(stones, 1), 2)]
    assert len(set(different)) == 3
