"""Counting hits: who knows nothing scores low, who knows everything gets all; nets by prior and by search."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import Result
from typer.testing import CliRunner

from stonezero.cli import app
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.intervals import wilson_interval
from stonezero.network.model import initial_checkpoint
from stonezero.tactics.scoring import Hits, describe_hits, score_player
from stonezero.tactics.sets import TacticsSet, sets_of
from tests.network.nets import network
from tests.tactics.common import SETS, EndingSolver, FirstLegal, ThreatKnower, first_of, set_id


@pytest.mark.parametrize("tactics", SETS, ids=set_id)
def test_a_player_without_any_knowledge_scores_low(tactics: TacticsSet) -> None:
    assert score_player(FirstLegal(tactics.game), "first", tactics).share < 0.5


@pytest.mark.parametrize("tactics", SETS, ids=set_id)
def test_the_solvers_get_everything_right(tactics: TacticsSet) -> None:
    is_othello = tactics.game.name == "othello"
    player = EndingSolver(tactics.game) if is_othello else ThreatKnower(tactics.game)
    some = first_of(tactics, 100 if is_othello else 4)
    assert score_player(player, "solver", some).right == len(some)


@pytest.mark.slow
@pytest.mark.parametrize("tactics", [s for s in SETS if s.game.name == "gomoku"], ids=set_id)
def test_the_threat_solver_gets_whole_sets_right(tactics: TacticsSet) -> None:
    assert score_player(ThreatKnower(tactics.game), "solver", tactics).right == len(tactics)


@pytest.mark.parametrize(
    ("right", "positions", "low", "high"),
    [(0, 100, 0.0, 0.0370), (92, 100, 0.8500, 0.9589), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)],
)
def test_intervals_are_those_of_newcombe_1998(right: int, positions: int, low: float, high: float) -> None:
    """The last two from Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    assert wilson_interval(right, positions) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_the_table_says_where_the_goal_is_reached_and_what_to_do_where_it_is_not() -> None:
    hits = [
        Hits(kind, player, right, 100, *wilson_interval(right, 100))
        for kind, rights in {"win_in_1": (60, 92), "trap": (90, 84), "edge": (10, 85)}.items()
        for player, right in zip(("prior", "64 simulations"), rights, strict=True)
    ]
    head, *lines = describe_hits(hits).splitlines()
    assert head.split() == ["set", "positions", "prior", "64", "simulations"]
    assert lines[0].endswith("92 [85%, 96%]  goal reached")
    assert lines[1].endswith("84 [76%, 90%]  below 85%")
    assert lines[2].endswith("85 [77%, 91%]")
    assert lines[-1].startswith("below 85%: trap. Advice: raise train.value_weight")


def test_a_game_without_sets_is_refused_in_one_sentence() -> None:
    with pytest.raises(UserError, match="no tactical test sets for gomoku 7x7, 4 in a row, freestyle"):
        sets_of(make_game("gomoku", 7, 4))


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """An untrained net for the smallest board that has sets."""
    game = make_game("gomoku", 6, 4)
    path = tmp_path / "net.safetensors"
    initial_checkpoint(game.spec(), game.num_actions, network(), 1).save(path)
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_a_checkpoint_is_asked_by_its_prior_and_by_search(net: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    done = run("tactics", str(net), "--sims", "32", "--out", str(out))
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"{net}: gomoku 6x6, 4 in a row, freestyle\n")
    figures = {(row["set"], row["player"]): row for row in json.loads(out.read_text())}
    assert len(figures) == 2 * len(sets_of(make_game("gomoku", 6, 4)))
    prior, searched = figures["win_in_1", "prior"], figures["win_in_1", "32 simulations"]
    assert prior["right"] < 40
    assert searched["right"] > prior["right"], "32 simulations look at nearly every move"
    assert run("tactics", str(net), "--sims", "32", "--out", str(tmp_path / "again.json")).exit_code == 0
    assert (tmp_path / "again.json").read_text() == out.read_text()


def test_figures_are_written_as_csv_too(net: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.csv"
    assert run("tactics", str(net), "--sims", "1", "--out", str(out)).exit_code == 0
    table = pd.read_csv(out)
    assert list(table.columns) == ["set", "player", "right", "positions", "low", "high", "share"]
    assert (table["low"] <= table["share"]).all()
    assert (table["share"] <= table["high"]).all()


def test_what_cannot_be_asked_is_one_sentence(net: Path, tmp_path: Path) -> None:
    done = run("tactics", str(net), "--out", str(tmp_path / "figures.txt"))
    assert isinstance(done.exception, UserError)
    assert "written as .csv or .json" in str(done.exception)
    game = make_game("gomoku", 7, 4)
    other = tmp_path / "other.safetensors"
    initial_checkpoint(game.spec(), game.num_actions, network(), 1).save(other)
    done = run("tactics", str(other))
    assert isinstance(done.exception, UserError)
    assert "no tactical test sets for gomoku 7x7" in str(done.exception)
