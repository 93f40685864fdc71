"""The kernels of records against plain twins."""

import numpy as np
import pytest

from stonezero.games import Game, make_game
from stonezero.games.symmetry import NUM_SYMMETRIES, symmetry_tables, transform_move
from stonezero.records import kernels
from stonezero.records.schema import RecordTable, table_of_games
from tests.records.games import SIMULATIONS, random_records

GAMES = [make_game("gomoku", 5, 4), make_game("othello", 4)]


def ids(game: Game) -> str:
    return game.name


def make_table(game: Game) -> RecordTable:
    return table_of_games(random_records(game, 8), game.spec())


@pytest.mark.parametrize("num_points", [9, 16, 225, 400])
def test_packed_stones_unpack_to_themselves(num_points: int) -> None:
    stones = np.random.default_rng(0).integers(0, 3, (7, num_points)).astype(np.int8)
    packed = np.zeros((7, -(-num_points // 4)), np.uint8)
    kernels.pack_stones(stones, packed)
    assert packed[0, 0] == sum(int(stones[0, point]) * 4**point for point in range(4))
    again = np.full_like(stones, -1)
    kernels.unpack_stones(packed, again)
    assert (again == stones).all()


@pytest.mark.parametrize("game", GAMES, ids=ids)
@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_policy_targets_are_visit_shares_moved_like_the_board(game: Game, symmetry: int) -> None:
    table = make_table(game)
    rows = np.flatnonzero(~table.is_opening)
    targets = np.full((len(rows), game.num_actions), 9, np.float32)
    kernels.write_policy_targets(
        table.visit_moves,
        table.visit_counts,
        table.visit_offsets,
        rows,
        np.full(len(rows), symmetry),
        symmetry_tables(game.size),
        targets,
    )
    for target, row in zip(targets, rows, strict=True):
        expected = [0.0] * game.num_actions
        for entry in range(table.visit_offsets[row], table.visit_offsets[row + 1]):
            move = transform_move(int(table.visit_moves[entry]), symmetry, game.size)
            expected[move] = table.visit_counts[entry] / SIMULATIONS
        assert target.tolist() == expected  # exact: the shares are multiples of 1/32


def test_a_share_on_the_pass_stays_there_under_all_symmetries() -> None:
    moves, counts = np.array([3, 16], np.int16), np.array([3, 7], np.int32)
    offsets = np.array([0, 2], np.int64)
    targets = np.empty((8, 17), np.float32)
    kernels.write_policy_targets(
        moves, counts, offsets, np.zeros(8, np.int64), np.arange(8), symmetry_tables(4), targets
    )
    assert targets[:, 16] == pytest.approx([0.7] * 8)
    assert targets.sum(axis=1) == pytest.approx([1.0] * 8)
    assert sorted(targets[:, :16].argmax(axis=1)) == [0, 0, 3, 3, 12, 12, 15, 15]


def test_gomoku_has_no_slot_for_a_pass() -> None:
    assert GAMES[0].num_actions == 25
    assert GAMES[1].num_actions == 17


@pytest.mark.parametrize("game", GAMES, ids=ids)
@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_gathered_positions_are_the_rows_moved_point_by_point(game: Game, symmetry: int) -> None:
    table = make_table(game)
    rows = np.random.default_rng(2).permutation(len(table))[:30]
    batch = game.new_positions(len(rows))
    symmetries = np.full(len(rows), symmetry)
    tables = symmetry_tables(game.size)
    kernels.gather_positions(table.positions(), rows, symmetries, tables, batch)
    for place, row in enumerate(rows):
        for point in range(game.num_points):
            moved = transform_move(point, symmetry, game.size)
            assert batch.stones[place, moved] == table.stones[row, point]
        expected = [
            m if m < 0 else transform_move(int(m), symmetry, game.size) for m in table.recent_moves[row]
        ]
        assert batch.recent_moves[place].tolist() == expected
        assert (batch.turn[place], batch.ply[place]) == (table.turn[row], table.ply[row])
        assert (batch.passes[place], batch.status[place]) == (table.passes[row], 0)


def test_each_kernel_has_one_signature(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Whether rows come from games, from a file or from a selection."""
    from stonezero.records import concatenate, read_shard, write_shard

    game = GAMES[0]
    write_shard(tmp_path / "a.parquet", random_records(game, 2), game.spec(), "g001")
    table = read_shard(tmp_path / "a.parquet")
    for source in (make_table(game), table, table.select(np.arange(3)), concatenate([table, table])):
        batch = game.new_positions(2)
        rows = np.array([1, 2])
        symmetries, tables = np.zeros(2, np.int64), symmetry_tables(game.size)
        kernels.gather_positions(source.positions(), rows, symmetries, tables, batch)
        targets = np.empty((2, game.num_actions), np.float32)
        visits = (source.visit_moves, source.visit_counts, source.visit_offsets)
        kernels.write_policy_targets(*visits, rows, symmetries, tables, targets)
    for kernel in (kernels.pack_stones, kernels.unpack_stones, kernels.gather_positions):
        assert len(kernel.signatures) == 1
    assert len(kernels.write_policy_targets.signatures) == 1
