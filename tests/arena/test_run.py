"""The gate stage on a tiny board with untrained nets: files, chain of histories, resuming, bad input."""

import json
from pathlib import Path

import pandas as pd
import pytest
from omegaconf import DictConfig, OmegaConf

from stonezero.arena import run as gate_stage
from stonezero.arena.history import Champion, History
from stonezero.config import RunPaths
from stonezero.config.composition import compose_params
from stonezero.config.schema import StageParams
from stonezero.errors import UserError
from stonezero.files import digest, file_digest
from stonezero.games import make_game
from stonezero.network.model import initial_checkpoint

CONF = Path(__file__).parents[2] / "conf"
ALWAYS = ["gate.elo0=-2000", "gate.elo1=-300"]
NEVER = ["gate.alpha=1e-6", "gate.accept_score_at_cap=1"]
TINY = [
    "experiment=tictactoe",
    "network.channels=8",
    "network.blocks=1",
    "inference=numpy",
    "inference.max_batch=8",
    "gate.simulations=2",
    "gate.round_pairs=2",
    "gate.max_pairs=4",
    "gate.anchors=[random,'rollouts:sims=4']",
    "gate.anchor_pairs=1",
    "gate.archive_pairs=1",
    "gate.archive_champions=2",
    "iterations=3",
]


def stage_params(gen: str, *overrides: str) -> DictConfig:
    params = compose_params(CONF, [*TINY, *overrides])
    merged = OmegaConf.merge(OmegaConf.structured(StageParams), OmegaConf.to_container(params), {"gen": gen})
    assert isinstance(merged, DictConfig)
    return merged


@pytest.fixture
def paths(tmp_path: Path, monkeypatch) -> RunPaths:
    """Runs with an untrained net as g000 and other untrained nets as the candidates of g001 to g003."""
    monkeypatch.setenv("STONEZERO_WORKERS", "1")
    paths = RunPaths(tmp_path / "runs")
    game, params = make_game("gomoku", 3, 3), stage_params("g001")
    for number, gen in enumerate(["g000", "g001", "g002", "g003"]):
        checkpoint = initial_checkpoint(game.spec(), game.num_actions, params.network, number)
        checkpoint.save(paths.candidate(gen))
        if gen == "g000":
            checkpoint.save(paths.champion(gen))
            paths.history(gen).mkdir(parents=True)
        else:
            paths.losses(gen).write_text("step,train_policy_loss\n1,2.5\n2,2.25\n")
            paths.health(gen).write_text('{"games": 64, "mean_plies": 7.5}')
    return paths


def run(paths: RunPaths, tmp_path: Path, gen: str, *overrides: str, scratch: str = "scratch"):
    return gate_stage.run(stage_params(gen, *overrides), gen, tmp_path / scratch / gen, paths)


def test_an_accepted_candidate_becomes_champion(paths, tmp_path):
    metrics = run(paths, tmp_path, "g001", *ALWAYS)
    assert file_digest(paths.champion("g001")) == file_digest(paths.candidate("g001"))
    figures = json.loads(paths.gate("g001").read_text())
    assert figures["accepted"] == 1
    assert set(figures["scores"]) == {"random", "rollouts:sims=4"}
    flat = [*figures.values(), *figures.pop("scores").values()]
    assert all(isinstance(value, int | float) for value in figures.values())
    assert flat
    assert ("gate/accepted", 1, 1.0) in metrics
    assert {key for key, _, _ in metrics} >= {"gate/score_vs_random", "gate/score_vs_rollouts_sims_4"}


def test_a_rejected_candidate_leaves_the_champion(paths, tmp_path):
    run(paths, tmp_path, "g001", *NEVER)
    assert file_digest(paths.champion("g001")) == file_digest(paths.champion("g000"))
    history = History.load(paths.history("g001"))
    assert [champion.generation for champion in history.champions] == ["g000"]
    assert history.gates["verdict"].tolist() == ["rejected"]


def test_histories_form_a_chain(paths, tmp_path):
    for gen in ("g001", "g002", "g003"):
        run(paths, tmp_path, gen, *(NEVER if gen == "g002" else ALWAYS))
    history = History.load(paths.history("g003"))
    assert [champion.generation for champion in history.champions] == ["g000", "g001", "g003"]
    assert history.gates["generation"].tolist() == ["g001", "g002", "g003"]
    assert history.gates["champion"].tolist() == ["g000", "g001", "g001"]
    assert history.losses["generation"].tolist() == ["g001"] * 2 + ["g002"] * 2 + ["g003"] * 2
    assert history.health["mean_plies"].tolist() == [7.5] * 3
    matches = history.matches
    assert set(matches["kind"]) == {"gate", "anchor", "archive"}
    assert set(matches["black"]) == {"g000", "g001", "g002", "g003", "random", "rollouts:sims=4"}
    # the untrained net met the anchors once, the rejected g002 met the archive
    met = matches[matches["kind"] == "anchor"].groupby("generation")["black"].agg(set)
    assert "g000" in met["g001"]
    assert "g000" not in met["g002"]
    archive = matches[matches["kind"] == "archive"]
    assert set(archive.loc[archive["generation"] == "g002", "white"]) == {"g002", "g000"}


