"""Self-play games whose endings the solver plays out: exact targets, and nothing else changed."""

from pathlib import Path

import numpy as np
import pytest

from stonezero.games import EMPTY, make_game
from stonezero.records.schema import GameRecord, table_of_games
from stonezero.replay.audit import audit
from stonezero.selfplay.health import health_figures
from tests.reference import othello_endgame as twin
from tests.selfplay.test_games import played

NUM_EMPTIES = 6
SIZES = (4, 6)


@pytest.fixture(scope="module", params=SIZES)
def games(request: pytest.FixtureRequest) -> tuple[dict[int, GameRecord], dict[int, GameRecord], int]:
    """The same games with and without a solver, and the size of their board."""
    game = make_game("othello", request.param)
    return played(game, 5, solve_empties=NUM_EMPTIES), played(game, 5), request.param


def test_every_ending_is_solved_after_the_searched_move_that_led_there(games) -> None:  # type: ignore[no-untyped-def]
    solved_games, _, _ = games
    for record in solved_games.values():
        few = np.count_nonzero(record.stones == EMPTY, axis=1) <= NUM_EMPTIES
        assert (record.is_solved == few).all()
    assert sum(record.is_solved.sum() for record in solved_games.values()) > 20


def test_targets_are_those_of_plain_minimax_and_the_game_ends_as_they_say(games) -> None:  # type: ignore[no-untyped-def]
    solved_games, _, size = games
    known: twin.Known = {}
    table = table_of_games(list(solved_games.values()), make_game("othello", size).spec())
    assert (table.root_value == table.outcome)[table.is_solved].all()
    for row in np.flatnonzero(table.is_solved):
        board = {divmod(int(p), size): " XO"[table.stones[row, p]] for p in np.flatnonzero(table.stones[row])}
        scores = twin.score_moves(board, " XO"[table.turn[row]], size, known)
        best = {
            size * size if isinstance(move, str) else move[0] * size + move[1]
            for move, score in scores.items()
            if score == max(scores.values())
        }
        visits = slice(table.visit_offsets[row], table.visit_offsets[row + 1])
        assert set(table.visit_moves[visits].tolist()) == best
        assert (table.visit_counts[visits] == 1).all()
        assert table.move[row] in best
        assert np.sign(max(scores.values())) == table.root_value[row]
        assert table.is_full_search[row]


def test_until_then_games_are_those_without_a_solver(games) -> None:  # type: ignore[no-untyped-def]
    solved_games, searched_games, _ = games
    for game_id, record in solved_games.items():
        other, end = searched_games[game_id], int(np.count_nonzero(~record.is_solved))
        assert not other.is_solved.any()
        for name in ("stones", "turn", "move", "root_value", "prior_entropy", "is_opening", "visit_offsets"):
            np.testing.assert_array_equal(getattr(record, name)[:end], getattr(other, name)[:end])


def test_records_do_not_depend_on_which_games_share_a_batch() -> None:
    game = make_game("othello", 6)
    together = played(game, 5, solve_empties=10)
    for game_id, record in played(game, 1, [7, 3], solve_empties=10).items():
        for name, value in vars(record).items():
            np.testing.assert_array_equal(value, getattr(together[game_id], name), err_msg=name)


def test_solved_games_pass_the_audit_and_have_finite_health_figures(games) -> None:  # type: ignore[no-untyped-def]
    solved_games, _, size = games
    game = make_game("othello", size)
    table = table_of_games(list(solved_games.values()), game.spec())
    audit(table, game, Path("shard.parquet"))
    figures = health_figures(table)
    assert all(np.isfinite(figure) for figure in figures.values())
    assert figures["positions"] == (~table.is_opening).sum()
