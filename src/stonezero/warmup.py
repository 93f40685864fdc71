"""python -m stonezero.warmup: compile all kernels once, so that no run has to wait for them.

Kernels are kept in the user's cache folder and compiled again only when their sources change.
"""

import time

import numpy as np

from stonezero.games import make_game
from stonezero.games.planes import plane_codes, write_planes
from stonezero.games.symmetry import symmetry_tables
from stonezero.jit import CACHE_FOLDER
from stonezero.players.batch_search import BatchSearch, SearchSettings
from stonezero.players.evaluators import RolloutEvaluator
from stonezero.search.root import root_prior_entropy

GAMES = (("gomoku", 3, 3), ("othello", 4, 0))


def is_warm() -> bool:
    """Whether this version's kernels have been compiled on this machine before."""
    return any(CACHE_FOLDER.glob("puct.expand_and_back_up*.nbc"))


def warm_up() -> float:
    """Run every kernel once; returns the seconds it took."""
    if not is_warm():
        print("compiling kernels, once on this machine: about half a minute ...", flush=True)
    begin = time.monotonic()
    for spec in GAMES:
        _search_a_little(*spec)
    return time.monotonic() - begin


def _search_a_little(name: str, size: int, k: int) -> None:
    game = make_game(name, size, k)
    search = BatchSearch(game, RolloutEvaluator(game, 1), SearchSettings(1.5, 0.2, reuse_tree=True), 1, 40)
    search.set_root(0, game.new_positions(1), 0, 0)
    search.set_budget(0, 40)
    search.run(np.arange(1))
    search.mix_root_noise(0, 0.25, np.ones(game.num_actions, np.float32))
    root_prior_entropy(search.tree, 0)
    search.advance(0, int(search.statistics(0).visits.argmax()))
    legal = np.zeros((1, game.num_actions), np.uint8)
    planes = np.zeros((1, 2, game.num_points), np.float32)
    write_planes(
        search.positions, np.zeros(1, np.int64), legal, plane_codes(["own", "opponent"], game), planes
    )
    symmetry_tables(size)


if __name__ == "__main__":
    print(f"kernels ready after {warm_up():.1f} s in {CACHE_FOLDER}")