def test_same_params_same_bytes(paths, tmp_path):
    run(paths, tmp_path, "g001", scratch="one")
    first = [digest(paths.history("g001")), file_digest(paths.gate("g001"))]
    run(paths, tmp_path, "g001", scratch="other")
    assert first == [digest(paths.history("g001")), file_digest(paths.gate("g001"))]


def test_a_killed_gate_goes_on_where_it_was(paths, tmp_path, monkeypatch):
    run(paths, tmp_path, "g001", scratch="whole")
    expected = digest(paths.history("g001"))
    real, played = gate_stage.play_matches, []

    def dies_later(game, matches, slots):
        for match, table in zip(matches, real(game, matches, slots), strict=True):
            if len(played) == 3:
                raise KeyboardInterrupt
            played.append((match.first.name, match.second.name, match.pairs))
            yield table

    monkeypatch.setattr(gate_stage, "play_matches", dies_later)
    with pytest.raises(KeyboardInterrupt):
        run(paths, tmp_path, "g001", scratch="cut")
    before = list(played)
    monkeypatch.setattr(gate_stage, "play_matches", lambda *a: (played.append(None) or t for t in real(*a)))
    run(paths, tmp_path, "g001", scratch="cut")
    whole = len(list((tmp_path / "whole" / "g001").glob("*.parquet")))
    assert len(before) == 3
    assert len(played) == whole
    assert digest(paths.history("g001")) == expected


def test_a_changed_or_missing_champion_is_refused(paths, tmp_path):
    run(paths, tmp_path, "g001", *ALWAYS)
    paths.champion("g000").write_bytes(b"something else")
    with pytest.raises(UserError, match="no longer the champion of g000"):
        run(paths, tmp_path, "g002", *ALWAYS)
    paths.champion("g000").unlink()
    with pytest.raises(UserError, match="missing"):
        run(paths, tmp_path, "g002", *ALWAYS)


def test_a_missing_candidate_and_a_damaged_history_are_refused(paths, tmp_path):
    paths.candidate("g001").unlink()
    with pytest.raises(UserError, match="candidate"):
        run(paths, tmp_path, "g001")
    (paths.history("g000") / "matches.parquet").write_bytes(b"not a table")
    with pytest.raises(UserError, match="history"):
        run(paths, tmp_path, "g001")


def test_a_champion_replaced_by_another_net_is_refused(paths, tmp_path):
    run(paths, tmp_path, "g001", *ALWAYS)
    paths.champion("g001").write_bytes(paths.candidate("g002").read_bytes())
    with pytest.raises(UserError, match="no longer the champion of g001"):
        run(paths, tmp_path, "g002", *ALWAYS)


@pytest.mark.parametrize("content", ["[]", "3", '"figures"', "null"])
def test_self_play_figures_that_are_no_object_are_refused(paths, tmp_path, content):
    paths.health("g001").write_text(content)
    with pytest.raises(UserError, match=r"health.json has to be a JSON object"):
        run(paths, tmp_path, "g001", *ALWAYS)


GOOD = {"generation": "g000", "path": "runs/g000/champion.safetensors", "sha256": "0"}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({}, "champions.json is no list"),
        ([3], "a champion has generation, path, sha256, not 3"),
        ([{"generation": "g000"}], "a champion has generation, path, sha256, not"),
        ([GOOD | {"sha256": 5}], "a champion's sha256 is a text, not 5"),
        ([GOOD | {"generation": "best"}], "a champion's generation looks like g003, not 'best'"),
    ],
)
def test_damaged_champions_are_named(tmp_path, entries, message):
    (tmp_path / "champions.json").write_text(json.dumps(entries))
    with pytest.raises(UserError, match=rf"^the history in [^\n]* can't be read: {message}[^\n]*$"):
        History.load(tmp_path)


def test_a_table_of_gates_without_a_column_is_named(tmp_path):
    (tmp_path / "gates.csv").write_text("generation,candidate\ng001,g001\n")
    with pytest.raises(UserError, match=r"can't be read: gates.csv has no column champion$"):
        History.load(tmp_path)


