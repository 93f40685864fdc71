"""The doctor on files: a run's folder, the command, what is missing and what is damaged."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stonezero.arena.history import History
from stonezero.cli import main
from stonezero.config import RunPaths
from stonezero.doctor.checks import diagnose
from stonezero.doctor.loading import last_generation, load_facts
from stonezero.errors import UserError
from stonezero.records import write_shard
from stonezero.replay.index import RecordsFile, WindowIndex, write_index
from tests.doctor.runs import SPEC, Play, healthy_run, made_up_gates, made_up_losses, made_up_records
from tests.doctor.test_trees import made_up_tree

ROOT = Path(__file__).resolve().parents[2]


def write_run(root: Path, accepted: list[int], play: Play) -> RunPaths:
    """The files of a run with one generation for each entry of `accepted`."""
    paths, last = RunPaths(root / "runs"), f"g{len(accepted):03d}"
    history = History(pd.DataFrame(), full_gates(accepted), made_up_losses(), pd.DataFrame(), [])
    history.save(paths.history(last))
    records = made_up_records(play)
    for number in range(2):
        shard = paths.games(last) / f"shard-{number:05d}.parquet"
        write_shard(shard, records[number * 100 : number * 100 + 100], SPEC, last)
    write_index(paths.buffer(last), index_of_new_positions(5000))
    return paths


def full_gates(accepted: list[int]) -> pd.DataFrame:
    others = ("champion", "verdict", "reason", "score", "wins", "draws", "losses", "distinct_pairs", "llr")
    return made_up_gates(accepted).assign(**dict.fromkeys((*others, "lower_bound", "upper_bound"), 0))


def index_of_new_positions(count: int) -> WindowIndex:
    return WindowIndex(
        [RecordsFile("g006", "runs/g006/games/shard-00000.parquet", "0")],
        file=np.zeros(count, np.int32),
        row=np.arange(count, dtype=np.int32),
        game_id=np.zeros(count, np.int32),
        moves_digest=np.zeros(count, np.uint64),
        weight=np.ones(count, np.float32),
        staleness=np.zeros(count, np.int16),
        is_held_out=np.zeros(count, bool),
        is_policy_target=np.ones(count, bool),
    )


def test_facts_from_files_are_those_in_memory(tmp_path: Path) -> None:
    paths = write_run(tmp_path, [1, 1, 0, 1, 1, 0], Play())
    assert last_generation(paths) == "g006"
    found = {finding.check: finding.number for finding in diagnose(load_facts(paths, "g006", 128))}
    expected = {finding.check: finding.number for finding in diagnose(healthy_run())}
    assert found.pop("sample reuse") == "5.1"  # 200 steps of 128 over 5000
    assert found.pop("staleness") == "0.0 generations"
    assert found == {check: number for check, number in expected.items() if check in found}
    assert len(found) == len(expected) - 2


def test_without_games_and_window_losses_and_gates_are_judged_all_the_same(tmp_path: Path) -> None:
    paths = write_run(tmp_path, [1, 0, 0, 0, 0, 0], Play())
    shutil.rmtree(paths.games("g006"))
    paths.buffer("g006").unlink()
    found = {finding.check for finding in diagnose(load_facts(paths, "g006", 128))}
    assert found == {"gate streak", "value overfitting", "policy overfitting"}


def test_no_run_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no generation has been through its gate"):
        last_generation(RunPaths(tmp_path / "runs"))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def doctor(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["stonezero", "doctor", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code


def test_the_command_names_a_dead_lock_with_advice_and_status_1(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(checkout, [1, 0, 0, 0, 0, 0], Play())
    assert doctor(monkeypatch) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(
        "alarm    gate streak: 5 candidates in a row were rejected. A fault: above 4."
    )
    assert "selfplay.simulations" in printed[1]
    assert all(line.startswith("ok ") for line in printed[2:-1])
    assert printed[-1].endswith("corner gifts, missed wins, resign errors, tactics")


def test_the_command_finds_nothing_in_a_healthy_run(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(checkout, [1, 1, 0, 1, 1, 0], Play())
    assert doctor(monkeypatch) == 0
    assert "g009: no generation" in str(doctor(monkeypatch, "--generation", "g009"))


def test_the_command_looks_at_a_tree(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    children = [("e5", 150, -0.5, 0.6), ("d4", 50, 0.1, 0.3)]
    Path("tree.json").write_text(json.dumps(made_up_tree(-0.3, children, {})))
    assert doctor(monkeypatch, "--tree", "tree.json") == 1
    Path("tree.json").write_text("{")
    assert "no JSON" in str(doctor(monkeypatch, "--tree", "tree.json"))
    assert "cannot be read" in str(doctor(monkeypatch, "--tree", "other.json"))
