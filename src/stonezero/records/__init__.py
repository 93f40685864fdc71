"""Self-play records: one game as arrays, parquet shards, and tables of positions."""

from stonezero.records.schema import GameRecord, RecordError, RecordTable, concatenate
from stonezero.records.shard import read_shard, write_shard

__all__ = [
    "GameRecord",
    "RecordError",
    "RecordTable",
    "concatenate",
    "read_shard",
    "write_shard",
]
