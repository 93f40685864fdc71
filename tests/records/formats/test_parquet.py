"""Records of others as training data, all the way into a training batch; damaged shards."""

import numpy as np
import pytest

from stonezero.config.schema import BufferConfig
from stonezero.files import file_digest
from stonezero.games import make_game
from stonezero.records.formats.catalogue import FORMATS, read_data
from stonezero.records.formats.transcript import FormatError
from stonezero.records.shard import decode_shard, encode_shard, read_shard
from stonezero.replay.audit import audit
from stonezero.replay.index import RecordsFile, empty_index
from stonezero.replay.loading import load_window
from stonezero.replay.window import next_window
from stonezero.training.samples import BatchMaker
from tests.records.formats.samples import random_game
from tests.replay.common import BUFFER as DEFAULTS

PARQUET = FORMATS["parquet"]
BUFFER = BufferConfig(**(DEFAULTS | {"window_generations": 5, "held_out_fraction": 0.0}))


@pytest.mark.parametrize("game", [make_game("gomoku", 15, 5), make_game("othello", 8)], ids=lambda g: g.name)
def test_imported_games_are_indexed_loaded_and_made_into_batches(tmp_path, game):
    games = [random_game(game, seed, start_plies=4 * (seed % 2)) for seed in range(6)]
    path = tmp_path / "imported.parquet"
    path.write_bytes(PARQUET.write(games))
    digest = file_digest(path)
    table = read_shard(path, game.spec(), digest)
    audit(table, game, path)
    index = next_window(empty_index(), [(RecordsFile("imported", path.name, digest), table)], BUFFER, 1)
    assert len(index) == sum(len(game_text.moves) for game_text in games)
    assert index.is_policy_target.all()
    window = load_window(index, game, tmp_path)
    rows = np.arange(len(index))
    batch = BatchMaker(game, window, ["own", "opponent"]).make(rows, np.zeros(len(rows), np.int64))
    assert (batch.policy.argmax(axis=1) == table.move).all()
    assert (batch.policy.max(axis=1) == 1).all()


def test_the_root_value_is_the_outcome_for_the_side_to_move():
    game = random_game(make_game("othello", 6), 2)
    data = PARQUET.write([game])
    back = read_data(data, PARQUET).games[0].game
    assert back.status == game.status
    table = decode_shard(data, "x")
    assert (table.root_value == table.outcome).all()


def test_games_of_two_kinds_do_not_share_a_shard():
    games = [random_game(make_game("othello", 6), 0), random_game(make_game("othello", 8), 0)]
    with pytest.raises(FormatError, match="games of one kind, not othello 6x6 and othello 8x8"):
        PARQUET.write(games)


def test_a_shard_without_games_is_read():
    assert read_data(encode_shard([], make_game("othello", 6).spec(), "g001"), PARQUET).games == []


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(64) + b"PAR1", b"hello" * 100])
def test_what_is_no_shard_is_refused(data):
    reading = read_data(data, PARQUET)
    assert reading.games == []
    assert "truncated, damaged or not a records file" in reading.refusals[0].reason
