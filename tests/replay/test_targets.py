"""What became of a position, what its result is worth, which are the same, how often each is seen."""

from collections import defaultdict

import numpy as np
import pytest

from stonezero.config.schema import BufferConfig
from stonezero.games import Game, make_game
from stonezero.games.symmetry import NUM_SYMMETRIES, transform_planes, transform_policy
from stonezero.records import GameRecord
from stonezero.records.schema import table_of_games
from stonezero.replay.loading import Window
from stonezero.replay.merging import merged, position_groups
from stonezero.replay.outlook import outlook_of
from stonezero.replay.quality import has_quality, shares, value_targets
from stonezero.replay.sampling import sampling_weights
from tests.records.games import random_records, record_of
from tests.replay.common import BUFFER
from tests.training.windows import make_window

GOMOKU, OTHELLO = make_game("gomoku", 4, 3), make_game("othello", 4)


def config(**changes: object) -> BufferConfig:
    return BufferConfig(**(BUFFER | changes))  # type: ignore[arg-type]


def played(game: Game, moves: list[int], status: int = 0) -> tuple[GameRecord, np.ndarray]:
    """The record of a game of these moves, and its final stones; `status` ends it before its end."""
    positions = game.new_positions(len(moves) + 1)
    legal = np.zeros((1, game.num_actions), np.uint8)
    for ply, move in enumerate(moves):
        row = np.array([ply])
        game.play(positions, row, np.array([move], np.int16), row + 1, legal)
    positions.status[-1] = status or positions.status[-1]
    visits = [np.eye(game.num_actions, dtype=np.int32)[move] for move in moves]
    return record_of(0, positions, moves, visits, 0, np.random.default_rng(0)), positions.stones[-1]


def quality_of(moves: list[int], **changes: object) -> np.ndarray:
    game = make_game("gomoku", 6, 4)
    record, _ = played(game, moves)
    return value_targets(table_of_games([record], game.spec()), game, config(**changes))


OPEN_FOUR = [8, 0, 9, 5, 10, 30, 11]  # black 8, 9, 10: both 7 and 11 win
SIMPLE_FOUR = [6, 0, 7, 5, 8, 30, 9]  # black 6, 7, 8 at the edge: only 9 wins


def test_a_win_from_an_open_four_counts_more_than_one_that_could_have_been_stopped() -> None:
    worth = {"quality_open_four": 1.0, "quality_simple_four": 0.8}
    assert quality_of(OPEN_FOUR, **worth)[0].tolist() == [1, 0, 0]
    assert quality_of(SIMPLE_FOUR, **worth)[0].tolist() == pytest.approx([0.8, 0.2, 0])
    assert quality_of(SIMPLE_FOUR, **worth)[1].tolist() == pytest.approx([0, 0.2, 0.8])  # the loser's view


def test_a_game_that_was_broken_off_counts_as_decided() -> None:
    game = make_game("gomoku", 6, 4)
    record, _ = played(game, OPEN_FOUR[:-1], status=1)
    targets = value_targets(table_of_games([record], game.spec()), game, config(quality_decided=0.9))
    assert targets[:2].tolist() == [pytest.approx([0.9, 0.1, 0]), pytest.approx([0, 0.1, 0.9])]
    assert not outlook_of(table_of_games([record], game.spec()), game).has_end.any()


def test_results_in_full_are_the_outcomes() -> None:
    assert not has_quality(config())
    table = make_window(GOMOKU, 20).table
    assert value_targets(table, GOMOKU, config()).tolist() == shares(table.outcome).tolist()
    assert shares(np.array([1, 0, -1])).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("game", [GOMOKU, OTHELLO], ids=["gomoku", "othello"])
def test_the_outlook_is_the_end_of_the_game_and_the_next_move(game: Game) -> None:
    records = random_records(game, 8)
    table = table_of_games(records, game.spec())
    outlook = outlook_of(table, game)
    begin = 0
    for record in records:
        _, final = played(game, record.move.tolist())
        rows = slice(begin, begin + len(record.move))
        assert (outlook.final_stones[rows] == final).all()
        assert outlook.reply[rows].tolist() == [*record.move[1:].tolist(), -1]
        begin = rows.stop
    assert outlook.has_end.all()


def canonical(stones: np.ndarray, turn: int, passes: int, size: int) -> tuple[object, ...]:
    """Twin: the smallest of the eight boards, as a tuple."""
    board = stones.reshape(1, size, size)
    return min(tuple(transform_planes(board, s).ravel().tolist()) for s in range(8)), turn, passes


