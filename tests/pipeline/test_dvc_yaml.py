"""dvc.yaml against the code: each stage depends on what it imports, and on nothing that changes for fun."""

import ast
from functools import cache
from pathlib import Path

import pytest
import yaml

from stonezero.declaration import STAGES, read_declaration
from stonezero.plan import read_plan

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
#: what no output's bytes depend on: how params reach a stage, how files are written, how runs are followed
INCIDENTAL = (
    "stonezero/__init__.py",
    "stonezero/config/",
    "stonezero/declaration.py",
    "stonezero/errors.py",
    "stonezero/files.py",
    "stonezero/jit.py",
    "stonezero/lineage.py",
    "stonezero/outbox.py",
    "stonezero/processes.py",
    "stonezero/stage.py",
)
SCRIPTS = {"init": "g000", **dict.fromkeys(STAGES, "g002"), "elo-report": "g003"}


@cache
def imported(file: Path) -> frozenset[Path]:
    """Files of this project that a module imports itself, inside functions too."""
    found: set[Path] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found |= {path for name in names if (path := module_file(name)) is not None}
    return frozenset(found)


def module_file(name: str) -> Path | None:
    base = SOURCE / name.replace(".", "/")
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def closure(script: Path) -> set[Path]:
    """All files of this project that a script runs or may run."""
    todo, done = {script}, set()
    while todo:
        file = todo.pop()
        done.add(file)
        todo |= imported(file) - done
    return done - {script}


@pytest.mark.parametrize("stage", SCRIPTS)
def test_a_stage_depends_on_all_code_that_it_runs(stage: str) -> None:
    script = ROOT / "stages" / f"{stage.replace('-', '_')}.py"
    inputs = read_declaration(stage, read_plan(ROOT), SCRIPTS[stage], ROOT).inputs
    covered = tuple(path if Path(path).suffix else f"{path}/" for path in inputs)
    assert str(script.relative_to(ROOT)) in inputs
    for file in sorted(closure(script)):
        name = file.relative_to(SOURCE).as_posix()
        if not name.startswith(INCIDENTAL):
            assert f"src/{name}".startswith(covered), (
                f"{stage} runs src/{name}: add it to its deps in dvc.yaml"
            )


@pytest.mark.parametrize("stage", SCRIPTS)
def test_a_stage_depends_on_no_code_that_it_does_not_run(stage: str) -> None:
    script = ROOT / "stages" / f"{stage.replace('-', '_')}.py"
    run = {f"src/{file.relative_to(SOURCE).as_posix()}" for file in closure(script)}
    for path in read_declaration(stage, read_plan(ROOT), SCRIPTS[stage], ROOT).inputs:
        if path.startswith("src/"):
            assert any(name.startswith(path) for name in run), f"{stage} does not run {path}"


@pytest.mark.parametrize("stage", [*STAGES, "elo-report"])
def test_a_stage_depends_on_the_section_of_its_name(stage: str) -> None:
    params = read_declaration(stage, read_plan(ROOT), "g002", ROOT).params
    section = stage.removesuffix("-report")
    assert {"seed", "game", section} <= params.keys()
    assert section == "elo" or f"generations.g002.{section}" in params


def test_commands_leave_no_shell_between_dvc_and_a_stage() -> None:
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    for name, entry in stages.items():
        command = entry.get("do", entry)["cmd"]
        assert command.startswith("exec env PYTHONPATH=src python stages/"), name


def test_declarations_follow_the_templates() -> None:
    train = read_declaration("train", read_plan(ROOT), "g002", ROOT)
    assert train.label == "train@g002"
    assert "runs/g001/optimizer.safetensors" in train.inputs
    assert "runs/g002/buffer.parquet" in train.inputs
    assert train.metrics_file == "runs/g002/metrics/train.json"
    report = read_declaration("elo-report", read_plan(ROOT), "g003", ROOT)
    assert report.label == "elo-report"
    assert "runs/g003/history" in report.inputs
    for declaration in (train, report):
        assert not [text for text in (*declaration.inputs, *declaration.outputs) if "$" in text]
