"""The index file."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stonezero.replay.index import (
    IndexFileError,
    RecordsFile,
    WindowIndex,
    empty_index,
    read_index,
    write_empty_index,
    write_index,
)


def make_index(num_rows: int = 12) -> WindowIndex:
    rng = np.random.default_rng(0)
    files = [RecordsFile("g002", "b.parquet", "0b"), RecordsFile("g001", "a.parquet", "0a")]
    files += [RecordsFile("g002", "c.parquet", "0c")]
    return WindowIndex(
        files,
        file=np.repeat([0, 1, 2], num_rows // 3).astype(np.int32),
        row=rng.integers(0, 99, num_rows).astype(np.int32),
        game_id=rng.integers(0, 9, num_rows).astype(np.int32),
        moves_digest=rng.integers(0, 2**64, num_rows, np.uint64),
        weight=rng.random(num_rows).astype(np.float32),
        staleness=rng.integers(0, 3, num_rows).astype(np.int16),
        is_held_out=rng.random(num_rows) < 0.5,
        is_policy_target=rng.random(num_rows) < 0.5,
    )


def assert_equal(left: WindowIndex, right: WindowIndex) -> None:
    assert left.files == right.files
    for field in fields(WindowIndex)[1:]:
        one, other = np.asarray(getattr(left, field.name)), np.asarray(getattr(right, field.name))
        assert one.dtype == other.dtype, field.name
        np.testing.assert_array_equal(one, other, err_msg=field.name)


def test_an_index_reads_back_as_it_was_written(tmp_path: Path) -> None:
    write_index(tmp_path / "a.parquet", make_index())
    assert_equal(read_index(tmp_path / "a.parquet"), make_index())
    write_index(tmp_path / "b.parquet", make_index())
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_the_first_index_is_empty(tmp_path: Path) -> None:
    write_empty_index(tmp_path / "a.parquet")
    assert_equal(read_index(tmp_path / "a.parquet"), empty_index())


def test_pandas_reads_an_index(tmp_path: Path) -> None:
    write_index(tmp_path / "a.parquet", make_index())
    frame = pd.read_parquet(tmp_path / "a.parquet")
    assert frame["generation"].tolist() == ["g002"] * 4 + ["g001"] * 4 + ["g002"] * 4
    assert frame["file"].iloc[5] == "a.parquet"
    assert frame["weight"].dtype == np.float32


def test_missing_damaged_and_foreign_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    with pytest.raises(IndexFileError, match="no such buffer index"):
        read_index(path)
    write_index(path, make_index())
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(IndexFileError, match="truncated"):
        read_index(path)
    pd.DataFrame({"a": [1]}).to_parquet(path)
    with pytest.raises(IndexFileError, match="not a buffer index"):
        read_index(path)


def test_a_file_without_rows_is_not_listed(tmp_path: Path) -> None:
    index = make_index()
    write_index(tmp_path / "a.parquet", replace(index, file=np.where(index.file == 2, 0, index.file)))
    assert [file.path for file in read_index(tmp_path / "a.parquet").files] == ["b.parquet", "a.parquet"]


def test_the_count_of_a_growing_window_is_kept(tmp_path: Path) -> None:
    write_index(tmp_path / "i", replace(empty_index(), num_seen=12345))
    assert read_index(tmp_path / "i").num_seen == 12345
