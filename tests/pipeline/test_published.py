"""The published systems' presets: each composes with its own methods and runs one tiny generation."""

import json
from pathlib import Path

import pytest

from stonezero.config.composition import compose_params
from tests.pipeline.conftest import make_checkout

CONF = Path(__file__).resolve().parents[2] / "conf"
TINY = (
    "iterations=1",
    "schedule=[]",
    "ramp=[]",
    "network.channels=8",
    "network.blocks=1",
    "selfplay.games=2",
    "selfplay.shard_games=1",
    "selfplay.simulations=4",
    "selfplay.slots=2",
    "train.batch_size=16",
    "train.threads=1",
    "gate.simulations=2",
    "gate.slots=4",
    "gate.round_pairs=1",
    "gate.max_pairs=1",
    "gate.archive_pairs=1",
    "gate.anchors=[random]",
    "gate.anchor_pairs=1",
)
SYSTEMS = {
    "gomoku15_resnet": {"search.c_puct": 2.5, "selfplay.simulations": 400, "buffer.max_games": 5000},
    "gomoku15_history": {
        "search.max_children": 50,
        "train.freeze_head": "value",
        "gate.rule": "archive_weakest",
    },
    "othello8_adaptive": {
        "search.visit_exponent_slope": 0.05,
        "train.optimizer": "sgd",
        "gate.rule": "archive_mean",
    },
    "gomoku15_light": {"search.candidate_radius": 2, "network.blocks": 1, "selfplay.games": 2},
    "gomoku15_pruned": {
        "search.max_children": 15,
        "train.value_loss": "huber",
        "train.lr_schedule": "onecycle",
    },
}
"""Numbers that each published recipe states."""


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_published_system_keeps_its_numbers(system: str) -> None:
    params = compose_params(CONF, [f"experiment={system}"])
    for path, value in SYSTEMS[system].items():
        section, key = path.split(".")
        assert params[section][key] == value, path
    assert params.network.heads == "dense"
    assert params.network.value == "tanh"


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_published_system_runs_one_tiny_generation(system: str, tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path / "checkout", fake=False)
    epochs = ["train.epochs=1"] if compose_params(CONF, [f"experiment={system}"]).train.epochs else []
    checkout.plan(f"experiment={system}", *TINY, *epochs)
    checkout.repro()
    history = json.loads(checkout.read("runs/g001/history/champions.json"))
    is_accepted = json.loads(checkout.read("runs/g001/gate.json"))["accepted"]
    assert [champion["generation"] for champion in history] == ["g000", *["g001"] * is_accepted]
    assert (checkout.root / "reports/report.html").stat().st_size > 1000
