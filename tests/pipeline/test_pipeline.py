"""What dvc runs and leaves alone, on the real dvc.yaml with fake bodies."""

import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.pipeline.conftest import Checkout

GENERATION = ("selfplay", "buffer", "train", "gate")


def stages(*generations: int) -> list[str]:
    return [f"{stage}@g{number:03d}" for number in generations for stage in GENERATION]


def wait_for(condition: object, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def test_one_generation_runs_from_nothing_and_then_nothing_runs(fresh: Checkout) -> None:
    fresh.plan("iterations=1")
    fresh.repro()
    assert fresh.ran() == ["init", *stages(1), "elo-report"]
    fresh.repro()
    assert fresh.ran() == []


@pytest.mark.slow
def test_generations_run_in_order(built: Checkout) -> None:
    assert built.first_run == ["init", *stages(1, 2, 3), "elo-report"]


@pytest.mark.slow
def test_one_generation_more_runs_that_generation_and_the_report(checkout: Checkout) -> None:
    checkout.plan("--next")
    checkout.repro()
    assert checkout.ran() == [*stages(4), "elo-report"]
    assert "iterations: 4" in checkout.read("params.yaml")


@pytest.mark.slow
def test_a_change_from_generation_3_leaves_1_and_2_cached(checkout: Checkout) -> None:
    checkout.plan("schedule=[{start: 3, set: {train.lr: 0.0005}}]")
    checkout.repro()
    assert checkout.ran() == ["train@g003", "gate@g003", "elo-report"]
    checkout.plan()
    checkout.repro()
    assert checkout.ran() == ["elo-report"], "all else comes back from the cache; reports lie in git"


@pytest.mark.slow
def test_changes_rerun_only_what_depends_on_them(checkout: Checkout) -> None:
    cases = {
        "elo.prior_games=3.0": ["elo-report"],
        "schedule=[{start: 3, set: {gate.max_pairs: 50}}]": ["gate@g003", "elo-report"],
        "schedule=[{start: 3, set: {buffer.max_positions: 777}}]": [*stages(3)[1:], "elo-report"],
    }
    for override, expected in cases.items():
        checkout.plan(override)
        checkout.repro()
        assert checkout.ran() == expected, override


@pytest.mark.slow
def test_an_edit_of_the_report_or_the_runner_replays_no_game(checkout: Checkout) -> None:
    for module in ("stage.py", "tracking.py", "outbox.py", "cli.py", "files.py", "config/schema.py"):
        with (checkout.root / "src/stonezero" / module).open("a") as file:
            file.write("# edited\n")
    with (checkout.root / "src/stonezero/reporting/__init__.py").open("a") as file:
        file.write("# edited\n")
    checkout.repro()
    assert checkout.ran() == ["elo-report"]


@pytest.mark.slow
def test_downstream_runs_generations_in_order(checkout: Checkout) -> None:
    checkout.repro("-f", "--downstream", "gate@g001")
    assert checkout.ran() == ["gate@g001", *stages(2, 3), "elo-report"]


@pytest.mark.slow
def test_a_clone_that_pulls_runs_nothing(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run("dvc", "remote", "add", "-d", "storage", str(tmp_path / "storage"))
    checkout.run("dvc", "push", "-q")
    checkout.commit()
    clone = checkout.copy(tmp_path / "clone", cache=False)
    clone.run("dvc", "pull", "-q")
    clone.repro()
    assert clone.ran() == []


@pytest.mark.slow
def test_clones_without_cache_agree_whatever_their_number_of_workers(built: Checkout, tmp_path: Path) -> None:
    clone = built.copy(tmp_path / "clone", cache=False)
    (clone.root / "dvc.lock").unlink()
    clone.repro(STONEZERO_WORKERS="1")
    assert clone.read("dvc.lock") == built.read("dvc.lock")


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["stage", "dvc"])
def test_a_kill_is_resumed_and_leaves_the_same_outputs(built: Checkout, tmp_path: Path, victim: str) -> None:
    clone = built.copy(tmp_path / "clone", cache=False)
    (clone.root / "dvc.lock").unlink()
    clone.repro("selfplay@g001")
    clone.ran()
    process = clone.start("dvc", "repro", FAKE_SLEEP="1.0")
    wait_for(lambda: list((clone.root / ".scratch").glob("train@g001-*/0.txt")))
    (stage,) = psutil.Process(process.pid).children()
    os.kill(stage.pid if victim == "stage" else process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    wait_for(lambda: not stage.is_running() or stage.status() == psutil.STATUS_ZOMBIE, seconds=5)
    clone.ran()
    clone.repro()
    assert clone.ran()[0] == "train@g001"
    assert clone.read("dvc.lock") == built.read("dvc.lock")


@pytest.mark.slow
def test_a_resumed_stage_finds_its_scratch_folder(checkout: Checkout) -> None:
    process = checkout.start("dvc", "repro", "-s", "-f", "train@g002", FAKE_SLEEP="1.5")
    wait_for(lambda: list((checkout.root / ".scratch").glob("train@g002-*/0.txt")))
    process.kill()
    process.communicate(timeout=30)
    checkout.ran()
    checkout.repro("-s", "-f", "train@g002")
    line = checkout.log.read_text().split()
    assert line[0] == "train@g002"
    assert int(line[1]) >= 1
    assert not list((checkout.root / ".scratch").glob("train@g002-*"))


@pytest.mark.slow
def test_an_input_changed_while_a_stage_runs_is_refused_and_not_recorded(checkout: Checkout) -> None:
    before = checkout.read("dvc.lock")
    hook = "Path('runs/g003/buffer.parquet').chmod(0o644); Path('runs/g003/buffer.parquet').write_text('new')"
    done = checkout.repro("-s", "-f", "train@g003", check=False, FAKE_HOOK=hook)
    assert done.returncode != 0
    assert "runs/g003/buffer.parquet changed while the stage ran" in done.stderr
    assert "Traceback" not in done.stderr
    assert checkout.read("dvc.lock") == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed: 1", "seed: 2", "params.yaml does not say what conf/ says (seed is 2, not 1)"),
        ("seed: 1", "sed: 1", "params.yaml: sed: Key 'sed' not in 'StageParams'"),
        (
            "seed: 1",
            "seed: one",
            "params.yaml: seed: Value 'one' of type 'str' could not be converted to Integer",
        ),
    ],
)
def test_params_edited_by_hand_are_refused_and_nothing_is_touched(
    checkout: Checkout, old: str, new: str, message: str
) -> None:
    file = checkout.root / "params.yaml"
    file.write_text(file.read_text().replace(f"\n{old}\n", f"\n{new}\n"))
    done = checkout.repro(check=False)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert checkout.ran() == []
    assert (checkout.root / "runs/g003/champion.safetensors").exists()