@pytest.mark.parametrize("game", [GOMOKU, OTHELLO], ids=["gomoku", "othello"])
def test_positions_are_grouped_as_a_plain_comparison_of_all_symmetries_does(game: Game) -> None:
    table = make_window(game, 60).table
    number, symmetries = position_groups(table, game.size)
    rows = range(len(table))
    keys = [canonical(table.stones[r], table.turn[r], table.passes[r], game.size) for r in rows]
    pairs = set(zip(number.tolist(), keys, strict=True))
    assert len(pairs) == len(set(keys)) == len(set(number.tolist())) < len(table)
    boards = [transform_planes(table.stones[r].reshape(1, game.size, -1), int(symmetries[r])) for r in rows]
    assert len({(n, b.tobytes()) for n, b in zip(number.tolist(), boards, strict=True)}) == len(pairs)


def dense_policy(window: Window, row: int, num_actions: int) -> np.ndarray:
    table, policy = window.table, np.zeros(num_actions)
    part = slice(table.visit_offsets[row], table.visit_offsets[row + 1])
    policy[table.visit_moves[part]] = table.visit_counts[part]
    return policy / policy.sum()


def test_merged_positions_have_the_mean_targets_of_all_their_symmetric_copies() -> None:
    """Against a plain twin that turns every copy as the merged one lies and averages there."""
    game, size = OTHELLO, OTHELLO.size
    window = make_window(game, 40, num_held_out=8, opening_plies=0)
    window.weight[:] = np.random.default_rng(1).uniform(0.2, 1, len(window))
    window.staleness[:] = np.random.default_rng(2).integers(0, 4, len(window))
    table = window.table
    groups = defaultdict(list)
    for row in np.flatnonzero(~window.is_held_out):
        groups[canonical(table.stones[row], table.turn[row], table.passes[row], size)].append(int(row))
    result = merged(window, game)
    assert result.is_held_out.sum() == window.is_held_out.sum()
    trained = np.flatnonzero(~result.is_held_out)
    assert len(trained) == len(groups) < (~window.is_held_out).sum()
    assert result.value_target is not None
    for row in trained:
        stones = result.table.stones[row]
        key = canonical(stones, result.table.turn[row], result.table.passes[row], size)
        weights, policies, values = [], [], []
        for copy in groups[key]:
            symmetry = next(
                s for s in range(NUM_SYMMETRIES) if (turned(table.stones[copy], s) == stones).all()
            )
            policies.append(dense_policy(window, copy, game.num_actions))
            policies[-1] = transform_policy(policies[-1][None], symmetry, size)[0]
            values.append(shares(table.outcome[copy : copy + 1])[0])
            weights.append(window.weight[copy])
        assert result.value_target[row] == pytest.approx(
            np.average(values, axis=0, weights=weights), abs=1e-6
        )
        if not is_symmetric(stones, size):  # else the twin may take another, equally good symmetry
            mean = np.average(policies, axis=0, weights=weights)
            assert dense_policy(result, row, game.num_actions) == pytest.approx(mean, abs=1e-5)
        assert result.staleness[row] == min(window.staleness[copy] for copy in groups[key])
        assert result.weight[row] == 1


def turned(stones: np.ndarray, symmetry: int) -> np.ndarray:
    return transform_planes(stones.reshape(1, OTHELLO.size, -1), symmetry).ravel()


def is_symmetric(stones: np.ndarray, size: int) -> bool:
    return any((turned(stones, s) == stones).all() for s in range(1, 8))


def test_a_game_then_a_position_gives_every_game_the_same_share() -> None:
    window = make_window(GOMOKU, 20, num_held_out=5)
    weights = sampling_weights(window, config(sampling="games"), 4)
    assert weights is not None
    per_game = np.bincount(window.table.game_id, weights)
    assert per_game[5:] == pytest.approx(np.ones(15))
    lengths = np.bincount(window.table.game_id)
    assert weights == pytest.approx(1 / np.where(window.is_held_out, 1, lengths[window.table.game_id]))


def test_phases_are_cut_at_their_first_plies() -> None:
    window = make_window(GOMOKU, 20)
    weights = sampling_weights(window, config(phase_plies=[2, 5], phase_weights=[0.5, 1, 3]), 4)
    assert weights is not None
    for ply, weight in zip(window.table.ply, weights, strict=True):
        assert weight == (0.5 if ply < 2 else 1 if ply < 5 else 3)


def test_rare_positions_are_weighted_up() -> None:
    window = make_window(GOMOKU, 40)
    number, _ = position_groups(window.table, 4)
    counts = np.bincount(number)[number]
    weights = sampling_weights(window, config(rare_below=3, rare_weight=2.0), 4)
    assert weights is not None
    assert set(counts) > {1, 2}
    assert weights.tolist() == [2.0 if count < 3 else 1.0 for count in counts]


def test_without_such_wishes_the_window_keeps_its_own_weights() -> None:
    assert sampling_weights(make_window(GOMOKU, 3), config(), 4) is None
