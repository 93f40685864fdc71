"""Colour-swapped matches: pairs, records, and independence of the number of workers."""

import numpy as np
import pandas as pd
import pytest

from stonezero.arena.matches import Match, match_seed, play_matches, play_round
from stonezero.arena.openings import balanced_openings
from stonezero.arena.tables import distinct_games, distinct_pairs, pair_scores, points
from stonezero.errors import UserError
from stonezero.games import BLACK_WON, DRAW, ONGOING, WHITE_WON, Game, make_game
from stonezero.games.notation import parse_move
from stonezero.players.players import PlayerSpec

RANDOM = PlayerSpec("random", "random")
ROLLOUTS = PlayerSpec("rollouts:sims=12", "rollouts", simulations=12)
GAMES = [("gomoku", 5, 4), ("othello", 4, 0)]


def play(game: Game, pairs: range, slots: int = 64, first=ROLLOUTS, second=RANDOM) -> pd.DataFrame:
    openings = balanced_openings(game, 2, 8, seed=1)
    (table,) = play_matches(game, [Match(first, second, openings, pairs, seed=7)], slots)
    return table


@pytest.fixture(autouse=True)
def one_worker(monkeypatch):
    monkeypatch.setenv("STONEZERO_WORKERS", "1")


@pytest.mark.parametrize(("name", "size", "k"), GAMES)
def test_every_game_replays_to_its_result(name, size, k):
    game = make_game(name, size, k)
    table = play(game, range(6))
    legal = np.zeros((1, game.num_actions), np.uint8)
    row = np.zeros(1, np.int64)
    for _, played in table.iterrows():
        positions = game.new_positions(1)
        game.legal_moves(positions, row, legal)
        for text in played["moves"].split():
            move = parse_move(game, text)
            assert legal[0, move]
            game.play(positions, row, np.array([move], np.int16), row, legal)
        assert positions.status[0] == played["status"] != ONGOING
        assert positions.ply[0] == played["plies"]


@pytest.mark.parametrize(("name", "size", "k"), GAMES)
def test_pairs_share_the_opening_and_swap_colours(name, size, k):
    table = play(make_game(name, size, k), range(6))
    assert table["pair"].tolist() == sorted([*range(6), *range(6)])
    for _, pair in table.groupby("pair"):
        one, other = pair.to_dict("records")
        assert (one["black"], one["white"]) == (other["white"], other["black"]) == (ROLLOUTS.name, "random")
        assert one["opening"] == other["opening"]
        assert one["moves"].split()[:2] == other["moves"].split()[:2]
    assert table["opening"].nunique() == min(6, table["opening"].max() + 1)


def test_results_do_not_depend_on_rounds_slots_or_workers(monkeypatch):
    game = make_game("gomoku", 5, 4)
    whole = play(game, range(8))
    parts = pd.concat([play(game, range(0, 3), slots=2), play(game, range(3, 8), slots=5)], ignore_index=True)
    monkeypatch.setenv("STONEZERO_WORKERS", "2")
    in_two_processes = play(game, range(8))
    pd.testing.assert_frame_equal(whole, parts)
    pd.testing.assert_frame_equal(whole, in_two_processes)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_round_plays_the_same_games_as_its_matches_alone(monkeypatch, workers):
    monkeypatch.setenv("STONEZERO_WORKERS", workers)
    game = make_game("gomoku", 5, 4)
    openings = balanced_openings(game, 2, 8, seed=1)
    third = PlayerSpec("rollouts:sims=5", "rollouts", simulations=5)
    matches = [
        Match(ROLLOUTS, RANDOM, openings, range(2), seed=7),
        Match(third, ROLLOUTS, openings, range(3, 6), seed=8),
        Match(RANDOM, third, openings, range(1), seed=9),
    ]
    alone = list(play_matches(game, matches, slots=64))
    for one, other in zip(play_round(game, matches, slots=3), alone, strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert play_round(game, [], slots=3) == []


def test_search_beats_random():
    table = play(make_game("gomoku", 5, 4), range(12))
    assert points(table, ROLLOUTS.name).mean() > 0.75
    assert len(distinct_games(table)) > 20


def test_several_matches_come_in_order_and_empty_ones_are_empty():
    game = make_game("gomoku", 4, 4)
    openings = balanced_openings(game, 2, 4, seed=1)
    other = PlayerSpec("other", "random")
    matches = [
        Match(RANDOM, other, openings, range(2), seed=1),
        Match(RANDOM, other, openings, range(0), seed=2),
        Match(RANDOM, other, openings, range(3), seed=3),
    ]
    tables = list(play_matches(game, matches, slots=8))
    assert [len(table) for table in tables] == [4, 0, 6]
    assert list(tables[1].columns) == list(tables[0].columns)


def games(rows: list[tuple[int, str, str, int, str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["pair", "black", "white", "status", "moves"])


def test_points_and_pair_scores():
    table = games(
        [
            (0, "a", "b", BLACK_WON, "x"),
            (0, "b", "a", WHITE_WON, "y"),
            (1, "a", "b", DRAW, "z"),
            (1, "b", "a", BLACK_WON, "u"),
        ]
    )
    assert points(table, "a").tolist() == [1, 1, 0.5, 0]
    assert pair_scores(table, "a").tolist() == [2.0, 0.5]
    assert pair_scores(table, "b").tolist() == [0.0, 1.5]


def test_repeated_pairs_are_dropped_and_half_repeated_ones_are_kept():
    table = games(
        [
            (0, "a", "b", DRAW, "x"),
            (0, "b", "a", DRAW, "y"),
            (1, "a", "b", DRAW, "x"),
            (1, "b", "a", DRAW, "y"),
            (2, "a", "b", DRAW, "x"),
            (2, "b", "a", DRAW, "z"),
        ]
    )
    assert distinct_pairs(table)["pair"].tolist() == [0, 0, 2, 2]


def test_match_seeds_tell_matches_apart():
    seeds = {
        match_seed(s, labels)
        for s in (1, 2)
        for labels in (["g001", "a", "b"], ["g002", "a", "b"], ["g001", "b", "a"])
    }
    assert len(seeds) == 6
    assert match_seed(1, ["g001"]) == match_seed(1, ["g001"])


def test_a_player_does_not_meet_himself():
    openings = balanced_openings(make_game("gomoku", 4, 4), 2, 4, seed=1)
    with pytest.raises(UserError, match="different names"):
        Match(RANDOM, RANDOM, openings, range(1), seed=1)
