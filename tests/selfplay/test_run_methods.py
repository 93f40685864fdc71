"""The self-play stage with methods on: control games, earlier games, the cache; the same for any workers."""

import json

import numpy as np
import pytest
from omegaconf import OmegaConf

import stonezero.selfplay.run as selfplay_run
from stonezero.config import RunPaths
from stonezero.config.composition import compose_params, stage_params
from stonezero.files import digest, file_digest
from stonezero.games import make_game
from stonezero.network.model import initial_checkpoint
from stonezero.records.shard import read_shard
from stonezero.replay.index import RecordsFile, empty_index, write_index
from stonezero.replay.window import next_window
from tests.config.test_composition import CONF
from tests.selfplay.test_run import OVERRIDES


@pytest.fixture
def stage(tmp_path):
    """A function that runs the stage with overrides and gives its games, health figures and metrics."""
    paths = RunPaths(tmp_path / "runs")

    def run(*overrides, scratch="scratch", workers="1"):
        keys = {text.partition("=")[0] for text in overrides}
        base = [text for text in OVERRIDES if text.partition("=")[0] not in keys]
        params = stage_params(compose_params(CONF, [*base, *overrides]), "g001")
        game = make_game(**params.game)
        network = OmegaConf.to_object(params.network)
        initial_checkpoint(game.spec(), game.num_actions, network, 1).save(paths.champion("g000"))
        if not paths.buffer("g000").exists():
            write_index(paths.buffer("g000"), empty_index())
        folder = tmp_path / scratch
        folder.mkdir(exist_ok=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STONEZERO_WORKERS", workers)
            metrics = selfplay_run.run(params, "g001", folder, paths)
        health = json.loads(paths.health("g001").read_text())
        return digest(paths.games("g001")), health, {key: value for key, _, value in metrics}

    run.paths = paths
    return run


def shards(stage):
    return [read_shard(path) for path in sorted(stage.paths.games("g001").iterdir())]


RESIGN = ("selfplay.games=23", "selfplay.resign_threshold=0", "selfplay.resign_control_share=0.25")


def test_the_first_shards_are_played_on_and_the_rest_resign_where_few_resignations_are_false(stage):
    _, health, _ = stage(*RESIGN, "selfplay.resign_max_false_rate=1")
    assert health["resign_control_games"] == 6
    control, others = np.concatenate([t.is_resigned for t in shards(stage)[:2]]), shards(stage)[2:]
    assert control.any()
    assert health["resigned_games"] > 0
    assert health["resign_measured_games"] == control.sum()
    assert health["false_resignation_rate"] == health["false_resignations"] / control.sum()
    for table in others:
        for row in np.flatnonzero(table.is_resigned):
            assert row == len(table) - 1 or table.game_id[row + 1] != table.game_id[row]
            assert table.outcome[row] == -1


def test_nobody_resigns_where_too_many_resignations_would_be_false(stage, caplog):
    caplog.set_level("WARNING")
    _, health, _ = stage(*RESIGN, "selfplay.resign_max_false_rate=0")
    assert health["false_resignations"] > 0
    assert "nobody resigns" in caplog.text
    for table in shards(stage):
        last = np.flatnonzero(np.diff(table.game_id, append=-1))
        assert not (table.is_resigned[last] & (table.outcome[last] != -1)).any()


def test_resigning_does_not_depend_on_the_number_of_workers_nor_on_an_interruption(stage):
    overrides = (*RESIGN, "selfplay.resign_max_false_rate=1")
    first = stage(*overrides, scratch="one")
    assert stage(*overrides, scratch="two", workers="2")[:2] == first[:2]
    (stage.paths.root.parent / "one" / "shard-00003.parquet").unlink()
    assert stage(*overrides, scratch="one")[:2] == first[:2]


def test_the_cache_changes_no_record_and_reports_its_hits_as_a_speed(stage):
    plain = stage(scratch="plain")
    cached = stage("search.cache_size=500", scratch="cached")
    assert cached[:2] == plain[:2]
    assert 0 < cached[2]["speed/selfplay_cache_hit_rate"] < 1
    tiny = stage("search.cache_size=3", scratch="tiny", workers="2")
    assert tiny[:2] == plain[:2]


def test_the_mean_over_symmetries_counts_eight_evaluations_a_leaf(stage):
    _, plain, _ = stage("selfplay.games=1", "selfplay.random_opening_share=0", scratch="plain")
    _, mean, _ = stage("selfplay.games=1", "search.symmetric_evaluation=mean", scratch="mean")
    assert mean["evaluations"] % 8 == 0
    assert mean["evaluations"] > 3 * plain["evaluations"]


def test_games_begin_in_positions_of_the_window(stage):
    stage(scratch="before")
    source = stage.paths.games("g000")
    source.mkdir(parents=True)
    path = source / "shard-00000.parquet"
    (stage.paths.games("g001") / "shard-00000.parquet").rename(path)
    table = read_shard(path)
    file = RecordsFile("g000", path.relative_to(stage.paths.root.parent).as_posix(), file_digest(path))
    buffer = OmegaConf.to_object(compose_params(CONF, OVERRIDES).buffer)
    write_index(stage.paths.buffer("g000"), next_window(empty_index(), [(file, table)], buffer, 1))
    stage("selfplay.random_opening_share=0", "selfplay.earlier_game_share=1", scratch="after")
    lines = {table.move[table.game_id == game].tobytes() for game in np.unique(table.game_id)}
    openings = [
        t.move[(t.game_id == game) & t.is_opening] for t in shards(stage) for game in np.unique(t.game_id)
    ]
    assert any(len(opening) > 2 for opening in openings)
    assert all(any(line.startswith(opening.tobytes()) for line in lines) for opening in openings)


def test_a_share_of_cheap_searches_is_in_the_health_figures(stage):
    _, health, _ = stage("selfplay.full_search_share=0.5", "selfplay.cheap_simulations=4")
    assert 0.2 < health["cheap_search_share"] < 0.8


@pytest.mark.parametrize(
    "overrides",
    [
        ("search.evaluator=rollouts",),
        ("search.evaluator=rollouts", "search.rollout_plies=2"),
        ("search.symmetric_evaluation=random", "search.cache_size=50", "search.value_clip=0.9"),
        ("search.gumbel_considered=4", "search.reuse_tree=false", "search.root_noise_fraction=0"),
    ],
    ids=str,
)
def test_other_evaluations_and_roots_do_not_depend_on_the_number_of_workers(stage, overrides):
    assert stage(*overrides, scratch="one")[:2] == stage(*overrides, scratch="two", workers="2")[:2]
