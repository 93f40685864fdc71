"""Processes end with their parent, and their number is a setting of the machine."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from stonezero.errors import UserError
from stonezero.processes import num_workers

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {child!r}])
print(child.pid, flush=True)
time.sleep(60)
"""
CHILD = "import time; from stonezero.processes import die_with_parent; die_with_parent(); time.sleep(60)"
POLLING = """
import os, sys, time
sys.platform = "darwin"
from stonezero.processes import die_with_parent
die_with_parent()
time.sleep(60)
"""
POOL = """
import os
import time
from joblib.externals.loky import get_reusable_executor
from stonezero.processes import die_with_parent
executor = get_reusable_executor(2, initializer=die_with_parent, initargs=(os.getpid(),))
futures = [executor.submit(time.sleep, 60) for _ in range(2)]
print(*executor._processes, flush=True)
time.sleep(60)
"""


def killed_and_its_children(code: str, grace_seconds: float) -> list[int]:
    """Start `code`, read its children's process ids, kill it -9; the children still there after the grace."""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    children = [int(word) for word in parent.stdout.readline().split()]
    assert children
    time.sleep(grace_seconds)  # the children import
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 10
    while (left := [pid for pid in children if is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("child", [CHILD, POLLING])
def test_a_child_ends_with_a_killed_parent(child: str) -> None:
    assert killed_and_its_children(PARENT.format(child=child), grace_seconds=1.0) == []


def test_workers_of_a_pool_end_with_a_killed_stage() -> None:
    assert killed_and_its_children(POOL, grace_seconds=2.0) == []


def test_the_number_of_workers_is_a_setting_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONEZERO_WORKERS", "3")
    assert num_workers() == 3
    monkeypatch.delenv("STONEZERO_WORKERS")
    assert num_workers() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "100000"])
def test_a_senseless_number_of_workers_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STONEZERO_WORKERS", text)
    with pytest.raises(UserError, match="STONEZERO_WORKERS is"):
        num_workers()
