"""Matches between any two players, and the ladder of anchors: counts, intervals, files, the command line."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from stonezero.arena.contest import (
    ContestSettings,
    default_opening_plies,
    play_contest,
    result_of,
    save_contest,
    score_interval,
)
from stonezero.arena.ladder import LADDERS, anchors_of, describe_ladder, play_ladder, rate_ladder
from stonezero.arena.tables import FORFEIT
from stonezero.games import BLACK_WON, DRAW, WHITE_WON, make_game
from stonezero.players.players import PlayerSpec, parse_player
from stonezero.records.formats.catalogue import read_file
from stonezero.terminal import PLAY_INFERENCE, PLAY_SETTINGS
from tests.players.engines import command

RANDOM = PlayerSpec("random", "random")
GREEDY = PlayerSpec("greedy", "greedy")


@pytest.fixture(autouse=True)
def one_worker(monkeypatch):
    monkeypatch.setenv("STONEZERO_WORKERS", "1")


def table(rows):
    columns = ["pair", "opening", "black", "white", "status", "moves", FORFEIT]
    return pd.DataFrame(rows, columns=columns)


def test_a_result_counts_games_duplicates_and_forfeits():
    result = result_of(
        table(
            [
                (0, 0, "a", "b", BLACK_WON, "x", ""),
                (0, 0, "b", "a", WHITE_WON, "y", "gave no answer at ply 3"),
                (1, 1, "a", "b", DRAW, "z", ""),
                (1, 1, "b", "a", BLACK_WON, "u", ""),
                (2, 0, "a", "b", BLACK_WON, "x", ""),
                (2, 0, "b", "a", BLACK_WON, "v", "resigned at ply 9"),
            ]
        ),
        "a",
        "b",
    )
    assert (result.wins, result.draws, result.losses) == (3, 1, 2)
    assert (result.distinct_games, result.duplicate_games, result.distinct_openings) == (5, 1, 2)
    assert result.forfeits == {"a": 1, "b": 1}
    assert result.score.value == pytest.approx(3.5 / 6)


@pytest.mark.parametrize("wins", [0, 3, 10])
def test_an_interval_of_like_pairs_is_wilsons(wins):
    scores = np.array([1.0] * wins + [0.0] * (10 - wins))
    expected = binomtest(wins, 10).proportion_ci(0.95, "wilson")
    low, high = score_interval(scores)[1:]
    ratio = 1.0 if wins in (0, 10) else scores.mean() * (1 - scores.mean()) / scores.var(ddof=1)
    assert ratio <= 1.0
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_an_interval_is_never_of_width_zero_and_narrows_where_pairs_agree():
    one = score_interval(np.array([1.0]))
    assert one.low < 0.5
    assert one.high == 1.0
    drawn, split = score_interval(np.full(20, 0.5)), score_interval(np.array([0.0, 1.0] * 10))
    nearly = score_interval(np.array([0.5] * 18 + [0.0, 1.0]))
    assert drawn.low < 0.35
    assert nearly.low > split.low


def test_an_interval_holds_the_truth_in_at_least_its_share_of_matches():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        games = rng.random((30, 2)) < 0.7
        interval = score_interval(games.mean(axis=1))
        held += interval.low <= 0.7 <= interval.high
    assert held > 0.92 * 400


def test_a_match_is_saved_whole_and_reads_back(tmp_path):
    game = make_game("gomoku", 6, 4)
    played = list(play_contest(game, GREEDY, RANDOM, ContestSettings(20, 2, 0, 64)))
    assert [len(part) for part in played] == [32, 40]
    save_contest(tmp_path, game, (GREEDY, RANDOM), played[-1], {"seed": 0})
    facts = json.loads((tmp_path / "match.json").read_text())
    assert facts["players"] == {"greedy": GREEDY.digest(), "random": RANDOM.digest()}
    assert facts["wins"] + facts["draws"] + facts["losses"] == 40
    reading = read_file(tmp_path / "games.sgf")
    assert not reading.refusals
    for item, (_, row) in zip(reading.games, played[-1].iterrows(), strict=True):
        assert item.game.status == row["status"]
        assert item.game.facts["black"] == row["black"]
        assert len(item.game.moves) == row["plies"]
        assert GREEDY.digest() in item.game.facts["comment"]
    saved = pd.read_parquet(tmp_path / "games.parquet")
    assert set(saved["black_digest"]) == {GREEDY.digest(), RANDOM.digest()}


def test_broken_off_games_are_saved_with_their_result_and_reason(tmp_path, stonezero):
    engine = f"gtp:seconds=5:{command(tmp_path, 'gtp', 6, 'illegal', 2)}"
    out = tmp_path / "out"
    code, text = stonezero(
        "match", engine, "random", "--game", "othello", "--size", "6", "--pairs", "2", "--out", str(out)
    )
    assert code == 0
    assert "broke off 4 games" in text
    reading = read_file(out / "games.sgf")
    assert len(reading.games) == 4
    assert all("not legal" in item.game.facts["comment"] for item in reading.games)
    assert all(item.game.status in (BLACK_WON, WHITE_WON) for item in reading.games)


def test_failure_stop_keeps_the_rounds_before(tmp_path, stonezero, monkeypatch):
    monkeypatch.setattr("stonezero.arena.contest.ROUND_PAIRS", 1)
    engine = f"gtp:failure=stop:seconds=5:{command(tmp_path, 'gtp', 4, 'illegal', 9)}"
    out = tmp_path / "out"
    words = ["match", engine, "random", "--game", "othello", "--size", "4", "--pairs", "4", "--out", str(out)]
    code, _ = stonezero(*words)
    assert "not legal" in code
    assert "\n" not in code


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["random", "greedy"], "say --game and --size"),
        (["random", "greedy", "--size", "6"], "go with --game"),
        (["random", "random", "--game", "othello", "--size", "6"], "different names"),
        (["random", "gtp:nowhere", "--game", "othello", "--size", "6"], "no program 'nowhere'"),
        (["random", "magic", "--game", "othello", "--size", "6"], "unknown player 'magic'"),
        (["random", "greedy", "--game", "othello", "--size", "7"], "size 4, 6, 8 or 10"),
    ],
)
def test_a_wrong_match_is_one_sentence(stonezero, words, message):
    code, _ = stonezero("match", *words)
    assert message in code
    assert "\n" not in code


def test_a_match_takes_its_game_from_a_checkpoint(stonezero, net):
    code, text = stonezero("match", f"net:{net}:sims=4", "random", "--pairs", "2")
    assert code == 0
    assert "4 games in 2 pairs" in text


@pytest.mark.parametrize(("name", "size", "k"), [("othello", 8, 0), ("gomoku", 15, 5), ("gomoku", 5, 4)])
def test_a_ladder_has_at_least_eight_anchors(name, size, k):
    game = make_game(name, size, k)
    anchors = anchors_of(game, PLAY_INFERENCE, PLAY_SETTINGS)
    assert len({anchor.name for anchor in anchors}) == len(anchors) >= 8
    has_rhino = any(anchor.kind == "gtp" for anchor in anchors)
    is_installed = shutil.which("gtp-rhino") or shutil.which("/usr/games/gtp-rhino")
    assert has_rhino == bool(name == "othello" and is_installed)
    assert LADDERS[name][0] == "random"


def test_a_ladder_is_played_once_and_shows_where_the_player_stands(tmp_path):
    game = make_game("gomoku", 5, 4)
    settings = ContestSettings(3, 2, 0, 64)
    player = parse_player("minimax:depth=3", game, PLAY_INFERENCE, PLAY_SETTINGS)
    anchors = [RANDOM, GREEDY, parse_player("rollouts:sims=16", game, PLAY_INFERENCE, PLAY_SETTINGS)]
    tables = list(play_ladder(game, [player], anchors, settings, tmp_path))
    assert [len(part) for part in tables] == [6] * 5
    stamps = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    again = list(play_ladder(game, [player], anchors, settings, tmp_path))
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == stamps
    for one, other in zip(tables, again, strict=True):
        pd.testing.assert_frame_equal(one, other)
    text = describe_ladder(rate_ladder(tables), [player.name], tables)
    marked = [line for line in text.splitlines() if line.startswith(">")]
    assert len(marked) == 1
    assert marked[0].endswith("minimax:depth=3")
    assert len(text.splitlines()) == 6


def test_default_openings_leave_a_game():
    sizes = {("othello", 4, 0): 2, ("othello", 8, 0): 6, ("gomoku", 6, 4): 2, ("gomoku", 15, 5): 4}
    assert {spec: default_opening_plies(make_game(*spec)) for spec in sizes} == sizes