@pytest.mark.parametrize("path", ["/etc/passwd", "../runs/g000/x", "runs/../../x", "elsewhere/x", ""])
def test_champions_outside_runs_are_refused(tmp_path, path):
    with pytest.raises(UserError, match="lies outside runs/"):
        Champion("g000", path, "0").checked_path(RunPaths(tmp_path / "runs"))


def test_equal_nets_repeat_their_games_and_are_rejected(paths, tmp_path):
    paths.candidate("g001").write_bytes(paths.champion("g000").read_bytes())
    run(paths, tmp_path, "g001")
    figures = json.loads(paths.gate("g001").read_text())
    assert figures["score"] == 0.5
    assert figures["accepted"] == 0


def test_matches_can_be_read_by_pandas_alone(paths, tmp_path):
    run(paths, tmp_path, "g001")
    table = pd.read_parquet(paths.history("g001") / "matches.parquet")
    assert list(table.columns) == [
        "generation", "pair", "opening", "black", "white", "status", "plies", "moves", "kind"
    ]  # fmt: skip


def test_archive_rules_judge_by_games_against_several_champions(paths, tmp_path):
    for gen in ("g001", "g002"):
        run(paths, tmp_path, gen, *ALWAYS)
    overrides = ["gate.rule=archive_mean"]
    run(paths, tmp_path, "g003", *overrides)
    history = History.load(paths.history("g003"))
    last = history.matches[history.matches["generation"] == "g003"]
    met = last[last["kind"] != "anchor"]
    assert set(met["black"]) == {"g001", "g002", "g003"}
    assert set(met.loc[met["kind"] == "gate", "white"]) == {"g002", "g003"}
    assert len(met) == 4
    assert history.gates["model"].iloc[-1] == "mean score against the last champions"
    assert "over 2 archived nets" in history.gates["reason"].iloc[-1]


def test_anchors_are_met_every_so_many_generations(paths, tmp_path):
    for gen in ("g001", "g002"):
        run(paths, tmp_path, gen, *NEVER, "gate.anchor_every=2")
    matches = History.load(paths.history("g002")).matches
    anchors = matches[matches["kind"] == "anchor"]
    assert set(anchors["generation"]) == {"g002"}
    assert set(anchors["black"]) >= {"g000", "g002"}


def test_openings_of_a_file_are_played_in_an_order_of_the_generation(paths, tmp_path):
    file = tmp_path / "set.txt"
    file.write_text("# stonezero openings 1\n# gomoku 3x3, 3 in a row, freestyle\na1\na2\nb2a1\n")
    run(paths, tmp_path, "g001", f"gate.openings={file}")
    games = pd.read_parquet(paths.history("g001") / "matches.parquet")
    assert set(games["opening"]) == {0, 1, 2}
    starts = {moves[:2] for moves in games["moves"]}
    assert starts == {"a1", "a2", "b2"}

    run(paths, tmp_path, "g001", f"gate.openings={file}", "seed=9", scratch="other")
    assert not pd.read_parquet(paths.history("g001") / "matches.parquet").equals(games)
    params = stage_params("g001", f"gate.openings={file}")
    file.write_text(file.read_text().replace("a2", "b2"))
    with pytest.raises(UserError, match="has changed since the plan was made"):
        gate_stage.run(params, "g001", tmp_path / "late", paths)


def test_candidates_are_asked_tactical_sets_where_that_is_wanted(paths, tmp_path):
    game, params = make_game("gomoku", 6, 4), stage_params("g001")
    for number, gen in enumerate(["g000", "g001"]):
        checkpoint = initial_checkpoint(game.spec(), game.num_actions, params.network, number)
        checkpoint.save(paths.candidate(gen))
        checkpoint.save(paths.champion(gen))
    board = ["game.size=6", "game.k=4", "inference.backend=onnxruntime"]
    plain = run(paths, tmp_path, "g001", *board)
    history = digest(paths.history("g001"))
    asked = run(paths, tmp_path, "g001", *board, "gate.tactics=true", scratch="asked")
    assert digest(paths.history("g001")) == history, "metrics alone"
    figures = [metric for metric in asked if metric not in plain]
    names = {key for key, _, _ in figures}
    assert {"tactics/win_in_1", "tactics/win_in_1_prior", "tactics/trap"} <= names
    assert all(key.startswith("tactics/") and step == 1 and 0 <= share <= 1 for key, step, share in figures)


def test_a_game_without_tactical_sets_is_refused_before_anything_is_played(paths, tmp_path):
    with pytest.raises(UserError, match="no tactical test sets for gomoku 3x3"):
        run(paths, tmp_path, "g001", "gate.tactics=true")
    assert not paths.gate("g001").exists()
