"""Compiled kernels: one signature each, kept across processes and folders, never stale."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from stonezero import jit

EXERCISE = """
import json, sys
import numpy as np
from numba.core.registry import CPUDispatcher
from stonezero import Board
from stonezero.games import make_game
from stonezero.games.othello_bits import pack_discs
from stonezero.games.planes import plane_codes, write_planes

values = {}
for game in (make_game("gomoku", 6, 4), make_game("othello", 6)):
    board = Board(game)
    board.play(board.legal_moves()[0])
    Board.parse(str(board))
    Board.from_stones(game, board.stones * 0 + 1 + np.arange(36).reshape(6, 6) // 2 % 2, 1)
    out = np.empty((1, 1, 36), np.float32)
    write_planes(board.positions, np.zeros(1, np.int64), board._legal, plane_codes(["own"], game), out)
    result = np.zeros(500, np.float32)
    rows, keys = np.zeros(500, np.int64), np.arange(500, dtype=np.uint64)
    game.rollout(board.positions, rows, keys, result)
    values[game.name] = float(result.sum())

for large in (Board("gomoku", 6, 5, "renju"), Board("othello", 10)):
    for _ in range(2):
        large.play(large.legal_moves()[0])
    Board.parse(str(large))
    large.forbidden_moves()
pack_discs(board.positions.stones, 0, 6, 1)
"""

WARM_UP = """
import json, sys
from numba.core.registry import CPUDispatcher
from stonezero import warmup

warmup.warm_up()
values = {}
"""

FIGURES = """
kernels = {
    f"{item.py_func.__module__}.{item.py_func.__name__}": item
    for name, module in list(sys.modules.items())
    if name.startswith("stonezero")
    for item in vars(module).values()
    if isinstance(item, CPUDispatcher) and item.targetoptions.get("inline") != "always"
}
print(json.dumps({
    "signatures": {name: len(item.signatures) for name, item in kernels.items()},
    "hits": sum(sum(item.stats.cache_hits.values()) for item in kernels.values()),
    "misses": sum(sum(item.stats.cache_misses.values()) for item in kernels.values()),
    "values": values,
}))
"""

ROLLOUTS = """
import numpy as np
from stonezero.games import gomoku, make_game

game, values = make_game("gomoku", 6, 4), np.zeros(50, np.float32)
game.rollout(game.new_positions(1), np.zeros(50, np.int64), np.arange(50, dtype=np.uint64), values)
print("hits", sum(gomoku.roll_out_batch.stats.cache_hits.values()), values.tolist())
"""


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run("-c", code, **environment)


def run_stonezero(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run("-m", "stonezero", *arguments, **environment)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def exercise(code: str = EXERCISE, **environment: str) -> dict[str, Any]:
    """What kernels have compiled and loaded after `code`, and its values."""
    finished = run_python(code + FIGURES, **environment)
    assert finished.returncode == 0, finished.stderr
    return dict(json.loads(finished.stdout.splitlines()[-1]))


@pytest.fixture
def package_copy(tmp_path: Path) -> Path:
    """The package's sources in another folder."""
    copy = tmp_path / "elsewhere" / "stonezero"
    shutil.copytree(jit.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_kernels_compile_once_serve_other_folders_and_notice_an_edited_callee(
    tmp_path: Path, package_copy: Path
) -> None:
    cache, elsewhere = str(tmp_path / "cache"), str(package_copy.parent)
    first = exercise(STONEZERO_CACHE=cache)
    assert set(first["signatures"].values()) == {1}
    assert first["hits"] == 0

    second = exercise(STONEZERO_CACHE=cache, PYTHONPATH=elsewhere)
    assert second["misses"] == 0
    assert second["hits"] > 0
    assert second["values"] == first["values"]

    rollouts = run_python(ROLLOUTS, STONEZERO_CACHE=cache, PYTHONPATH=elsewhere).stdout
    callee = package_copy / "games" / "random.py"
    callee.write_text(callee.read_text().replace("0x9E3779B97F4A7C15", "0x9E3779B97F4A7C17"))
    edited = run_python(ROLLOUTS, STONEZERO_CACHE=cache, PYTHONPATH=elsewhere).stdout
    assert "hits 0" not in rollouts
    assert "hits 0" in edited
    assert rollouts.split()[2:] != edited.split()[2:]


@pytest.mark.slow
def test_every_kernel_has_one_signature_and_is_loaded_in_other_folders(
    tmp_path: Path, package_copy: Path
) -> None:
    cache, elsewhere = str(tmp_path / "cache"), str(package_copy.parent)
    first = exercise(WARM_UP, STONEZERO_CACHE=cache)
    assert {name.split(".")[1] for name in first["signatures"]} == set(jit.KERNEL_FOLDERS)
    assert {name: count for name, count in first["signatures"].items() if count != 1} == {}
    assert first["hits"] == 0

    second = exercise(WARM_UP, STONEZERO_CACHE=cache, PYTHONPATH=elsewhere)
    assert second["misses"] == 0
    assert second["hits"] > 0


def test_the_digest_follows_kernel_sources_and_the_bounds_check_and_nothing_else(
    package_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    original = jit.kernel_digest()
    monkeypatch.setattr(jit, "PACKAGE", package_copy)
    monkeypatch.setattr(jit, "__file__", str(package_copy / "jit.py"))
    assert jit.kernel_digest() == original
    (package_copy / "reporting" / "new_figure.py").write_text("WIDTH = 3\n")
    assert jit.kernel_digest() == original

    digests = {original}
    for source in ("games/othello.py", "search/new_rule.py", "jit.py", "lanes.py"):
        with (package_copy / source).open("a") as file:
            file.write("\n# edited\n")
        digests.add(jit.kernel_digest())
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    digests.add(jit.kernel_digest())
    assert len(digests) == 6


def test_a_cache_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    finished = run_stonezero("warm-up", STONEZERO_CACHE=str(tmp_path / "file"))
    assert finished.returncode == 1
    (line,) = finished.stderr.splitlines()
    assert line.startswith(
        f"stonezero: compiled kernels cannot be kept in {tmp_path / 'file'} (Not a directory)"
    )
    assert "STONEZERO_CACHE" in line


def test_an_empty_name_of_the_cache_folder_means_the_usual_one() -> None:
    code = "from stonezero.jit import CACHE_ROOT; print(CACHE_ROOT)"
    usual = platformdirs.user_cache_dir("stonezero")
    assert run_python(code, STONEZERO_CACHE="").stdout.strip() == usual


@pytest.mark.slow
def test_kernels_stay_inside_their_arrays() -> None:
    assert exercise(NUMBA_BOUNDSCHECK="1")["values"] == exercise(NUMBA_BOUNDSCHECK="0")["values"]
    exercise(WARM_UP, NUMBA_BOUNDSCHECK="1")


def test_the_bounds_check_reaches_kernels() -> None:
    code = """
import numpy as np
from stonezero.games import make_game
game, row = make_game("gomoku", 6, 4), np.zeros(1, np.int64)
game.play(game.new_positions(1), row, np.array([36], np.int16), row, np.empty((1, 36), np.uint8))
"""
    assert "IndexError" in run_python(code, NUMBA_BOUNDSCHECK="1").stderr
