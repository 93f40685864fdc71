"""python -m benchmarks.records: size and speed of a million recorded positions of Gomoku 15x15.

Random games with the visits of 400 simulations spread over some 45 moves a position, in shards of 64 games.
Seconds are those of one core's work.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.report import print_report
from stonezero.games import ONGOING, Game, make_game
from stonezero.games.position import copy_rows
from stonezero.records import GameRecord, RecordTable, concatenate, read_shard, write_shard
from stonezero.replay.audit import audit
from stonezero.replay.loading import Window
from stonezero.training.samples import BatchMaker, Sampler

POSITIONS = 1_000_000
SHARD_GAMES = 64
SIMULATIONS = 400
VISIT_CONCENTRATION = 0.1
GOAL_MEGABYTES = 300


def random_game(game: Game, game_id: int, rng: np.random.Generator) -> GameRecord:
    """One game of uniformly random moves, with visits and values drawn at random."""
    positions = game.new_positions(game.max_plies + 1)
    legal = np.zeros((1, game.num_actions), np.uint8)
    order = rng.permutation(game.num_points).astype(np.int16)
    num_plies = 0
    while positions.status[num_plies] == ONGOING:
        row = np.array([num_plies])
        game.play(positions, row, order[num_plies : num_plies + 1], row + 1, legal)
        num_plies += 1
    status, played = int(positions.status[num_plies]), copy_rows(positions, slice(0, num_plies))
    shares = rng.standard_gamma(VISIT_CONCENTRATION, played.stones.shape) * (played.stones == 0)
    visits = rng.multinomial(SIMULATIONS, shares / shares.sum(axis=1, keepdims=True))
    offsets = np.zeros(num_plies + 1, np.int32)
    offsets[1:] = np.cumsum((visits > 0).sum(axis=1))
    no = np.zeros(num_plies, bool)
    return GameRecord(
        game_id=game_id,
        status=status,
        stones=played.stones,
        turn=played.turn,
        ply=played.ply,
        passes=played.passes,
        recent_moves=played.recent_moves,
        move=order[:num_plies],
        visit_moves=np.nonzero(visits)[1].astype(np.int16),
        visit_counts=visits[visits > 0].astype(np.int32),
        visit_offsets=offsets,
        root_value=rng.uniform(-1, 1, num_plies).astype(np.float32),
        prior_entropy=rng.uniform(0, 5, num_plies).astype(np.float32),
        is_opening=no,
        is_full_search=~no,
        is_resigned=no,
        is_solved=no,
    )


def shards(game: Game, num_positions: int) -> Iterator[list[GameRecord]]:
    """Shards of games until they hold `num_positions`."""
    game_id = made = 0
    while made < num_positions:
        records = [
            random_game(game, game_id + place, np.random.default_rng([1, game_id + place]))
            for place in range(SHARD_GAMES)
        ]
        game_id += SHARD_GAMES
        made += sum(len(record.move) for record in records)
        yield records


def measure(game: Game, folder: Path) -> dict[str, object]:
    """Write, read, audit and sample a million positions."""
    write_seconds, num_positions, paths = 0.0, 0, []
    for records in shards(game, POSITIONS):
        paths.append(folder / f"shard-{len(paths):05d}.parquet")
        begin = time.process_time()
        write_shard(paths[-1], records, game.spec(), "g001")
        write_seconds += time.process_time() - begin
        num_positions += sum(len(record.move) for record in records)
    begin = time.process_time()
    table = concatenate([read_shard(path, game.spec()) for path in paths])
    load_seconds = time.process_time() - begin
    part = read_shard(paths[0])
    audit(part, game, paths[0])
    begin = time.process_time()
    audit(part, game, paths[0])
    audit_seconds = time.process_time() - begin
    size = sum(path.stat().st_size for path in paths)
    per_million = 1e6 / num_positions
    return {
        "board": "gomoku 15x15",
        "megabytes_over_goal": size * per_million / 1e6 / GOAL_MEGABYTES,
        "megabytes_per_million": size * per_million / 1e6,
        "load_seconds_per_million": load_seconds * per_million,
        "write_seconds_per_million": write_seconds * per_million,
        "audit_seconds_per_million": audit_seconds * 1e6 / len(part),
        "visited_moves_per_position": len(table.visit_moves) / num_positions,
        "sample_microseconds": sample_microseconds(game, table),
    }


def sample_microseconds(game: Game, table: RecordTable) -> float:
    """Time to make one training sample, in batches of 256 drawn from all positions."""
    num_rows = len(table)
    no = np.zeros(num_rows, bool)
    weight, staleness = np.ones(num_rows, np.float32), np.zeros(num_rows, np.int16)
    maker = BatchMaker(game, Window(table, weight, staleness, no, ~no), ["own", "opponent", "ones"])
    sampler = Sampler(weight, 256, (1, 1), "random")
    maker.make(*sampler.draw(0))
    begin = time.process_time()
    for step in range(1, 51):
        maker.make(*sampler.draw(step))
    return (time.process_time() - begin) / 50 / 256 * 1e6


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print_report("records", [measure(make_game("gomoku", 15, 5, "freestyle"), Path(folder))])
