"""Methods of self-play, each on: what is recorded, and that games still depend on their own stream alone."""

import numpy as np
import pytest

from stonezero.config.schema import BufferConfig, NoisePhase, PlyValue, SearchConfig
from stonezero.errors import UserError
from stonezero.games import BLACK, DRAW, ONGOING, WHITE, make_game
from stonezero.games.notation import parse_move
from stonezero.players.batch_search import BatchSearch
from stonezero.records.schema import table_of_games
from stonezero.replay.audit import audit
from stonezero.replay.index import RecordsFile, empty_index
from stonezero.replay.window import next_window
from stonezero.selfplay.choosing import temperature_schedule
from stonezero.selfplay.ending import ResignWatch, is_dead_draw, resign_figures, winning_windows
from stonezero.selfplay.games import NO_FACTS, SelfplayBatch
from stonezero.selfplay.openings import EarlierGames, Openings, parse_book
from tests.reference.evaluators import HashEvaluator
from tests.replay.common import BUFFER as DEFAULTS
from tests.selfplay.test_games import GAMES, SEARCH, selfplay_config

GUMBEL = {"gumbel_considered": 8, "reuse_tree": False, "root_noise_fraction": 0.0}
PHASES = [NoisePhase(0, 0.3, 10.0), NoisePhase(3, 0.15, 5.0), NoisePhase(6, 0.0, 5.0)]
METHODS = {
    "gumbel": (GUMBEL, {}),
    "gumbel with cheap searches": (GUMBEL, {"full_search_share": 0.5, "cheap_simulations": 6}),
    "playout cap": ({}, {"full_search_share": 0.5, "cheap_simulations": 6}),
    "forced playouts": ({"forced_playouts": 2.0}, {}),
    "target temperature": ({}, {"target_temperature": 0.5}),
    "fixed noise": ({"root_noise": "fixed"}, {}),
    "shaped noise": ({"root_noise": "shaped"}, {}),
    "phased noise": ({"root_noise_phases": PHASES}, {}),
    "uct": ({"selection": "uct"}, {}),
    "adaptive lambda": ({"visit_exponent_slope": 0.05}, {}),
    "random moves": ({}, {"random_move_share": 0.5, "random_move_plies": 6}),
    "exponential temperature": ({}, {"temperature_shape": "exponential", "final_temperature": 0.1}),
    "caps": ({"max_depth": 3, "stop_visits": 5}, {}),
    "resign": ({}, {"resign_threshold": -0.3}),
    "several leaves": ({"leaves_per_wave": 4}, {"full_search_share": 0.5, "cheap_simulations": 6}),
}


def search_config(**changes):
    return SearchConfig(**(vars(SEARCH) | changes))


def played(game, num_slots, game_ids=range(12), search=None, facts=NO_FACTS, **changes):
    batch = SelfplayBatch(
        game, HashEvaluator(game), search or SEARCH, selfplay_config(**changes), (1, 1), num_slots, facts
    )
    return {record.game_id: record for record in batch.play(game_ids)}


