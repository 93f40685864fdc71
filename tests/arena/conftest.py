"""What tests of matches share: the command line in this process, and a net."""

import sys

import pytest

from stonezero.cli import main
from stonezero.games import make_game
from stonezero.network.model import initial_checkpoint
from tests.network.nets import network


@pytest.fixture
def stonezero(monkeypatch, capsys):
    """Runs the command line; returns its exit code or last sentence, and its output."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["stonezero", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, capsys.readouterr().out

    return run


@pytest.fixture
def net(tmp_path):
    """An untrained net of Othello 4x4."""
    game = make_game("othello", 4)
    path = tmp_path / "net.safetensors"
    initial_checkpoint(game.spec(), game.num_actions, network(), 1).save(path)
    return path
