"""What every game promises, on random play."""

import pickle

import numpy as np
import pytest

from stonezero.games import BLACK, DRAW, NO_MOVE, ONGOING, WHITE, Game, Positions, make_game
from stonezero.games.position import copy_rows
from tests.games.common import ALL_GAMES, RandomPlay, game_id, random_positions

pytestmark = pytest.mark.parametrize("game", ALL_GAMES, ids=game_id)


def test_the_start_position_is_blacks_and_ongoing(game: Game) -> None:
    play = RandomPlay(game, 2, seed=0)
    assert (play.positions.turn == BLACK).all()
    assert (play.positions.status == ONGOING).all()
    assert (play.positions.ply == 0).all()
    assert (play.positions.recent_moves == NO_MOVE).all()
    assert play.legal[:, : game.num_points].any(axis=1).all()


def test_random_games_end_within_the_longest_game_and_then_allow_no_move(game: Game) -> None:
    play = RandomPlay(game, 20, seed=1)
    final = play.play_out()
    assert (final.ply <= game.max_plies).all()
    assert not play.legal.any()
    assert set(final.status.tolist()) <= {BLACK, WHITE, DRAW}
    play.legal[:] = 255
    game.legal_moves(final, np.arange(20), play.legal)
    assert not play.legal.any()


def test_play_and_legal_moves_write_the_same_mask(game: Game) -> None:
    play = RandomPlay(game, 8, seed=2)
    while len(play.live):
        play.step()
        again = np.full_like(play.legal, 255)
        game.legal_moves(play.positions, np.arange(8), again)
        assert (again == play.legal).all()
        assert set(np.unique(again).tolist()) <= {0, 1}
        assert (again.any(axis=1) == (play.positions.status == ONGOING)).all()


def test_a_position_records_turn_ply_passes_and_recent_moves(game: Game) -> None:
    play = RandomPlay(game, 1, seed=3)
    moves: list[int] = []
    while len(play.live):
        _, chosen = play.step()
        moves.append(int(chosen[0]))
        newest_first = moves[::-1]
        recent = play.positions.recent_moves[0]
        assert [move for move in recent.tolist() if move != NO_MOVE] == newest_first[: len(recent)]
        assert play.positions.ply[0] == len(moves)
        assert play.positions.turn[0] == (BLACK if len(moves) % 2 == 0 else WHITE)
        has_passed = game.has_pass and moves[-1] == game.pass_move
        assert play.positions.passes[0] == (1 if has_passed else 0)


def test_a_pass_is_legal_only_alone_and_never_after_a_pass(game: Game) -> None:
    play = RandomPlay(game, 50, seed=4)
    while len(play.live) and game.has_pass:
        must_pass = play.legal[:, game.pass_move] == 1
        assert (play.legal[must_pass].sum(axis=1) == 1).all()
        assert (play.positions.passes[must_pass] == 0).all()
        play.step()


def test_playing_in_place_equals_playing_into_another_row(game: Game) -> None:
    parents = random_positions(game, 3, seed=5)
    rows = np.flatnonzero(parents.status == ONGOING)
    legal = np.empty((len(rows), game.num_actions), np.uint8)
    game.legal_moves(parents, rows, legal)
    moves = legal.argmax(axis=1).astype(np.int16)
    in_place = copy_rows(parents, slice(None))
    game.play(in_place, rows, moves, rows, legal)
    spare = Positions._make(np.concatenate([field, np.ones_like(field)]) for field in parents)
    legal_elsewhere = np.empty_like(legal)
    children = len(parents.turn) + rows
    game.play(spare, rows, moves, children, legal_elsewhere)
    assert (legal == legal_elsewhere).all()
    for spare_field, place_field, parent_field in zip(spare, in_place, parents, strict=True):
        assert (spare_field[children] == place_field[rows]).all()
        assert (spare_field[: len(parent_field)] == parent_field).all()


def test_a_rollout_value_depends_on_position_and_key_alone(game: Game) -> None:
    positions = random_positions(game, 2, seed=6)
    before = copy_rows(positions, slice(None))
    rows = np.arange(len(positions.turn))
    keys = np.random.default_rng(7).integers(0, 2**64, len(rows), np.uint64)
    values = np.full(len(rows), np.nan, np.float32)
    game.rollout(positions, rows, keys, values)
    backwards = np.full(len(rows), np.nan, np.float32)
    game.rollout(positions, rows[::-1].copy(), keys[::-1].copy(), backwards)
    assert (values == backwards[::-1]).all()
    assert all((now == then).all() for now, then in zip(positions, before, strict=True))


def test_a_rollout_from_a_finished_game_is_worth_its_result_to_the_side_to_move(game: Game) -> None:
    final = RandomPlay(game, 30, seed=8).play_out()
    rows = np.arange(30)
    values = np.full(30, np.nan, np.float32)
    game.rollout(final, rows, np.zeros(30, np.uint64), values)
    expected = np.where(final.status == DRAW, 0.0, np.where(final.status == final.turn, 1.0, -1.0))
    assert (values == expected).all()


def test_stones_turn_and_last_move_give_a_set_up_position_its_status(game: Game) -> None:
    positions = random_positions(game, 2, seed=9)
    expected = positions.status.copy()
    positions.status[:] = 77
    assert [game.status_of(positions, row) for row in range(len(expected))] == expected.tolist()


def test_the_spec_remakes_the_game_and_a_pickle_equals_it(game: Game) -> None:
    assert make_game(**game.spec()) == game  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(game)) == game
    assert [other for other in ALL_GAMES if other == game] == [game]


def test_only_games_with_a_pass_have_an_action_beyond_the_points(game: Game) -> None:
    assert game.num_actions == game.num_points + game.has_pass
    assert game.has_pass == (game.name == "othello")
