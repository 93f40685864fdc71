"""Parquet shards: round trip, bytes, and what is refused."""

import hashlib
import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stonezero.games import make_game
from stonezero.records import RecordError, RecordTable, read_shard, write_shard
from stonezero.records.schema import table_of_games
from tests.records.games import random_records

GAME = make_game("othello", 4)
SPEC = GAME.spec()


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    path = tmp_path / "shard-00000.parquet"
    write_shard(path, random_records(GAME, 5), SPEC, "g003")
    return path


def assert_equal(left: RecordTable, right: RecordTable) -> None:
    for field in fields(RecordTable):
        one, other = getattr(left, field.name), getattr(right, field.name)
        if field.name == "game":
            assert one == other
        else:
            assert one.dtype == other.dtype, field.name
            np.testing.assert_array_equal(one, other, err_msg=field.name)


@pytest.mark.parametrize(
    "game", [make_game("gomoku", 3, 3), make_game("gomoku", 15, 5), GAME, make_game("othello", 8)]
)
def test_a_shard_reads_back_as_it_was_written(game, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    records = random_records(game, 4)
    write_shard(tmp_path / "a.parquet", records, game.spec(), "g001")
    assert_equal(read_shard(tmp_path / "a.parquet", game.spec()), table_of_games(records, game.spec()))


def test_a_shard_without_games_reads_back_empty(tmp_path: Path) -> None:
    write_shard(tmp_path / "a.parquet", [], SPEC, "g001")
    assert len(read_shard(tmp_path / "a.parquet", SPEC)) == 0


def test_the_metadata_name_version_game_and_generation(shard: Path) -> None:
    header = json.loads(pq.read_schema(shard).metadata[b"stonezero"])
    assert (header["schema_version"], header["game"], header["generation"]) == (1, SPEC, "g003")


def test_equal_records_give_equal_bytes_in_every_process(shard: Path, tmp_path: Path) -> None:
    script = (
        "from tests.records.test_shard import *;"
        f"write_shard({str(tmp_path / 'b.parquet')!r}, random_records(GAME, 5), SPEC, 'g003')"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", script], check=True, cwd=root)
    assert (tmp_path / "b.parquet").read_bytes() == shard.read_bytes()


def test_pandas_reads_the_columns(shard: Path) -> None:
    frame = pd.read_parquet(shard)
    table = read_shard(shard)
    assert frame["move"].tolist() == table.move.tolist()
    assert frame["outcome"].isin([-1, 0, 1]).all()
    last = frame.iloc[-1]
    assert last["visit_counts"].sum() == 32
    assert len(last["visit_moves"]) == len(last["visit_counts"])
    assert isinstance(last["stones"], bytes)


def test_a_failed_write_leaves_the_old_shard_and_nothing_else(shard: Path) -> None:
    before = shard.read_bytes()
    with pytest.raises(Exception):  # noqa: B017, PT011
        write_shard(shard, random_records(make_game("othello", 6), 1), SPEC, "g003")
    assert shard.read_bytes() == before
    assert [path.name for path in shard.parent.iterdir()] == [shard.name]


@pytest.mark.parametrize("kept", [0, 3, 100, -1])
def test_a_truncated_shard_is_refused(shard: Path, kept: int) -> None:
    shard.write_bytes(shard.read_bytes()[:kept])
    with pytest.raises(RecordError, match="truncated"):
        read_shard(shard)


def test_no_flipped_byte_goes_unnoticed_or_crashes(shard: Path) -> None:
    """Either the read is refused, or what was read is right (the byte held no data)."""
    data, expected = shard.read_bytes(), read_shard(shard)
    refused = 0
    for place in range(4, len(data), 41):
        shard.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        try:
            table = read_shard(shard, SPEC)
        except RecordError:
            refused += 1
        else:
            assert_equal(table, expected)
    assert refused > 50


def test_a_missing_file_a_folder_and_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("not parquet")
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "foreign.parquet")
    for name, match in (
        ("none.parquet", "none.parquet"),
        ("", "cannot be read"),
        ("text.parquet", "not a records file"),
        ("foreign.parquet", "not one of stonezero's"),
    ):
        with pytest.raises(RecordError, match=match):
            read_shard(tmp_path / name)


def test_a_shard_of_another_game_or_rule_set_is_refused_by_name(tmp_path: Path) -> None:
    game = make_game("gomoku", 6, 4, "freestyle")
    write_shard(tmp_path / "a.parquet", random_records(game, 1), game.spec(), "g001")
    with pytest.raises(RecordError, match=r"rules=freestyle.*rules=standard"):
        read_shard(tmp_path / "a.parquet", make_game("gomoku", 6, 4, "standard").spec())
    with pytest.raises(RecordError, match=r"gomoku.*othello"):
        read_shard(tmp_path / "a.parquet", SPEC)


def test_a_shard_of_another_schema_is_refused(shard: Path) -> None:
    table = pq.read_table(shard)
    pq.write_table(table.drop_columns(["ply"]), shard)
    with pytest.raises(RecordError, match="columns"):
        read_shard(shard)
    header = b'{"schema_version": 99, "game": {}}'
    pq.write_table(table.replace_schema_metadata({b"stonezero": header}), shard)
    with pytest.raises(RecordError, match="version 99"):
        read_shard(shard)


def test_a_shard_whose_digest_differs_is_refused(shard: Path) -> None:
    assert len(read_shard(shard, SPEC, hashlib.sha256(shard.read_bytes()).hexdigest()))
    with pytest.raises(RecordError, match="changed since"):
        read_shard(shard, SPEC, "0" * 64)


def test_a_file_of_several_row_groups_is_read_whole(shard: Path) -> None:
    table, expected = pq.read_table(shard), read_shard(shard)
    pq.write_table(table, shard, row_group_size=7)
    assert pa.parquet.ParquetFile(shard).num_row_groups > 1
    assert_equal(read_shard(shard), expected)
