"""The command line as a user meets it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from stonezero import outbox
from stonezero.cli import main
from stonezero.tracking import Tracker, send_waiting
from tests.test_tracking import record

ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Answer:
    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Answer]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with conf/, which is the working directory."""
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return tmp_path


@pytest.fixture
def stonezero(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process."""

    def run(*arguments: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["stonezero", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        if isinstance(stop.value.code, str):  # the interpreter prints it and exits with 1
            return Answer(1, printed.out, printed.err + stop.value.code + "\n")
        return Answer(int(stop.value.code or 0), printed.out, printed.err)

    return run


def test_help_is_quick_and_names_the_commands(stonezero: Command) -> None:
    heavy = "{'torch', 'numba', 'mlflow', 'hydra', 'omegaconf', 'pandas'}"
    code = f"import sys, stonezero.cli; print({heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    answer = stonezero("--help")
    assert answer.returncode == 0
    for command in ("plan", "track", "mlflow", "play", "show"):
        assert f"\n  {command} " in answer.stdout


def test_plan_writes_params_and_says_so(checkout: Path, stonezero: Command) -> None:
    done = stonezero("plan", "iterations=4", "train.lr=0.001")
    assert done.stdout == "params.yaml written: quick, 4 generations iterations=4 train.lr=0.001\n"
    text = (checkout / "params.yaml").read_text()
    assert "plan:\n- iterations=4\n- train.lr=0.001\n" in text
    assert stonezero("plan", "iterations=4", "train.lr=0.001").stdout.startswith("params.yaml as before")
    assert stonezero("plan").stdout == "params.yaml written: quick, 3 generations\n"


def test_next_and_add_keep_the_overrides(checkout: Path, stonezero: Command) -> None:
    stonezero("plan", "train.lr=0.001")
    assert stonezero("plan", "--next").stdout.endswith("4 generations train.lr=0.001 iterations=4\n")
    assert stonezero("plan", "--next").stdout.endswith("5 generations train.lr=0.001 iterations=5\n")
    assert stonezero("plan", "--add", "seed=3").stdout.endswith("train.lr=0.001 iterations=5 seed=3\n")
    changed = stonezero("plan", "--next", "train.lr=0.5")
    assert changed.stdout.endswith("6 generations seed=3 iterations=6 train.lr=0.5\n")


@pytest.mark.parametrize("option", ["--next", "--add"])
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "  lr: 0.004\n",
            "  lr: 0.7\n",
            "train.lr is 0.7, not 0.004): set values in conf/ or by `stonezero plan",
        ),
        ("iterations: 3\n", "", "iterations is None, not 3"),
    ],
)
def test_next_and_add_do_not_lose_values_that_only_params_yaml_has(
    checkout: Path, stonezero: Command, option: str, old: str, new: str, message: str
) -> None:
    stonezero("plan")
    file = checkout / "params.yaml"
    file.write_text(file.read_text().replace(old, new))
    edited = file.read_text()
    done = stonezero("plan", option)
    assert done.returncode == 1
    assert message in done.stderr
    assert file.read_text() == edited


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "train.lrr=1"], "stonezero: there is no parameter train.lrr; do you mean train.lr?"),
        (["plan", "game.k=9"], "stonezero: gomoku on size 6 needs k from 3 to 6 in a row, not 9"),
        (["plan", "--next"], "stonezero: there is no params.yaml in .: run `stonezero plan`"),
        (["mlflow"], "stonezero: there is no mlflow.db in"),
    ],
)
def test_what_a_user_can_mend_is_one_line_and_exit_1(
    checkout: Path, stonezero: Command, arguments: list[str], message: str
) -> None:
    done = stonezero(*arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(message)
    assert len(done.stderr.splitlines()) == 1
    assert not (checkout / "params.yaml").exists()


def test_a_refused_plan_leaves_the_last_one(checkout: Path, stonezero: Command) -> None:
    stonezero("plan")
    before = (checkout / "params.yaml").read_text()
    assert stonezero("plan", "selfplay.simulations=0").returncode == 1
    assert (checkout / "params.yaml").read_text() == before


def test_outside_a_checkout_plan_says_so(
    tmp_path: Path, stonezero: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = stonezero("plan")
    assert done.returncode == 1
    assert "run this in a checkout of stonezero" in done.stderr


def test_mlflow_points_at_a_server_that_has_a_page_itself(
    checkout: Path, stonezero: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://tracking.example:5000")
    done = stonezero("mlflow")
    assert done.returncode == 1
    assert "http://tracking.example:5000, a server with a page of its own" in done.stderr


@pytest.mark.slow
def test_mlflow_shows_this_checkout_s_store_and_takes_others_records(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox.put(checkout, record())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MLFLOW", "PYTEST"))}
    command = [sys.executable, "-m", "stonezero", "mlflow", "--port", str(port)]
    with (checkout / "log.txt").open("w") as log:
        server = subprocess.Popen(command, cwd=checkout, env=env, stdout=log, stderr=log)
    try:
        answer = ask(f"http://127.0.0.1:{port}/api/2.0/mlflow/experiments/get-by-name?experiment_name=quick")
        assert answer["experiment"]["name"] == "quick"
        processes = [
            server.pid,
            *(child.pid for child in psutil.Process(server.pid).children(recursive=True)),
        ]
        assert len(processes) <= 4
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{port}")
        elsewhere = checkout / "elsewhere"
        outbox.put(elsewhere, record(key="other", generation="g002"))
        assert send_waiting(elsewhere) == 1
        runs = Tracker(elsewhere).client.search_runs([answer["experiment"]["experiment_id"]])
        assert {run.info.run_name for run in runs} >= {"g001 train", "g002 train"}
    finally:
        for process in psutil.Process(server.pid).children(recursive=True):
            process.kill()
        server.kill()
        server.wait()


def ask(url: str) -> dict[str, dict[str, str]]:
    deadline = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < deadline
            time.sleep(0.5)
