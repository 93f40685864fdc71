"""The index of a window: which rows of which records files training may draw, as one small parquet file.

No position is copied: a row names its file, the file's digest and the row in it. P rows of an index.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.files import atomic_write

INDEX_VERSION = 1
METADATA_KEY = b"stonezero"
FILE_COLUMNS = ("generation", "file", "sha256")
ROW_COLUMNS = {
    "row": pa.int32(),
    "game_id": pa.int32(),
    "moves_digest": pa.uint64(),
    "weight": pa.float32(),
    "staleness": pa.int16(),
    "is_held_out": pa.bool_(),
    "is_policy_target": pa.bool_(),
}
SCHEMA = pa.schema(
    [pa.field(name, pa.dictionary(pa.int32(), pa.string()), nullable=False) for name in FILE_COLUMNS]
    + [pa.field(name, kind, nullable=False) for name, kind in ROW_COLUMNS.items()]
)


class IndexFileError(UserError):
    """A buffer index is missing, damaged or of another version."""


@dataclass(frozen=True)
class RecordsFile:
    """One shard that an index points into."""

    generation: str  #: that played its games
    path: str  #: relative to the repository, with forward slashes
    sha256: str  #: of its bytes, as hex


@dataclass(frozen=True)
class WindowIndex:
    """Rows in the order they were played; the rows of a game are adjacent."""

    files: list[RecordsFile]
    file: NDArray[np.int32]  #: int32[P]: which of `files`
    row: NDArray[np.int32]  #: int32[P]: row in that file
    game_id: NDArray[np.int32]  #: int32[P]: unique within its generation
    moves_digest: NDArray[np.uint64]  #: uint64[P]: of the game's whole move list: equal for copies of a game
    weight: NDArray[np.float32]  #: float32[P]: 1 / copies of the game in the window
    staleness: NDArray[np.int16]  #: int16[P]: generations since it was played, 0 for the newest
    is_held_out: NDArray[np.bool_]  #: bool[P]: never trained on
    is_policy_target: NDArray[np.bool_]  #: bool[P]: its visits are a policy target, not its outcome alone
    num_seen: int = 0  #: positions of all generations so far, where a growing window asks for it

    def __len__(self) -> int:
        return len(self.row)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The arrays, by name."""
        return {name: getattr(self, name) for name in ("file", *ROW_COLUMNS)}


def empty_index() -> WindowIndex:
    """An index without rows, the predecessor of the first generation's."""
    columns: dict[str, Any] = {
        name: np.empty(0, kind.to_pandas_dtype()) for name, kind in ROW_COLUMNS.items()
    }
    return WindowIndex([], file=np.empty(0, np.int32), **columns)


def write_empty_index(path: Path | str) -> None:
    """Write the index that generation g000 leaves behind."""
    write_index(path, empty_index())


def write_index(path: Path | str, index: WindowIndex) -> None:
    """Write an index, atomically; equal indexes give equal bytes."""
    arrays = {name: pa.array(getattr(index, name), kind) for name, kind in ROW_COLUMNS.items()}
    for column, attribute in zip(FILE_COLUMNS, ("generation", "path", "sha256"), strict=True):
        arrays[column] = _text_column(index.file, [getattr(file, attribute) for file in index.files])
    table = pa.Table.from_arrays(
        [arrays[name] for name in SCHEMA.names], schema=SCHEMA.with_metadata(_metadata(index))
    )
    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_statistics=False, write_page_checksum=True)


def read_index(path: Path | str) -> WindowIndex:
    """Read an index; IndexFileError when it is missing, damaged or not one."""
    path = Path(path)
    try:
        table = pq.read_table(pa.BufferReader(path.read_bytes()), page_checksum_verification=True)
    except FileNotFoundError:
        raise IndexFileError(f"{path}: no such buffer index") from None
    except (OSError, pa.ArrowException):
        raise IndexFileError(f"{path}: truncated, damaged or not a buffer index") from None
    header = _header(table.schema)
    if header.get("index_version") != INDEX_VERSION or table.schema != SCHEMA:
        raise IndexFileError(f"{path}: not a buffer index of version {INDEX_VERSION}")
    columns = {name: np.array(table[name].to_numpy()) for name in ROW_COLUMNS}
    files, file = _files(table)
    return WindowIndex(files, file=file, num_seen=header.get("num_seen", 0), **columns)


def _metadata(index: WindowIndex) -> dict[bytes, bytes]:
    header = {"index_version": INDEX_VERSION} | ({"num_seen": index.num_seen} if index.num_seen else {})
    return {METADATA_KEY: json.dumps(header).encode()}


def _header(schema: pa.Schema) -> dict[str, Any]:
    """What `_metadata` wrote; empty where there is no such thing."""
    try:
        header = json.loads((schema.metadata or {})[METADATA_KEY])
    except (KeyError, ValueError):
        return {}
    return header if isinstance(header, dict) else {}


def _text_column(file: NDArray[np.int32], texts: list[str]) -> pa.DictionaryArray:
    """One text per row, kept once each."""
    distinct = sorted(set(texts))
    code_of_file = np.array([distinct.index(text) for text in texts], np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(code_of_file[file]), pa.array(distinct, pa.string()))


def _files(table: pa.Table) -> tuple[list[RecordsFile], NDArray[np.int32]]:
    """The files in order of their first row, and which of them each row belongs to."""
    codes = table["file"].combine_chunks().indices.to_numpy() if len(table) else np.empty(0, np.int32)
    distinct, first_rows, which = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first_rows)
    rank = np.empty(len(distinct), np.int32)
    rank[order] = np.arange(len(distinct), dtype=np.int32)
    files = table.select(FILE_COLUMNS).take(first_rows[order]).to_pylist()
    return [RecordsFile(f["generation"], f["file"], f["sha256"]) for f in files], rank[which]
