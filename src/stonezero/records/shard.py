"""Parquet files of records: `write_shard` and `read_shard`. Readable with `pandas.read_parquet` as well.

One row per position. Boards are packed at two bits a point (point p in bits 2(p mod 4) of byte p // 4);
visits are a list of moves and a list of counts. The schema version, the game, the generation and a digest
of all values are JSON under the metadata key `stonezero`. The same records give the same bytes.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from stonezero.files import write_bytes
from stonezero.games.position import HISTORY
from stonezero.records.kernels import POINTS_PER_BYTE, pack_stones, unpack_stones
from stonezero.records.schema import (
    PER_PLY,
    SCHEMA_VERSION,
    GameRecord,
    RecordError,
    RecordTable,
    table_of_games,
)

METADATA_KEY = b"stonezero"
NO_RECORDS = "truncated, damaged or not a records file"
SCALARS = [name for name, (_, tail) in PER_PLY.items() if not tail]
FEW_VALUES = ["game_id", "status", "outcome", "turn", "passes", "recent_moves.list.element", "move"]
FEW_VALUES += ["visit_moves.list.element", "visit_counts.list.element"]
"""Columns worth a dictionary; boards and floats have almost as many values as rows."""


def write_shard(
    path: Path | str, records: Sequence[GameRecord], game_spec: dict[str, Any], generation: str
) -> None:
    """Write whole games to `path`, atomically. WriteError when the disk refuses."""
    write_bytes(path, encode_shard(records, game_spec, generation))


def encode_shard(records: Sequence[GameRecord], game_spec: dict[str, Any], generation: str) -> bytes:
    """The bytes of a shard of whole games."""
    table = table_of_games(records, game_spec)
    header = {"schema_version": SCHEMA_VERSION, "game": game_spec, "generation": generation}
    header["content"] = _content_digest(table, generation)
    arrow = _to_arrow(table).replace_schema_metadata({METADATA_KEY: json.dumps(header, sort_keys=True)})
    sink = pa.BufferOutputStream()
    pq.write_table(arrow, sink, compression="zstd", use_dictionary=FEW_VALUES, write_statistics=False)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def read_shard(
    path: Path | str, game_spec: dict[str, Any] | None = None, sha256: str | None = None
) -> RecordTable:
    """Read a shard; RecordError when it is none, damaged, not of the game `game_spec` or not of `sha256`."""
    path = Path(path)
    return decode_shard(_read_bytes(path, sha256), path, game_spec)


def decode_shard(data: bytes, path: Path | str, game_spec: dict[str, Any] | None = None) -> RecordTable:
    """The table of a shard's bytes; `path` names them in a RecordError, raised as by `read_shard`."""
    try:
        arrow = pq.read_table(pa.BufferReader(data), use_threads=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise RecordError(f"{path}: {NO_RECORDS}: {_first_line(error)}") from None
    header = _header(path, arrow.schema)
    game = header["game"]
    if game_spec is not None and game != game_spec:
        raise RecordError(f"{path}: records of {_words(game)}, not of {_words(game_spec)}")
    if not arrow.schema.equals(_schema(int(game["size"]) ** 2)):
        raise RecordError(f"{path}: its columns are not those of records of schema version {SCHEMA_VERSION}")
    table = _from_arrow(path, arrow.combine_chunks(), game)
    if _content_digest(table, header["generation"]) != header["content"]:
        raise RecordError(f"{path}: damaged: its values do not have the digest that it states")
    return table


def _read_bytes(path: Path, sha256: str | None) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
        raise RecordError(f"{path}: its contents have changed since the buffer was indexed")
    return data


def _schema(num_points: int) -> pa.Schema:
    columns = [("game_id", pa.int32()), ("status", pa.int8()), ("outcome", pa.int8())]
    columns += [("stones", pa.binary(-(-num_points // POINTS_PER_BYTE)))]
    columns += [(name, pa.from_numpy_dtype(PER_PLY[name][0])) for name in SCALARS]
    columns += [("recent_moves", pa.list_(_item(pa.int16()), HISTORY))]
    columns += [("visit_moves", pa.list_(_item(pa.int16()))), ("visit_counts", pa.list_(_item(pa.int32())))]
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns])


def _item(kind: pa.DataType) -> pa.Field:
    return pa.field("element", kind, nullable=False)


def _to_arrow(table: RecordTable) -> pa.Table:
    schema = _schema(table.stones.shape[1])
    width = schema.field("stones").type.byte_width
    packed = np.zeros((len(table), width), np.uint8)
    pack_stones(np.ascontiguousarray(table.stones), packed)
    offsets = pa.array(table.visit_offsets.astype(np.int32))
    arrays: dict[str, pa.Array] = {
        "stones": pa.Array.from_buffers(pa.binary(width), len(table), [None, pa.py_buffer(packed)]),
        "recent_moves": pa.FixedSizeListArray.from_arrays(
            table.recent_moves.ravel(), type=schema.field("recent_moves").type
        ),
        "visit_moves": pa.ListArray.from_arrays(
            offsets, table.visit_moves, type=schema.field("visit_moves").type
        ),
        "visit_counts": pa.ListArray.from_arrays(
            offsets, table.visit_counts, type=schema.field("visit_counts").type
        ),
    }
    for name in ("game_id", "status", "outcome", *SCALARS):
        arrays[name] = pa.array(getattr(table, name))
    return pa.Table.from_arrays([arrays[name] for name in schema.names], schema=schema)


def _from_arrow(path: Path | str, table: pa.Table, game: dict[str, Any]) -> RecordTable:
    columns = {name: _one_chunk(table[name]) for name in table.column_names}
    moves, counts = columns["visit_moves"], columns["visit_counts"]
    if not moves.offsets.equals(counts.offsets):
        raise RecordError(f"{path}: its visited moves and visit counts do not match")
    stones = np.empty((len(table), int(game["size"]) ** 2), np.int8)
    unpack_stones(_packed_bytes(columns["stones"]), stones)
    scalars = ("game_id", "status", "outcome", *SCALARS)
    return RecordTable(
        game,
        stones=stones,
        recent_moves=_numpy(columns["recent_moves"].values).reshape(len(table), HISTORY),
        visit_moves=_numpy(moves.values),
        visit_counts=_numpy(counts.values),
        visit_offsets=moves.offsets.to_numpy().astype(np.int64),
        **{name: _numpy(columns[name]) for name in scalars},
    )


def _numpy(array: pa.Array) -> NDArray[Any]:
    """A writable copy: read-only arrays would make every kernel compile a second time."""
    return np.array(array.to_numpy(zero_copy_only=False))


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks else pa.array([], column.type)


def _packed_bytes(column: pa.Array) -> NDArray[np.uint8]:
    width = column.type.byte_width
    data = np.frombuffer(column.buffers()[1] or b"", np.uint8, len(column) * width, column.offset * width)
    return np.require(data.reshape(len(column), width), requirements="W")  # as in `_numpy`


def _header(path: Path | str, schema: pa.Schema) -> dict[str, Any]:
    metadata = (schema.metadata or {}).get(METADATA_KEY)
    if metadata is None:
        raise RecordError(f"{path}: a parquet file, but not one of stonezero's records")
    try:
        header: dict[str, Any] = json.loads(metadata)
        version = header["schema_version"]
        is_complete = {"game", "generation", "content"} <= header.keys()
    except (ValueError, TypeError, KeyError, AttributeError):
        raise RecordError(f"{path}: damaged: its metadata cannot be read") from None
    if version != SCHEMA_VERSION:
        raise RecordError(f"{path}: records of schema version {version}, this program reads {SCHEMA_VERSION}")
    if not is_complete:
        raise RecordError(f"{path}: damaged: its metadata lacks a key")
    return header


def _content_digest(table: RecordTable, generation: str) -> str:
    """Parquet's own checksums leave out its headers, where a flipped bit changes values, too."""
    digest = hashlib.blake2b(json.dumps([table.game, generation], sort_keys=True).encode(), digest_size=16)
    for field in fields(table):
        if field.name != "game":
            digest.update(np.ascontiguousarray(getattr(table, field.name)).data)
    return digest.hexdigest()


def _words(game: dict[str, Any]) -> str:
    return " ".join(f"{key}={game[key]}" for key in sorted(game))


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
