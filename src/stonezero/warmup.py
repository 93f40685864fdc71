"""python -m stonezero.warmup: compile all kernels once, so that no run has to wait for them.

Kernels are kept in the user's cache folder and compiled again only when their sources change. They are run
here as runs do it, through self-play, a records file and a batch of training samples, so that they meet
arrays of the same types: one compiled signature serves every size of board. The solver of wins by threats,
which no run uses unless it is asked to, is compiled at its first use: that takes half a minute.
"""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from stonezero.config.schema import SearchConfig, SelfplayConfig
from stonezero.games import BLACK, Game, make_game
from stonezero.games.board import Board
from stonezero.jit import CACHE_FOLDER
from stonezero.players.batch_search import BatchSearch
from stonezero.players.evaluators import RolloutEvaluator
from stonezero.players.settings import SearchSettings
from stonezero.records import RecordTable, read_shard, write_shard
from stonezero.replay.loading import Window
from stonezero.selfplay.games import SelfplayBatch
from stonezero.solvers.endgame import EndgameSolver
from stonezero.training.samples import BatchMaker

GAMES = (("gomoku", 3, 3), ("othello", 4, 0))
NUM_GAMES = 4
SEARCH = SearchConfig(
    c_puct=1.5,
    fpu_reduction=0.2,
    root_noise_fraction=0.25,
    root_noise_concentration=10.0,
    reuse_tree=True,
    leaves_per_wave=1,
    virtual_loss=1,
)
SELFPLAY = SelfplayConfig(
    simulations=16,
    random_opening_share=0.5,
    random_opening_plies=2,
    temperature=1.0,
    temperature_plies=4,
    final_temperature=0.0,
)


def is_warm() -> bool:
    """Whether this version's kernels have been compiled on this machine before: here is the last of them."""
    return any(CACHE_FOLDER.glob("kernels.write_policy_targets*.nbc"))


def warm_up() -> float:
    """Run every kernel once; returns the seconds it took."""
    if not is_warm():
        print("compiling kernels, once on this machine: about half a minute ...", flush=True)
    begin = time.monotonic()
    _play_on_a_large_board()
    for spec in GAMES:
        game = make_game(*spec)
        _set_boards_up(game)
        _look_into_a_root(game)
        _solve_an_ending(game)
        _make_a_batch(game, _play_and_record(game))
    return time.monotonic() - begin


def _set_boards_up(game: Game) -> None:
    """Boards that are set up are judged by kernels of their own."""
    Board.parse(str(Board(game)))
    Board.parse(str(Board("gomoku", 5, 5, "renju")))
    Board.from_stones(game, np.full(game.num_points, BLACK, np.int8), BLACK)


def _play_on_a_large_board() -> None:
    """Othello has kernels of its own for boards beyond 8 x 8."""
    game = make_game("othello", 10)
    positions, rows = game.new_positions(1), np.zeros(1, np.int64)
    legal = np.zeros((1, game.num_actions), np.uint8)
    game.legal_moves(positions, rows, legal)
    game.play(positions, rows, legal.argmax(axis=1).astype(np.int16), rows, legal)


def _look_into_a_root(game: Game) -> None:
    """Matches and people read what self-play doesn't."""
    settings = SearchSettings(SEARCH.c_puct, SEARCH.fpu_reduction)
    search = BatchSearch(game, RolloutEvaluator(game, 1), settings, 1, 2)
    search.set_root(0, game.new_positions(1), 0, 0)
    search.set_budget(0, 2)
    search.run(np.arange(1))
    search.statistics(0)


def _solve_an_ending(game: Game) -> None:
    """The start position of Othello 4x4 leads to every kernel of the solver."""
    if game.name == "othello":
        EndgameSolver(game).solve(game.new_positions(1).stones[0], BLACK)


def _play_and_record(game: Game) -> RecordTable:
    """Games of self-play with rollouts in the network's place, through a file and back."""
    search = replace(SEARCH, candidate_radius=1, max_children=4) if game.name == "gomoku" else SEARCH
    batch = SelfplayBatch(game, RolloutEvaluator(game, 2), search, SELFPLAY, (0, 1), 2)
    records = list(batch.play(range(NUM_GAMES)))
    with tempfile.TemporaryDirectory() as folder:
        shard = Path(folder) / "shard.parquet"
        write_shard(shard, records, game.spec(), "g001")
        return read_shard(shard, game.spec())


def _make_a_batch(game: Game, table: RecordTable) -> None:
    rows = np.arange(len(table))
    window = Window(
        table=table,
        weight=np.ones(len(table), np.float32),
        staleness=np.zeros(len(table), np.int16),
        is_held_out=np.zeros(len(table), np.bool_),
        is_policy_target=table.is_full_search,
    )
    BatchMaker(game, window, ["own", "opponent", "legal", "last_move"]).make(rows, rows % 8)


if __name__ == "__main__":
    print(f"kernels ready after {warm_up():.1f} s in {CACHE_FOLDER}")
