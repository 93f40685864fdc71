"""The self-play stage: shards, resuming, workers."""

import json
import pickle
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from omegaconf import OmegaConf

import stonezero.selfplay.run as selfplay_run
from stonezero.config import RunPaths
from stonezero.config.composition import compose_params, stage_params
from stonezero.errors import UserError
from stonezero.files import digest
from stonezero.games import make_game
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.model import initial_checkpoint
from stonezero.records.shard import read_shard
from tests.config.test_composition import CONF

OVERRIDES = ["experiment=tictactoe", "iterations=1", "selfplay.games=11", "selfplay.shard_games=3"]
OVERRIDES += ["selfplay.slots=2", "selfplay.simulations=8", "network.blocks=1", "network.channels=8"]


@pytest.fixture(scope="module")
def params():
    return stage_params(compose_params(CONF, OVERRIDES), "g001")


@pytest.fixture
def stage(tmp_path, params):
    """A function that runs the stage on an untrained net and returns the digest of its outputs."""
    game = make_game(**params.game)
    paths = RunPaths(tmp_path / "runs")
    network = OmegaConf.to_object(params.network)
    initial_checkpoint(game.spec(), game.num_actions, network, 1).save(paths.champion("g000"))

    def run(scratch="scratch", params=params):
        folder = tmp_path / scratch
        folder.mkdir(exist_ok=True)
        metrics = selfplay_run.run(params, "g001", folder, paths)
        return digest(paths.games("g001")), paths.health("g001").read_text(), metrics

    return run


def test_outputs_do_not_depend_on_the_number_of_workers(stage, monkeypatch):
    outputs = []
    for workers in ("1", "2", "3"):
        monkeypatch.setenv("STONEZERO_WORKERS", workers)
        outputs.append(stage(f"scratch{workers}")[:2])
    assert outputs[0] == outputs[1] == outputs[2]


def test_int8_self_play_gives_the_same_games_for_any_number_of_workers(stage, params, monkeypatch):
    rounded = OmegaConf.merge(params, {"inference": {"precision": "int8"}})
    outputs = []
    for workers in ("1", "2"):
        monkeypatch.setenv("STONEZERO_WORKERS", workers)
        outputs.append(stage(f"int8-{workers}", rounded)[:2])
    assert outputs[0] == outputs[1]
    assert outputs[0] != stage("f32")[:2]


def with_budget(params, evaluations):
    return OmegaConf.merge(params, {"selfplay": {"evaluations": evaluations, "games": 60}})


def test_a_budget_of_evaluations_ends_a_generation_at_the_same_shard_for_any_number_of_workers(
    stage, params, monkeypatch
):
    monkeypatch.setenv("STONEZERO_WORKERS", "1")
    every = json.loads(stage("all")[1])
    budget = every["evaluations"] // 2
    outputs = []
    for workers in ("1", "2", "3"):
        monkeypatch.setenv("STONEZERO_WORKERS", workers)
        outputs.append(stage(f"budget{workers}", with_budget(params, budget))[:2])
    assert outputs[0] == outputs[1] == outputs[2]
    spent = json.loads(outputs[0][1])
    assert budget <= spent["evaluations"] < every["evaluations"]
    assert spent["games"] % 3 == 0
    fewer = stage("fewer", OmegaConf.merge(params, {"selfplay": {"games": spent["games"] - 3}}))
    assert json.loads(fewer[1])["evaluations"] < budget, "one shard less would not have reached it"


def test_a_budget_beyond_all_games_ends_with_the_last_game(stage, params):
    assert json.loads(stage("much", with_budget(params, 10**9))[1])["games"] == 60


def test_shards_are_played_until_their_evaluations_reach_the_budget(params, tmp_path):
    selfplay = OmegaConf.to_object(with_budget(params, 1000).selfplay)
    paths = RunPaths(tmp_path / "runs")
    network = OmegaConf.to_object(params.network)
    game = make_game(**params.game)
    initial_checkpoint(game.spec(), game.num_actions, network, 1).save(paths.champion("g000"))
    task = selfplay_run._task(params, "g001", tmp_path, paths)._replace(selfplay=selfplay)
    wanted = partial(selfplay_run.shards_wanted, task)
    assert wanted([]) == 4, "1000 / (3 games x 9 plies x 9 evaluations)"
    assert wanted([100, 100, 100, 100]) == 10, "as many more as the mean tells"
    assert wanted([100] * 9 + [99]) == 11, "at least one more"
    assert wanted([100] * 10) == 10
    assert wanted([100] * 12) == 10, "what was played in vain is left out"
    assert wanted([1] * 10) == 20, "60 games are all"


def test_finished_shards_are_kept_and_the_rest_is_played_again(stage, tmp_path, monkeypatch):
    monkeypatch.setenv("STONEZERO_WORKERS", "1")
    expected = stage("uninterrupted")[:2]

    class KillError(Exception):
        pass

    write_shard = selfplay_run.write_shard
    written = []

    def write_two(path, *rest):
        if len(written) == 2:
            raise KillError
        write_shard(path, *rest)
        written.append(path)

    monkeypatch.setattr(selfplay_run, "write_shard", write_two)
    with pytest.raises(KillError):
        stage()
    kept = {path: path.stat().st_mtime_ns for path in written}
    monkeypatch.setattr(selfplay_run, "write_shard", write_shard)
    assert stage()[:2] == expected
    assert {path: path.stat().st_mtime_ns for path in written} == kept


def test_all_games_are_there_once_in_order(stage, tmp_path):
    stage()
    shards = sorted((tmp_path / "runs" / "g001" / "games").iterdir())
    assert [path.name for path in shards] == [f"shard-0000{i}.parquet" for i in range(4)]
    ids = np.concatenate([np.unique(read_shard(path).game_id) for path in shards])
    assert ids.tolist() == list(range(11))


def test_metrics_are_finite_and_speeds_are_marked_as_such(stage):
    metrics = stage()[2]
    assert all(np.isfinite(value) for _, _, value in metrics)
    assert {key for key, _, _ in metrics if "per_second" in key} == {
        "speed/selfplay_evaluations_per_second",
        "speed/selfplay_simulations_per_second",
    }


def test_a_missing_champion_is_named(params, tmp_path):
    with pytest.raises(UserError, match=r"champion\.safetensors"):
        selfplay_run.run(params, "g001", tmp_path, RunPaths(tmp_path / "runs"))


def test_a_worker_on_onnxruntime_never_imports_torch(params, tmp_path):
    game = make_game(**params.game)
    network = OmegaConf.to_object(params.network)
    paths = RunPaths(tmp_path / "runs")
    checkpoint: Checkpoint = initial_checkpoint(game.spec(), game.num_actions, network, 1)
    checkpoint.save(paths.champion("g000"))
    task = selfplay_run._task(params, "g001", tmp_path, paths)._replace(shards=(0,))
    selfplay_run.open_progress(tmp_path, 1, "w+")
    (tmp_path / "task").write_bytes(pickle.dumps(task))
    code = (
        "import pickle, sys; from stonezero.selfplay.run import play_shards;"
        f"play_shards(pickle.load(open({str(tmp_path / 'task')!r}, 'rb')));"
        "assert 'torch' not in sys.modules and 'mlflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "shard-00000.parquet").exists()
