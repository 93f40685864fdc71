"""Checkouts in temporary folders: the real pipeline files, with fake bodies that take no time."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAKED = ("init", "selfplay", "buffer", "train", "gate", "elo_report")


@dataclass
class Checkout:
    """A checkout of the project, and the commands a user runs in it."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    first_run: list[str] = field(default_factory=list)  #: what ran to build it

    def run(self, *command: str, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, cwd=self.root, env=self.environment(**env), capture_output=True, text=True, timeout=600
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def start(self, *command: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def environment(self, **env: str) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        own = {"PATH": path, "PYTHONPATH": "src", "FAKE_LOG": str(self.log), "STONEZERO_TRACKING": "off"}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MLFLOW")}
        return {**kept, **own, **self.env, **env}

    @property
    def log(self) -> Path:
        return self.root / ".ran.log"

    def repro(self, *arguments: str, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        return self.run("dvc", "repro", *arguments, check=check, **env)

    def plan(self, *overrides: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "stonezero", "plan", *overrides, check=check)

    def ran(self) -> list[str]:
        """Labels of the fake stages that ran since the last question."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return [line.split()[0] for line in lines]

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def commit(self) -> None:
        self.run("git", "add", "-A")
        self.run("git", "commit", "-qm", "Change")

    def copy(self, target: Path, cache: bool = True) -> "Checkout":
        """The same checkout elsewhere: a copy with its cache, or a clone without."""
        if cache:
            shutil.copytree(self.root, target, symlinks=True)
        else:
            self.run("git", "clone", "-q", str(self.root), str(target))
            (target / ".git" / "info").mkdir(exist_ok=True)
            shutil.copy(self.root / ".git/info/exclude", target / ".git/info/exclude")
        return Checkout(target, dict(self.env))


def make_checkout(root: Path, fake: bool = True) -> Checkout:
    """A fresh repository of the pipeline, with fake bodies or the real ones."""
    root.mkdir()
    for name in ("conf", "src/stonezero", ".dvc"):
        ignored = shutil.ignore_patterns("__pycache__", "tmp", "cache", "*.local")
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    for name in ("dvc.yaml", "params.yaml", ".dvcignore", ".gitignore"):
        shutil.copy(ROOT / name, root / name)
    shutil.copytree(ROOT / "stages", root / "stages", ignore=shutil.ignore_patterns("__pycache__"))
    for name in FAKED if fake else ():
        shutil.copy(Path(__file__).with_name("fake_stage.py"), root / "stages" / f"{name}.py")
    (root / "reports").mkdir()
    checkout = Checkout(root)
    checkout.run("git", "init", "-q", "-b", "main")
    checkout.run("git", "config", "user.name", "Test")
    checkout.run("git", "config", "user.email", "test@example.org")
    with (root / ".git/info/exclude").open("a") as exclude:
        exclude.write(".ran.log\n")
    checkout.commit()
    return checkout


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout in which three generations have run. Tests copy it and leave it as it is."""
    checkout = make_checkout(tmp_path_factory.mktemp("built") / "checkout")
    checkout.repro()
    checkout.first_run = checkout.ran()
    checkout.commit()
    return checkout


@pytest.fixture
def checkout(built: Checkout, tmp_path: Path) -> Checkout:
    """A copy of the built checkout, all stages cached."""
    return built.copy(tmp_path / "checkout")


@pytest.fixture
def fresh(tmp_path: Path) -> Checkout:
    """A checkout in which nothing has run."""
    return make_checkout(tmp_path / "checkout")
