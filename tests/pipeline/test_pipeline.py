"""What dvc runs and leaves alone, on the real dvc.yaml with fake bodies."""

import pytest

from tests.pipeline.conftest import Checkout


def test_one_generation_runs_from_nothing_and_then_nothing_runs(fresh: Checkout) -> None:
    fresh.plan("iterations=1")
    fresh.repro()
    stages = ["selfplay@g001", "buffer@g001", "train@g001", "gate@g001"]
    assert fresh.ran() == ["init", *stages, "elo-report"]
    fresh.repro()
    assert fresh.ran() == []
