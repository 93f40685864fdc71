"""Self-play games: what is recorded, and that it depends on nothing but the game's own stream."""

import numpy as np
import pytest

from stonezero.config.schema import SearchConfig, SelfplayConfig
from stonezero.games import BLACK, DRAW, WHITE, make_game
from stonezero.records.schema import table_of_games
from stonezero.selfplay.games import SelfplayBatch
from stonezero.selfplay.health import health_figures
from tests.reference.evaluators import HashEvaluator

SEARCH = SearchConfig(
    c_puct=1.5,
    fpu_reduction=0.2,
    root_noise_fraction=0.25,
    root_noise_concentration=10.0,
    reuse_tree=True,
    leaves_per_wave=1,
    virtual_loss=1,
)


def selfplay_config(**changes):
    values = {
        "games": 12,
        "simulations": 24,
        "slots": 4,
        "shard_games": 4,
        "random_opening_share": 0.5,
        "random_opening_plies": 3,
        "temperature": 1.0,
        "temperature_plies": 4,
        "final_temperature": 0.0,
    }
    return SelfplayConfig(**(values | changes))


def played(game, num_slots, game_ids=range(12), search=SEARCH, **changes):
    batch = SelfplayBatch(game, HashEvaluator(game), search, selfplay_config(**changes), (1, 1), num_slots)
    return {record.game_id: record for record in batch.play(game_ids)}


GAMES = [("gomoku", 5, 4, "freestyle"), ("othello", 4, 0, "othello"), ("othello", 6, 0, "othello")]


@pytest.mark.parametrize("spec", GAMES, ids=str)
@pytest.mark.parametrize("reuse_tree", [True, False])
def test_records_do_not_depend_on_which_games_share_a_batch(spec, reuse_tree):
    game = make_game(*spec)
    search = SearchConfig(**(vars(SEARCH) | {"reuse_tree": reuse_tree}))
    together = played(game, 5, search=search)
    for game_ids in (range(3), [7], [11, 2]):
        for game_id, record in played(game, 1, game_ids, search).items():
            for name, value in vars(record).items():
                np.testing.assert_array_equal(value, getattr(together[game_id], name), err_msg=name)


class CountingEvaluator(HashEvaluator):
    """Counts the positions it is asked about."""

    asked = 0

    def evaluate(self, positions, rows, legal, keys):
        self.asked += len(rows)
        return super().evaluate(positions, rows, legal, keys)


@pytest.mark.parametrize("leaves_per_wave", [1, 3])
def test_each_game_s_evaluations_are_those_asked_for_alone(leaves_per_wave):
    game = make_game("gomoku", 5, 4)
    search = SearchConfig(**(vars(SEARCH) | {"leaves_per_wave": leaves_per_wave}))
    alone = {}
    for game_id in range(6):
        evaluator = CountingEvaluator(game)
        list(SelfplayBatch(game, evaluator, search, selfplay_config(), (1, 1), 1).play([game_id]))
        alone[game_id] = evaluator.asked
    together = SelfplayBatch(game, HashEvaluator(game), search, selfplay_config(), (1, 1), 4)
    list(together.play(range(6)))
    assert together.evaluations == alone
    assert together.num_evaluations == sum(alone.values()) > 0


def test_games_differ_from_each_other():
    records = played(make_game("gomoku", 6, 4), 6)
    assert len({record.move.tobytes() for record in records.values()}) == 12


@pytest.mark.parametrize("spec", GAMES, ids=str)
def test_records_replay_to_the_recorded_positions_and_result(spec):
    game = make_game(*spec)
    for record in played(game, 4).values():
        positions, row = game.new_positions(1), np.zeros(1, np.int64)
        legal = np.zeros((1, game.num_actions), np.uint8)
        game.legal_moves(positions, row, legal)
        for t, move in enumerate(record.move):
            assert (positions.stones[0] == record.stones[t]).all()
            assert (positions.turn[0], positions.ply[0]) == (record.turn[t], t)
            assert legal[0, move]
            visits = slice(record.visit_offsets[t], record.visit_offsets[t + 1])
            assert legal[0, record.visit_moves[visits]].all()
            if record.is_opening[t]:
                assert visits.start == visits.stop
                assert np.isnan(record.root_value[t])
            else:
                assert record.visit_counts[visits].sum() == 24
                assert move in record.visit_moves[visits]
                assert abs(record.root_value[t]) <= 1
            game.play(positions, row, np.array([move], np.int16), row, legal)
        assert positions.status[0] == record.status != 0


@pytest.mark.parametrize("spec", GAMES, ids=str)
def test_every_rows_outcome_is_seen_by_the_side_to_move(spec):
    game = make_game(*spec)
    table = table_of_games(list(played(game, 4).values()), game.spec())
    winner = np.where(table.status == DRAW, 0, table.status)
    assert {BLACK, WHITE} >= set(np.unique(table.turn))
    expected = np.where(winner == 0, 0, np.where(winner == table.turn, 1, -1))
    assert (table.outcome == expected).all()


def test_random_openings_are_as_many_and_as_long_as_asked_for():
    game = make_game("gomoku", 6, 4)
    none = played(game, 6, random_opening_share=0.0)
    every = played(game, 6, random_opening_share=1.0)
    assert not any(record.is_opening.any() for record in none.values())
    lengths = {int(record.is_opening.sum()) for record in every.values()}
    assert lengths == {1, 2, 3}
    assert all(record.is_opening[: record.is_opening.sum()].all() for record in every.values())


def test_random_openings_that_end_the_game_are_drawn_anew():
    records = played(make_game("gomoku", 3, 3), 3, random_opening_share=1.0, random_opening_plies=9)
    assert all(not record.is_opening.all() for record in records.values())


def test_temperature_zero_plays_the_most_visited_move():
    game = make_game("gomoku", 5, 4)
    for record in played(game, 4, temperature=0.0, random_opening_share=0.0).values():
        for t, move in enumerate(record.move):
            visits = slice(record.visit_offsets[t], record.visit_offsets[t + 1])
            counts = record.visit_counts[visits]
            assert move == record.visit_moves[visits][counts.argmax()]


def test_without_noise_and_temperature_all_games_are_the_same():
    search = SearchConfig(**(vars(SEARCH) | {"root_noise_fraction": 0.0}))
    records = played(make_game("gomoku", 5, 4), 4, search=search, temperature=0.0, random_opening_share=0.0)
    assert len({record.move.tobytes() for record in records.values()}) == 1


class TestHealth:
    def test_figures_of_varied_games(self):
        game = make_game("gomoku", 6, 4)
        table = table_of_games([played(game, 6)[i] for i in range(12)], game.spec())
        figures = health_figures(table)
        assert figures["games"] == figures["distinct_games"] == 12
        assert figures["positions"] == (~table.is_opening).sum()
        assert figures["mean_plies"] == len(table) / 12
        rates = [figures[f"{name}_rate"] for name in ("black_win", "white_win", "draw")]
        assert sum(rates) == pytest.approx(1)
        assert 0 < figures["root_entropy"] < np.log(36)

    def test_games_that_open_alike_up_to_symmetry_have_no_opening_entropy(self):
        game = make_game("gomoku", 6, 4)
        record = played(game, 1, [0], random_opening_share=0.0)[0]
        mirrored = {**vars(record), "game_id": 1, "move": record.move // 6 * 6 + 5 - record.move % 6}
        table = table_of_games([record, type(record)(**mirrored)], game.spec())
        figures = health_figures(table)
        assert figures["opening_entropy"] == 0
        assert figures["distinct_games"] == 2
