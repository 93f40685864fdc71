"""What tic-tac-toe must learn: never to lose, from either seat, whatever the other side plays."""

from pathlib import Path

import pytest

from benchmarks.exhaustive import exhaustive
from tests.pipeline.conftest import make_checkout


@pytest.mark.slow
def test_the_tictactoe_preset_learns_never_to_lose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = make_checkout(tmp_path / "checkout", fake=False)
    checkout.plan("experiment=tictactoe")
    checkout.repro()
    monkeypatch.chdir(checkout.root)
    untrained = exhaustive(Path("runs/g000/champion.safetensors"), 64)
    trained = exhaustive(max(Path("runs").glob("g*/champion.safetensors")), 64)
    assert sum(row["lost"] for row in untrained) > 0, "the test must be able to fail"
    assert [row["lost"] for row in trained] == [0, 0]
    assert all(row["won"] + row["drawn"] > 0 for row in trained)