@pytest.mark.slow
def test_an_edit_of_conf_without_a_new_plan_is_refused(checkout: Checkout) -> None:
    file = checkout.root / "conf/train/adam.yaml"
    file.write_text(file.read_text().replace("momentum: 0.9", "momentum: 0.8"))
    done = checkout.repro(check=False)
    assert "train.momentum is 0.9, not 0.8" in done.stderr
    checkout.plan()
    checkout.repro("train@g001")
    assert checkout.ran() == ["train@g001"]


@pytest.mark.slow
def test_experiments_compose_with_their_own_overrides_and_pass_the_check(checkout: Checkout) -> None:
    checkout.run("dvc", "exp", "run", "-n", "wide", "-S", "elo.confidence=0.9")
    assert checkout.ran() == ["elo-report"]
    assert "confidence: 0.9\n" in checkout.read("params.yaml")


@pytest.mark.slow
def test_an_experiment_that_leaves_out_the_committed_plan_is_refused(checkout: Checkout) -> None:
    checkout.plan("elo.confidence=0.8")
    checkout.repro()
    checkout.commit()
    assert checkout.ran() == ["elo-report"]
    for options in (["-S", "elo.prior_games=3"], []):  # [] is in the cache
        done = checkout.run("dvc", "exp", "run", *options, check=False)
        assert done.returncode != 0
        assert "add -S elo.confidence=0.8" in done.stderr
        assert checkout.ran() == []
    checkout.run("dvc", "exp", "run", "-S", "elo.prior_games=3", "-S", "elo.confidence=0.8")
    assert checkout.ran() == ["elo-report"]


@pytest.mark.slow
def test_an_experiment_that_cannot_be_is_refused(checkout: Checkout) -> None:
    done = checkout.run("dvc", "exp", "run", "-n", "bad", "-S", "elo.confidence=7", check=False)
    assert done.returncode != 0
    assert "elo.confidence is 7.0, but must lie between 0.5 and 0.999" in done.stderr
    done = checkout.run("dvc", "exp", "run", "-n", "bad", "-S", "elo.confidenc=0.9", check=False)
    assert done.returncode != 0


@pytest.mark.slow
def test_a_temporary_checkout_runs_its_own_code_and_fills_the_main_one_s_outbox(checkout: Checkout) -> None:
    hook = "import os, stonezero; Path(os.environ['FAKE_LOG'] + '.where').write_text(stonezero.__file__)"
    checkout.run("dvc", "exp", "run", "--temp", "-n", "apart", "-S", "elo.confidence=0.9", FAKE_HOOK=hook)
    where = Path(checkout.read(".ran.log.where"))
    assert ".dvc/tmp" in where.as_posix()
    newest = max(path.name for path in (checkout.root / ".scratch/tracking/outbox").iterdir())
    assert "elo-report" in newest
    assert "confidence: 0.9\n" not in checkout.read("params.yaml")


@pytest.mark.slow
def test_two_repros_at_once_harm_nothing(checkout: Checkout) -> None:
    first = checkout.start("dvc", "repro", "-s", "-f", "train@g002", FAKE_SLEEP="1")
    wait_for(lambda: list((checkout.root / ".scratch").glob("train@g002-*/0.txt")))
    second = checkout.run("python", "stages/train.py", "gen=g002", check=False)
    assert second.returncode in (0, 1)
    assert "Traceback" not in second.stderr
    assert first.wait(timeout=60) == 0
    checkout.repro()
    assert checkout.ran().count("train@g002") == 2 - second.returncode


@pytest.mark.slow
def test_ctrl_c_is_one_line_and_resumable(checkout: Checkout) -> None:
    process = subprocess.Popen(
        ["python", "stages/train.py", "gen=g002"],
        cwd=checkout.root,
        env=checkout.environment(FAKE_SLEEP="5"),
        stderr=subprocess.PIPE,
        text=True,
        # a shell's background jobs ignore SIGINT, and so would a test suite started as one
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    wait_for(lambda: checkout.log.exists())
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors.strip() == "train g002: interrupted; run again to go on from here"
