"""Elo against simulations: who meets whom, the ratings of known players, the command and its files."""

import numpy as np
import pandas as pd
import pytest

from stonezero.arena import ladder
from stonezero.arena.ladder import meetings
from stonezero.arena.scaling import (
    COLUMNS,
    describe_scaling,
    parse_simulations,
    rate_scaling,
    scaling_table,
)
from stonezero.errors import UserError
from stonezero.games import BLACK_WON, DRAW, WHITE_WON
from stonezero.pictures.scaling import scaling_figure
from stonezero.players.players import PlayerSpec
from stonezero.reporting.render import svgs

STRENGTHS = {"random": 0.0, "net:50": 150.0, "net:100": 250.0, "net:200": 300.0}
SIMULATIONS = {"net:200": 200, "net:50": 50, "net:100": 100}


def games_between(first, second, elo, count, rng):
    """Independent games by Davidson's law: wins are to losses as 10^(elo / 400), 1/5 drawn between equals."""
    weights = np.array([10 ** (elo / 800), 0.5, 10 ** (-elo / 800)])
    result = rng.choice([BLACK_WON, DRAW, WHITE_WON], size=count, p=weights / weights.sum())
    is_black = np.arange(count) % 2 == 0
    flipped = np.where(result == BLACK_WON, WHITE_WON, np.where(result == WHITE_WON, BLACK_WON, DRAW))
    return pd.DataFrame(
        {
            "pair": np.arange(count) // 2,
            "black": np.where(is_black, first, second),
            "white": np.where(is_black, second, first),
            "status": np.where(is_black, result, flipped),
            "moves": [f"{number}" for number in range(count)],
        }
    )


def ratings_of(strengths, count=600, seed=0):
    rng = np.random.default_rng(seed)
    players = [PlayerSpec(name, "net") for name in strengths if name != "random"]
    pairs = meetings(players, [PlayerSpec("random", "random")])
    tables = [
        games_between(a.name, b.name, strengths[a.name] - strengths[b.name], count, rng) for a, b in pairs
    ]
    return rate_scaling(tables, SIMULATIONS)


def test_players_meet_each_other_and_the_anchors_the_first_and_the_last():
    a, b, c = (PlayerSpec(name, "net") for name in "abc")
    x, y = PlayerSpec("x", "random"), PlayerSpec("y", "greedy")
    assert meetings([a], [x, y]) == [(a, x), (a, y), (x, y)]
    assert meetings([a, b, c], [x, y]) == [
        *((a, x), (a, y), (c, x), (c, y)),
        *((a, b), (a, c), (b, c)),
        (x, y),
    ]


@pytest.mark.parametrize(
    ("text", "numbers"), [("64", [64]), ("50,100,200", [50, 100, 200]), ("8,2, 4", [2, 4, 8])]
)
def test_numbers_of_simulations_are_put_in_order(text, numbers):
    assert parse_simulations(text) == numbers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("many", "say a number"),
        ("50,,100", "say a number"),
        ("0,50", "between 1 and 1000000"),
        ("50,2000000", "between 1 and 1000000"),
        ("50,100,50", "each number once"),
    ],
)
def test_wrong_numbers_of_simulations_are_one_sentence(text, message):
    with pytest.raises(UserError, match=message) as error:
        parse_simulations(text)
    assert "\n" not in str(error.value)


def test_gains_follow_from_known_strengths():
    table = scaling_table(ratings_of(STRENGTHS), SIMULATIONS)
    assert list(table["simulations"]) == [50, 100, 200]
    assert set(table) == {"player", *COLUMNS}
    assert table["gain"].isna().tolist() == [True, False, False]
    assert table["gain"][1] == pytest.approx(table["elo"][1] - table["elo"][0])
    assert table["gain"][1] == pytest.approx(100, abs=40)
    assert (table["superiority"][1:] > 0.95).all()


def test_intervals_hold_known_strengths_in_their_share_of_ladders():
    held = []
    for seed in range(100):
        table = scaling_table(ratings_of(STRENGTHS, count=200, seed=seed), SIMULATIONS)
        assert table["elo"][0] == 0
        for row in table[1:].to_dict("records"):
            held.append(row["low"] < STRENGTHS[row["player"]] - STRENGTHS["net:50"] < row["high"])
    assert 0.9 < np.mean(held) < 0.995


def test_search_that_adds_nothing_shows_no_sure_gain():
    chances = []
    for seed in range(20):
        ratings = ratings_of({**STRENGTHS, "net:100": 150.0}, count=100, seed=seed)
        chances.append(scaling_table(ratings, SIMULATIONS)["superiority"][1])
    assert 0.2 < np.mean(chances) < 0.8
    assert np.mean(np.array(chances) > 0.95) <= 0.2


def test_the_text_has_a_line_for_each_number():
    ratings = ratings_of(STRENGTHS, count=100)
    lines = describe_scaling(ratings, scaling_table(ratings, SIMULATIONS)).splitlines()
    assert [line.split()[0] for line in lines] == ["simulations", "50", "100", "200"]
    assert "+" not in lines[1]
    assert "+" in lines[2]


@pytest.mark.parametrize("is_bounded", [True, False])
def test_the_figure_is_drawn_with_and_without_bounds(is_bounded):
    rng = np.random.default_rng(0)
    games = [
        games_between("net:50", "random", 400.0, 60, rng),
        games_between("net:50", "greedy", -30.0, 60, rng),
        games_between("net:100", "net:50", 50.0 if is_bounded else 9999.0, 60, rng),
    ]
    simulations = {"net:50": 50, "net:100": 100}
    ratings = rate_scaling(games, simulations)
    table = scaling_table(ratings, simulations)
    assert np.isnan(table["high"][1]) == (not is_bounded)
    text = svgs(scaling_figure(ratings, table))
    assert text == svgs(scaling_figure(ratings, table))
    assert ">50<" in text
    assert ">greedy<" in text
    assert ">random<" not in text


@pytest.fixture
def short_ladder(monkeypatch, tmp_path):
    """A ladder of two anchors, and an empty folder to play it in."""
    monkeypatch.setenv("STONEZERO_WORKERS", "1")
    monkeypatch.setitem(ladder.LADDERS, "othello", ("random", "greedy"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("short_ladder")
def test_the_command_prints_and_writes_elo_over_simulations(stonezero, net, tmp_path):
    words = ["ladder", str(net), "--simulations", "8,2,4", "--pairs", "2"]
    code, text = stonezero(*words)
    assert code == 0
    assert len([line for line in text.splitlines() if line.startswith(">")]) == 3
    files = [tmp_path / "reports" / "simulations" / f"simulations.{end}" for end in ("csv", "png")]
    table = pd.read_csv(files[0])
    assert list(table) == list(COLUMNS)
    assert list(table["simulations"]) == [2, 4, 8]
    assert files[1].read_bytes().startswith(b"\x89PNG")
    before = [file.read_bytes() for file in files]
    assert len(list((tmp_path / ".scratch" / "ladder").iterdir())) == 4 + 3 + 1

    assert stonezero(*words, "--out", "again")[0] == 0
    assert [(tmp_path / "again" / file.name).read_bytes() for file in files] == before


@pytest.mark.usefixtures("short_ladder")
def test_one_number_writes_nothing(stonezero, net, tmp_path):
    code, text = stonezero("ladder", str(net), "--simulations", "2", "--pairs", "1")
    assert code == 0
    assert "simulations" not in text
    assert not (tmp_path / "reports").exists()
    code, _ = stonezero("ladder", str(net), "--out", "x")
    assert "--simulations 50,100,200" in code
