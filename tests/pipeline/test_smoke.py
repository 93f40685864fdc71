"""The real pipeline on a tiny board: what `make smoke` runs."""

import json
import math
import time
from pathlib import Path

import pytest

from tests.pipeline.conftest import Checkout, make_checkout

TINY = (
    "experiment=tictactoe",
    "iterations=2",
    "network.channels=8",
    "network.blocks=1",
    "selfplay.games=24",
    "selfplay.simulations=8",
    "selfplay.shard_games=8",
    "selfplay.slots=8",
    "train.samples_per_position=2",
    "train.batch_size=32",
    "train.checkpoint_steps=2",
    "train.threads=1",
    "gate.simulations=4",
    "gate.round_pairs=2",
    "gate.max_pairs=4",
    "gate.anchors=[random]",
    "gate.anchor_pairs=2",
    "gate.archive_pairs=1",
)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout in which two tiny generations have really run, tracked."""
    checkout = make_checkout(tmp_path_factory.mktemp("smoke") / "checkout", fake=False)
    checkout.env["STONEZERO_TRACKING"] = ""
    checkout.plan(*TINY)
    checkout.repro()
    checkout.commit()
    return checkout


@pytest.mark.slow
def test_the_whole_pipeline_runs_and_then_nothing_runs(smoke: Checkout) -> None:
    elo = json.loads(smoke.read("reports/elo.json"))
    assert elo.pop("elo").keys() == {"g000", "g001", "g002", "random"}
    assert all(isinstance(value, int | float | None) for value in elo.values()), (
        "a text would hide the numbers"
    )
    assert (smoke.root / "reports/report.html").stat().st_size > 1000
    champions = json.loads(smoke.read("runs/g002/history/champions.json"))
    assert champions[0]["generation"] == "g000"
    assert "up to date" in smoke.repro().stdout


@pytest.mark.slow
def test_metrics_lineage_and_the_tracking_store_are_filled(smoke: Checkout) -> None:
    for stage in ("selfplay", "buffer", "train", "gate"):
        metrics = json.loads(smoke.read(f"runs/g002/metrics/{stage}.json"))
        assert metrics
        assert all(math.isfinite(value) and not key.startswith("speed/") for key, _, value in metrics)
        assert json.loads(smoke.read(f"runs/g002/lineage/{stage}.json"))["wall_seconds"] > 0
    code = "import mlflow; print(*mlflow.search_runs(search_all_experiments=True)['tags.mlflow.runName'])"
    names = smoke.run("python", "-c", code).stdout
    for name in ("g001 selfplay", "g001 buffer", "g002 train", "g002 gate", "g002 elo-report"):
        assert name in names
    assert list((smoke.root / ".scratch/tracking/outbox").iterdir()) == []


@pytest.mark.slow
def test_another_clone_with_another_number_of_workers_makes_the_same_bytes(
    smoke: Checkout, tmp_path: Path
) -> None:
    clone = smoke.copy(tmp_path / "clone", cache=False)
    clone.env["STONEZERO_TRACKING"] = "off"
    (clone.root / "dvc.lock").unlink()
    clone.repro(STONEZERO_WORKERS="1")
    assert clone.read("dvc.lock") == smoke.read("dvc.lock")


@pytest.mark.slow
def test_kills_in_the_middle_of_every_long_stage_change_no_byte(smoke: Checkout, tmp_path: Path) -> None:
    clone = smoke.copy(tmp_path / "clone", cache=False)
    clone.env["STONEZERO_TRACKING"] = "off"
    (clone.root / "dvc.lock").unlink()
    for half_done in ("selfplay@g001-*/shard-*", "train@g001-*/*.safetensors", "gate@g001-*/*.parquet"):
        process = clone.start("dvc", "repro", "gate@g001")
        while not list((clone.root / ".scratch").glob(half_done)) and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.communicate(timeout=30)
    clone.repro()
    assert clone.read("dvc.lock") == smoke.read("dvc.lock")


@pytest.mark.slow
def test_sync_tells_a_new_store_what_came_from_the_cache(smoke: Checkout, tmp_path: Path) -> None:
    copy = smoke.copy(tmp_path / "copy")
    (copy.root / "mlflow.db").unlink()
    copy.run("stonezero", "track", "sync")
    again = copy.run("stonezero", "track", "sync").stdout
    assert "0 waiting records sent" in again
    code = "import mlflow; print(len(mlflow.search_runs(search_all_experiments=True)))"
    assert copy.run("python", "-c", code).stdout.strip() == "10", (
        "four stages of two generations, report, parent"
    )
