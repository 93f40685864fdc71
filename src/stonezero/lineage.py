"""Where, with what and how fast a stage ran: never part of an output, always beside it."""

import importlib.metadata
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from stonezero.processes import num_workers

PACKAGES = ("stonezero", "numpy", "numba", "torch", "onnxruntime", "openvino", "pyarrow", "safetensors")


def lineage(params: DictConfig, wall_seconds: float) -> dict[str, Any]:
    """Machine, versions, commit and wall time, as plain JSON values."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "wall_seconds": round(wall_seconds, 2),
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "workers": num_workers(),
        "system": platform.platform(terse=True),
        "backend": f"{params.inference.backend} {params.inference.precision} {params.inference.device}",
        "python": platform.python_version(),
        "versions": versions(),
        "commit": git_commit(),
    }


def cpu_name() -> str:
    """The processor's model name."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Installed versions of the packages that can change a result."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def git_commit() -> str:
    """Commit of the checkout, with `+` where tracked files differ; empty without git."""
    try:
        command = ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+"]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip()
