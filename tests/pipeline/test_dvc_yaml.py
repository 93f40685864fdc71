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
PACKAGE = SOURCE / "stonezero" / "__init__.py"  #: imports Board, when it is asked for it and not before
#: what no output's bytes depend on: how params reach a stage, how files are written, how runs are followed
INCIDENTAL = (
    "stonezero/__init__.py",
    "stonezero/config/__init__.py",
    "stonezero/config/composition.py",
    "stonezero/config/learning.py",
    "stonezero/config/methods.py",
    "stonezero/config/paths.py",
    "stonezero/config/ramps.py",
    "stonezero/config/schema.py",
    "stonezero/config/validation.py",
    "stonezero/declaration.py",
    "stonezero/errors.py",
    "stonezero/files.py",
    "stonezero/lineage.py",
    "stonezero/metrics.py",
    "stonezero/outbox.py",
    "stonezero/processes.py",
    "stonezero/stage.py",
)
SCRIPTS = {"init": "g000", **dict.fromkeys(STAGES, "g002"), "elo-report": "g003"}


@cache
def imported(file: Path) -> frozenset[Path]:
    """Files of this project that a module imports itself, inside functions too, or that its imports run."""
    found: set[Path] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
            names = modules_like(node.args[0])
        else:
            continue
        found |= {path for name in names for path in module_files(name)}
    return frozenset(found)


def modules_like(name: ast.expr) -> list[str]:
    """Modules that the f-string `name` may mean."""
    assert isinstance(name, ast.JoinedStr)
    pattern = "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in name.values)
    files = SOURCE.glob(pattern.replace(".", "/") + ".py")
    return [".".join(file.relative_to(SOURCE).with_suffix("").parts) for file in files]


def module_files(name: str) -> list[Path]:
    """The module's own file, where it is one of ours, and those of the packages it lies in."""
    parts = name.split(".")
    bases = [SOURCE.joinpath(*parts[:length]) for length in range(1, len(parts) + 1)]
    return [
        file for base in bases for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()
    ]


def closure(script: Path) -> set[Path]:
    """All files of this project that a script runs or may run."""
    todo, done = {script}, set()
    while todo:
        file = todo.pop()
        done.add(file)
        if file != PACKAGE:
            todo |= imported(file) - done
    return done - {script}


@pytest.mark.parametrize("stage", SCRIPTS)
def test_a_stage_depends_on_all_code_that_it_runs(stage: str) -> None:
    script = ROOT / "stages" / f"{stage.replace('-', '_')}.py"
    inputs = read_declaration(stage, read_plan(ROOT), SCRIPTS[stage], ROOT).inputs
    covered = tuple(path if Path(path).suffix else f"{path}/" for path in inputs)
    assert str(script.relative_to(ROOT)) in inputs
    run = [file.relative_to(SOURCE).as_posix() for file in sorted(closure(script))]
    determining = [f"src/{name}" for name in run if name not in INCIDENTAL]
    missing = [name for name in determining if not name.startswith(covered)]
    assert not missing, f"{stage} runs code that is not among its deps in dvc.yaml"


@pytest.mark.parametrize("stage", SCRIPTS)
def test_a_stage_depends_on_no_code_that_it_does_not_run(stage: str) -> None:
    script = ROOT / "stages" / f"{stage.replace('-', '_')}.py"
    inputs = read_declaration(stage, read_plan(ROOT), SCRIPTS[stage], ROOT).inputs
    declared = [ROOT / path for path in inputs if path.startswith("src/")]
    files = {file for path in declared for file in ([path] if path.suffix else path.rglob("*.py"))}
    assert not files - closure(script), f"{stage} does not run code that is among its deps in dvc.yaml"


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_depends_on_the_section_of_its_name(stage: str) -> None:
    params = read_declaration(stage, read_plan(ROOT), "g002", ROOT).params
    assert {"seed", "game", stage, f"generations.g002.{stage}"} <= params.keys()


def test_the_report_depends_on_all_params_since_it_shows_them() -> None:
    assert yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]["elo-report"]["params"] == [
        {"params.yaml": None}
    ]


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
