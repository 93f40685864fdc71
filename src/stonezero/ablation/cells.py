"""Running cells: Hydra deals them to its launcher, each job is one `dvc exp run --temp`.

DVC makes the temporary checkout out of what is committed, and its cache answers for stages that another cell
(of the same seed, mostly) has run. A cell whose experiment exists is done; a killed grid goes on with the
cells and stages that are missing.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import hydra
import yaml
from filelock import FileLock, Timeout
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from stonezero import outbox
from stonezero.ablation.folders import Folders
from stonezero.ablation.grid import Cell, Grid
from stonezero.ablation.results import collect, has_result
from stonezero.config.composition import PARAMS_FILE, register, sentence
from stonezero.errors import UserError
from stonezero.files import write_text
from stonezero.processes import WORKERS_VARIABLE, die_with_parent

STARTED = re.compile(r"[Ss]tage '")
"""In dvc's words once the temporary checkout is made."""

RAN, CACHED, FAILED = "ran", "cached", "failed"

RunCell = Callable[[Path, Cell, bool], None]
"""Runs a cell and leaves its result; UserError where it fails. The flag: other cells run at the same time."""


class Outcome(NamedTuple):
    """How a cell's job ended."""

    state: str  #: RAN, CACHED or FAILED
    reason: str = ""  #: of a failure, one line


def run_cells(
    root: Path, grid: Grid, run_cell: RunCell, has_run: Callable[[Path, Cell], bool]
) -> dict[str, Outcome]:
    """Run the cells that are not done yet by Hydra's launcher; outcomes by the cells' names, in order."""
    done = {cell.name: Outcome(CACHED) for cell in grid.cells if has_run(root, cell)}
    todo = [cell for cell in grid.cells if cell.name not in done]
    if todo:
        for cell in todo:
            Folders(root).outcome(cell.name).unlink(missing_ok=True)
        _launch(
            root, grid, partial(_job, root, {cell.overrides: cell for cell in todo}, run_cell, os.getpid())
        )
    return {cell.name: done.get(cell.name) or _read_outcome(root, cell) for cell in grid.cells}


def _launch(root: Path, grid: Grid, job: Callable[[DictConfig], None]) -> None:
    """One Hydra multirun of the whole grid."""
    register()
    arguments, sys.argv = sys.argv, ["stonezero", "--multirun", *grid.overrides]
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come here instead of being printed
    try:
        hydra.main(version_base="1.3", config_path=str((root / "conf").resolve()), config_name="config")(
            job
        )()
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(f"Hydra: {sentence(error)}") from error
    finally:
        sys.argv = arguments


def _job(
    root: Path, todo: Mapping[tuple[str, ...], Cell], run_cell: RunCell, main: int, params: DictConfig
) -> None:
    """Hydra's job: run one cell; whatever happens to it, the others go on."""
    if os.getpid() != main and os.getppid() == main:
        die_with_parent(main)
    cell = todo.get(tuple(HydraConfig.get().overrides.task))
    if cell is None:
        return  # done before
    began = time.monotonic()
    is_parallel = not str(HydraConfig.get().launcher._target_).endswith("BasicLauncher")
    try:
        run_cell(root, cell, is_parallel)
        outcome = Outcome(RAN)
    except UserError as error:
        outcome = Outcome(FAILED, str(error))
    except Exception as error:
        outcome = Outcome(FAILED, f"{type(error).__name__}: {error}")
    write_text(Folders(root).outcome(cell.name), json.dumps(outcome._asdict()))
    said = f"failed: {outcome.reason}" if outcome.reason else "done"
    print(f"{cell.title}: {said} after {time.monotonic() - began:.0f} s", flush=True)


def _read_outcome(root: Path, cell: Cell) -> Outcome:
    try:
        return Outcome(**json.loads(Folders(root).outcome(cell.name).read_text()))
    except FileNotFoundError:
        return Outcome(FAILED, "its job ended without a word")


# ------------------------------------------------------------------ cells that are DVC experiments


def check_committed(root: Path) -> None:
    """Refuse to run what DVC would not find in the commit that it checks out, or would find changed."""
    command = ["git", "status", "--porcelain", "--", "conf", "src", "stages", "dvc.yaml"]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise UserError(f"{root} is no git checkout, and an ablation's cells are checked out of git")
    if changed := answer.stdout.splitlines():
        raise UserError(f"{changed[0][3:]} is not committed: an ablation's cells run what is committed")


