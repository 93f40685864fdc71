"""A run with one generation of games and the nets before and after it."""

import pytest

from stonezero.games import make_game
from stonezero.network.model import initial_checkpoint
from stonezero.records import write_shard
from stonezero.records.formats.parquet import training_record
from tests.players.test_players import network_config
from tests.records.formats.samples import random_game

GAME = make_game("gomoku", 5, 4)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The folder of generation g001; the working directory holds `runs`."""
    net = initial_checkpoint(GAME.spec(), GAME.num_actions, network_config(), 1)
    for generation in ("g000", "g001"):
        (tmp_path / "runs" / generation).mkdir(parents=True)
        net.save(tmp_path / "runs" / generation / "champion.safetensors")
    records = [training_record(random_game(GAME, seed), seed) for seed in range(3)]
    write_shard(tmp_path / "runs/g001/games/shard-00000.parquet", records, GAME.spec(), "g001")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs" / "g001"
