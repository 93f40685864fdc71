"""Processes that end with their parent, and how many of them there are."""

import ctypes
import os
import signal
import sys
import threading
import time

from joblib.externals.loky import ProcessPoolExecutor, get_reusable_executor

from stonezero.errors import UserError

WORKERS_VARIABLE = "STONEZERO_WORKERS"
IDLE_SECONDS = 300  #: idle workers end after this
_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int | None = None) -> None:
    """End this process when its parent ends, however that ends. Pool workers call this in their initialiser.

    Linux is asked for a signal; elsewhere a thread looks every half second. The kernel watches the parent's
    *thread* that started this process, so start processes from threads that live as long as they do.

    Parameters
    ----------
    parent
        Process id of the parent, where the caller knows it: if it has ended already, so does this one.
    """
    parent = parent or os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    elif os.name == "posix":
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def num_workers() -> int:
    """Worker processes to use: STONEZERO_WORKERS, by default the cores this process may use.

    A setting of the machine, not a parameter: results do not depend on it.
    """
    text = os.environ.get(WORKERS_VARIABLE, "")
    if not text:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise UserError(f"{WORKERS_VARIABLE} is {text!r}, but must be an integer from 1 to 1024")
    return int(text)


def worker_pool(workers: int) -> ProcessPoolExecutor:
    """Worker processes that end with this one; the same ones again where they are still there."""
    return get_reusable_executor(
        workers, timeout=IDLE_SECONDS, initializer=die_with_parent, initargs=(os.getpid(),)
    )