def experiments(root: Path) -> dict[str, str]:
    """Revisions of all DVC experiments by name, whatever commit they began at."""
    command = ["git", "for-each-ref", "--format=%(objectname) %(refname)", "refs/exps/"]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    lines = [line.split() for line in answer.stdout.splitlines()]
    return {name.rpartition("/")[2]: revision for revision, name in lines}


def has_experiment(root: Path, cell: Cell) -> bool:
    """Whether a cell is done. Its result is taken out of DVC's cache where only the experiment is there."""
    if has_result(root, cell):
        return True
    revision = experiments(root).get(cell.name)
    if revision is None:
        return False
    collect(root, cell, revision)
    return True


def run_experiment(root: Path, cell: Cell, is_parallel: bool) -> None:
    """Run a cell as DVC experiment and keep what is compared."""
    texts = [*cell.overrides, f"plan=[{','.join(quoted(text) for text in cell.overrides)}]"]
    options = [part for text in texts for part in ("-S", text)]
    command = [sys.executable, "-m", "dvc", "exp", "run", "--temp", "-n", cell.name, *options]
    log, lock = Folders(root).log(cell.name), Folders(root).lock(cell.name)
    for file in (log, lock):
        file.parent.mkdir(parents=True, exist_ok=True)
    with _only_here(lock), log.open("w") as output:
        remove_leftovers(root, cell)
        process = _start(root, command, log, output.fileno(), is_parallel)
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    revision = experiments(root).get(cell.name)
    if status or revision is None:
        raise UserError(f"{failure(log.read_text(errors='replace'))} (all of it in {log.relative_to(root)})")
    collect(root, cell, revision)


@contextmanager
def _only_here(file: Path) -> Iterator[None]:
    """Hold a cell's lock; UserError where another grid runs it."""
    lock = FileLock(file)
    try:
        lock.acquire(timeout=1)
    except Timeout:
        raise UserError("another process runs it: start again when that has ended") from None
    try:
        yield
    finally:
        lock.release()


def remove_leftovers(root: Path, cell: Cell) -> None:
    """Remove temporary checkouts of the cell: a dvc that is killed leaves its own behind."""
    for folder in (root / ".dvc/tmp/exps/standalone").glob("tmp*"):
        try:
            params = yaml.safe_load((folder / PARAMS_FILE).read_text())
        except (OSError, yaml.YAMLError):
            continue
        if isinstance(params, dict) and params.get("plan") == list(cell.overrides):
            shutil.rmtree(folder, ignore_errors=True)


def _start(
    root: Path, command: list[str], log: Path, output: int, is_parallel: bool
) -> subprocess.Popen[bytes]:
    """Start dvc, and let no other cell start until its temporary checkout is made: until then it works in git
    on the main checkout, and takes up whatever experiment was put there last."""
    environment = dict(os.environ)
    environment[outbox.OFF_VARIABLE] = "off"
    environment[outbox.FOLDER_VARIABLE] = str(Folders(root).records.resolve())
    environment["PYTHONUNBUFFERED"] = "1"
    if is_parallel:
        environment.setdefault(WORKERS_VARIABLE, "1")
    with FileLock(Folders(root).start_lock):
        process = subprocess.Popen(
            command,
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=partial(die_with_parent, os.getpid()) if sys.platform == "linux" else None,
        )
        while process.poll() is None and not STARTED.search(log.read_text(errors="replace")):
            time.sleep(0.1)
    return process


def quoted(text: str) -> str:
    """An override as an element of a list in Hydra's grammar, where only backslashes before a quote count."""
    escaped = re.sub(r"(\\*)'", r"\1\1\\'", text)
    backslashes = text[len(text.rstrip("\\")) :]
    return f"'{escaped}{backslashes}'"


def failure(log: str) -> str:
    """What a failed cell's log says of the reason, in one line: the stage's own words, else dvc's."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [number for number, line in enumerate(lines) if line.startswith("ERROR")]
    if not errors:
        return lines[-1] if lines else "dvc said nothing"
    first = errors[0]
    is_stage_s = "failed to reproduce" in lines[first] and first > 0
    return (lines[first - 1] if is_stage_s else lines[first].removeprefix("ERROR:").strip())[:500]
