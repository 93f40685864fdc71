"""A service in this process: settings for tests, a small untrained net, a client."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from stonezero.app.server import create_app
from stonezero.app.settings import SETTINGS_FILE, ServeConfig, load_settings
from stonezero.games import make_game
from stonezero.network.model import initial_checkpoint
from tests.network.nets import network

ROOT = Path(__file__).resolve().parents[2]
TICTACTOE = {"name": "gomoku", "size": 3, "k": 3}
OTHELLO6 = {"name": "othello", "size": 6}
Settings = Callable[..., ServeConfig]


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A net of tic-tac-toe and one of Othello, both untrained."""
    folder = tmp_path_factory.mktemp("models")
    for name, game in (("tictactoe", make_game("gomoku", 3, 3)), ("othello6", make_game("othello", 6))):
        initial_checkpoint(game.spec(), game.num_actions, network(), 1).save(folder / f"{name}.safetensors")
    return folder


@pytest.fixture(scope="session")
def settings(model_folder: Path) -> Settings:
    """The published settings with the test's models and `changes`."""

    def make(**changes: object) -> ServeConfig:
        values = {
            "models": model_folder,
            "run": model_folder / "no-run",
            "default_model": "tictactoe",
            "simulations": 16,
            "response_seconds": 60,  # the machine may be busy
        }
        return load_settings(
            ROOT / SETTINGS_FILE, [f"{key}={value}" for key, value in (values | changes).items()]
        )

    return make


@pytest.fixture(scope="session")
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings())) as client:
        yield client