@pytest.mark.parametrize("spec", GAMES, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_games_depend_on_their_own_stream_alone_and_pass_the_audit(spec, method, tmp_path):
    game = make_game(*spec)
    search, selfplay = METHODS[method]
    facts = NO_FACTS._replace(may_resign=True, num_control_games=2)
    together = played(game, 5, range(8), search_config(**search), facts, **selfplay)
    for game_ids in ([7], [3, 1]):
        for game_id, record in played(game, 1, game_ids, search_config(**search), facts, **selfplay).items():
            for name, value in vars(record).items():
                np.testing.assert_array_equal(value, getattr(together[game_id], name), err_msg=name)
    audit(table_of_games(list(together.values()), game.spec()), game, tmp_path)


@pytest.mark.parametrize("method", METHODS)
def test_each_method_changes_the_games(method):
    game = make_game("othello", 6)
    search, selfplay = METHODS[method]
    facts = NO_FACTS._replace(may_resign=True)
    plain = played(game, 4, range(4))
    found = played(game, 4, range(4), search_config(**search), facts, **selfplay)
    assert any(
        found[i].move.tobytes() != plain[i].move.tobytes()
        or found[i].visit_counts.tobytes() != plain[i].visit_counts.tobytes()
        for i in range(4)
    )


def test_cheap_searches_are_marked_small_and_about_as_many_as_asked_for():
    records = played(
        make_game("gomoku", 6, 4), 6, full_search_share=0.25, cheap_simulations=6, simulations=40
    )
    is_full = np.concatenate([r.is_full_search[~r.is_opening] for r in records.values()])
    sums = np.concatenate(
        [np.add.reduceat(r.visit_counts, r.visit_offsets[:-1][~r.is_opening]) for r in records.values()]
    )
    assert (sums[is_full] == 40).all()
    assert (sums[~is_full] >= 6).all()  # the reused subtree may bring more
    assert np.median(sums[~is_full]) < 20
    assert is_full.mean() == pytest.approx(0.25, abs=4 * np.sqrt(0.19 / len(is_full)))


def test_cheap_searches_have_no_noise(monkeypatch):
    noisy = []
    original = BatchSearch.mix_root_noise
    monkeypatch.setattr(
        BatchSearch, "mix_root_noise", lambda self, *rest: (noisy.append(1), original(self, *rest))[1]
    )
    records = played(make_game("gomoku", 5, 4), 3, range(5), full_search_share=0.5, cheap_simulations=6)
    assert len(noisy) == sum(int(record.is_full_search.sum()) for record in records.values())


def test_training_takes_the_policy_from_full_searches_only():
    game = make_game("gomoku", 5, 4)
    records = played(game, 4, full_search_share=0.5, cheap_simulations=6)
    table = table_of_games(list(records.values()), game.spec())
    window = next_window(
        empty_index(),
        [(RecordsFile("g001", "f", "0"), table)],
        BufferConfig(**(DEFAULTS | {"window_generations": 2, "held_out_fraction": 0.0})),
        1,
    )
    assert (window.is_policy_target == table.is_full_search[window.row]).all()
    assert 0 < window.is_policy_target.mean() < 1


def test_a_gumbel_target_covers_moves_without_visits_and_sums_to_its_parts():
    records = played(
        make_game("gomoku", 5, 4), 4, range(4), search_config(**GUMBEL, gumbel_c_scale=0.05), simulations=8
    )
    record = records[0]
    for t in np.flatnonzero(~record.is_opening):
        weights = record.visit_counts[record.visit_offsets[t] : record.visit_offsets[t + 1]]
        assert abs(int(weights.sum()) - 65536) <= 13
    assert max(np.diff(record.visit_offsets)) > 8


@pytest.mark.parametrize("simulations", [2, 3, 5, 64])
def test_gumbel_plays_whole_games_with_few_simulations_and_forced_passes(simulations):
    game = make_game("othello", 4)
    records = played(game, 4, range(4), search_config(**GUMBEL), simulations=simulations)
    assert any((record.move == game.pass_move).any() for record in records.values()) or simulations > 2
    assert all(np.isfinite(record.root_value[~record.is_opening]).all() for record in records.values())


class TestOpenings:
    def test_a_book_line_is_turned_and_recorded_as_an_opening(self):
        game = make_game("othello", 6)
        records = played(game, 4, random_opening_share=0.0, opening_book_share=1.0, opening_book=["c2 b2"])
        assert all(record.is_opening.tolist()[:3] == [True, True, False] for record in records.values())
        assert len({record.move[0] for record in records.values()}) > 1

    def test_book_moves_after_symmetries_are_legal(self):
        game = make_game("othello", 8)
        openings = Openings(
            game,
            selfplay_config(random_opening_share=0.0, opening_book_share=1.0, opening_book=["f5 d6 c3 d3"]),
        )
        rng = np.random.default_rng(0)
        lines = {openings.draw(rng) for _ in range(60)}
        assert len(lines) == 4  # the start position keeps four of the eight symmetries
        for line in lines:
            text = [parse_move(game, word) for word in ["f5", "d6", "c3", "d3"]]
            assert len(line) == len(text)

    @pytest.mark.parametrize(
        ("lines", "message"),
        [(["h8 h8"], "line 1, move 2"), (["h8", "z9"], "line 2, move 1"), ([" "], "line 1 has no moves")],
    )
    def test_a_wrong_book_is_one_sentence(self, lines, message):
        with pytest.raises(UserError, match=message):
            parse_book(lines, make_game("gomoku", 9, 5))

    def test_a_line_that_ends_the_game_is_no_opening(self):
        with pytest.raises(UserError, match="ends the game"):
            parse_book(["a1 b1 a2 b2 a3"], make_game("gomoku", 3, 3))

    def test_earlier_games_give_their_first_moves(self):
        game = make_game("gomoku", 6, 4)
        earlier = EarlierGames(np.array([0, 10, 1, 11, 35, 34], np.int16), np.array([0, 4, 6]))
        openings = Openings(game, selfplay_config(random_opening_share=0.0, earlier_game_share=1.0), earlier)
        rng = np.random.default_rng(0)
        lines = {openings.draw(rng) for _ in range(100)}
        assert lines == {(), (0,), (0, 10), (0, 10, 1), (35,)}

    def test_without_earlier_games_a_game_begins_at_the_start(self):
        openings = Openings(
            make_game("gomoku", 6, 4), selfplay_config(random_opening_share=0.0, earlier_game_share=1.0)
        )
        assert openings.draw(np.random.default_rng(0)) == ()

    def test_shares_are_kept(self):
        openings = Openings(
            make_game("gomoku", 6, 4),
            selfplay_config(random_opening_share=0.3, opening_book_share=0.5, opening_book=["a1 b1 c1 d1"]),
        )
        rng = np.random.default_rng(0)
        lengths = np.bincount([len(openings.draw(rng)) for _ in range(2000)], minlength=5)
        assert lengths[4] / 2000 == pytest.approx(0.5, abs=0.045)
        assert lengths[1:4].sum() / 2000 == pytest.approx(0.3, abs=0.041)


def test_random_moves_happen_before_their_ply_only_and_leave_the_target_alone():
    def off_target(share):
        records = played(
            make_game("gomoku", 6, 4), 4, random_opening_share=0.0, random_move_share=share,
            random_move_plies=5, simulations=8,
        )  # fmt: skip
        early = late = 0
        for record in records.values():
            for t, move in enumerate(record.move):
                visits = slice(record.visit_offsets[t], record.visit_offsets[t + 1])
                is_off = move not in record.visit_moves[visits]
                early += is_off and t < 5
                late += is_off and t >= 5
        return early, late

    assert off_target(0.0) == (0, 0)
    early, late = off_target(1.0)
    assert early > 20
    assert late == 0


def test_temperature_schedules_of_every_kind():
    linear = selfplay_config(temperature_shape="linear", temperature_plies=10, final_temperature=0.5)
    assert temperature_schedule(linear).at(5) == pytest.approx(0.75)
    points = selfplay_config(temperature_points=[PlyValue(0, 1.0), PlyValue(10, 0.8), PlyValue(20, 0.5)])
    assert [temperature_schedule(points).at(ply) for ply in (0, 10, 25)] == [1.0, 0.8, 0.5]
    plain = temperature_schedule(selfplay_config(temperature_plies=4))
    assert [plain.at(ply) for ply in (0, 3, 4)] == [1.0, 1.0, 0.0]


class TestResignation:
    def test_one_hopeless_search_is_enough_where_one_is_asked_for(self):
        watch = ResignWatch(-0.9, 1)
        assert not watch.sees_resignation(BLACK, -0.9)
        assert watch.sees_resignation(BLACK, -0.91)

    def test_both_sides_must_agree_for_so_many_searches(self):
        watch = ResignWatch(-0.9, 3)
        assert not watch.sees_resignation(BLACK, -0.95)
        assert not watch.sees_resignation(WHITE, 0.95)
        assert watch.sees_resignation(BLACK, -0.95)
        assert not watch.sees_resignation(WHITE, 0.5)
        assert not watch.sees_resignation(BLACK, -0.95)

    def test_the_winner_never_resigns(self):
        watch = ResignWatch(-0.5, 1)
        assert not watch.sees_resignation(WHITE, 0.99)

    def records(self, may_resign, num_control_games=0):
        facts = NO_FACTS._replace(may_resign=may_resign, num_control_games=num_control_games)
        return played(make_game("gomoku", 6, 4), 4, range(12), None, facts, resign_threshold=-0.05)

    def test_a_resigned_game_is_lost_by_the_side_to_move_in_its_last_row(self):
        resigned = [record for record in self.records(True).values() if record.is_resigned.any()]
        assert len(resigned) > 3
        for record in resigned:
            assert record.is_resigned.tolist() == [False] * (len(record.move) - 1) + [True]
            assert record.status == 3 - record.turn[-1]

    def test_control_games_are_the_games_as_they_would_be_without_resigning(self):
        plain = played(make_game("gomoku", 6, 4), 4)
        control = self.records(False)
        for game_id, record in control.items():
            assert (record.move == plain[game_id].move).all()
            assert record.is_resigned.sum() <= 1
        assert sum(record.is_resigned.sum() for record in control.values()) > 3

    def test_games_below_the_number_are_control_games(self):
        free, mixed = self.records(True), self.records(True, num_control_games=6)
        plain = played(make_game("gomoku", 6, 4), 4)
        assert all((mixed[i].move == plain[i].move).all() for i in range(6))
        assert all((mixed[i].move == free[i].move).all() for i in range(6, 12))

    def test_false_resignations_are_counted_among_control_games(self):
        game = make_game("gomoku", 6, 4)
        table = table_of_games([self.records(True, 9)[i] for i in range(12)], game.spec())
        figures = resign_figures(table, 9)
        false = measured = resigned = 0
        for game_id in range(12):
            rows = np.flatnonzero((table.game_id == game_id) & table.is_resigned)
            for row in rows:
                if game_id < 9:
                    measured += 1
                    false += table.status[row] != 3 - table.turn[row]
                else:
                    resigned += 1
        assert figures["resign_measured_games"] == measured > 0
        assert figures["false_resignations"] == false
        assert figures["false_resignation_rate"] == false / measured
        assert figures["resigned_games"] == resigned

    def test_no_rate_is_given_where_nothing_was_measured(self):
        game = make_game("gomoku", 6, 4)
        table = table_of_games(list(played(game, 4).values()), game.spec())
        assert "false_resignation_rate" not in resign_figures(table, 12)


class TestDecided:
    def test_a_board_whose_rows_all_hold_both_colours_is_a_dead_draw(self):
        windows = winning_windows(3, 3)
        assert len(windows) == 8
        assert is_dead_draw(np.array([1, 2, 1, 1, 2, 2, 2, 1, 0], np.int8), windows)
        assert not is_dead_draw(np.array([1, 2, 1, 1, 2, 2, 0, 1, 0], np.int8), windows)

    def test_windows_are_all_rows_of_the_board(self):
        for size, k in ((6, 4), (5, 5), (7, 3)):
            rows = {tuple(sorted(window)) for window in winning_windows(size, k)}
            assert len(rows) == 2 * size * (size - k + 1) + 2 * (size - k + 1) ** 2

    def test_games_end_as_drawn_when_nobody_can_win_and_not_before(self):
        game = make_game("gomoku", 3, 3)
        whole, ended = (
            played(game, 4, range(40), end_when_decided=on, simulations=30) for on in (False, True)
        )
        windows = winning_windows(3, 3)
        shorter = 0
        for game_id, record in ended.items():
            full = whole[game_id]
            assert record.status == full.status
            assert (record.move == full.move[: len(record.move)]).all()
            assert not any(is_dead_draw(stones, windows) for stones in record.stones)
            shorter += len(record.move) < len(full.move)
        assert shorter > 0
        assert {ended[i].status for i in ended if len(ended[i].move) < len(whole[i].move)} == {DRAW}
        assert ONGOING not in {record.status for record in ended.values()}


def test_the_centre_is_not_played_before_its_ply():
    game = make_game("gomoku", 5, 4)
    records = played(game, 4, random_opening_share=0.0, centre_ban_plies=4)
    assert all(12 not in record.move[:4] for record in records.values())
    assert any(12 in record.move for record in records.values())
