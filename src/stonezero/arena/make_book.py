"""python -m stonezero.arena.make_book GAME SIZE [K [RULES]]: write the opening book of a game.

The same version makes the same book: the seed is fixed. `stonezero.players.book` says what is in it.
"""

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.files import write_text
from stonezero.games import ONGOING, Game, make_game
from stonezero.games.board import Board
from stonezero.games.notation import describe, move_to_text
from stonezero.games.position import Positions
from stonezero.players.batch_search import BatchSearch
from stonezero.players.book import BOOK_PLIES, BOOK_SIMULATIONS, FOLDER, book_name, canonical_form
from stonezero.players.evaluators import RolloutEvaluator
from stonezero.players.search_player import ROLLOUT_SETTINGS

BRANCHES = 2  #: moves followed in each position
SEED = 2026
NUM_SLOTS = 64


def make_book(game: Game, plies: int = BOOK_PLIES, simulations: int = BOOK_SIMULATIONS) -> str:
    """The text of the book; deterministic."""
    search = BatchSearch(game, RolloutEvaluator(game, NUM_SLOTS), ROLLOUT_SETTINGS, NUM_SLOTS, simulations)
    lines = [f"# Opening book of {describe(game)}: {plies} plies, {simulations} rollouts a position"]
    boards, seen = [Board(game)], set[bytes]()
    for _ in range(plies):
        fresh = [board for board in boards if _is_new(game, board, seen)]
        boards = []
        for start in range(0, len(fresh), NUM_SLOTS):
            chunk = fresh[start : start + NUM_SLOTS]
            for board, visits in zip(chunk, _search(search, chunk, simulations), strict=True):
                order = np.argsort(-visits, kind="stable")[:BRANCHES]
                moves = [int(move) for move in order if visits[move]]
                told = " ".join(move_to_text(game, move) for move in board.moves)
                lines.append(f"{told}: {move_to_text(game, moves[0])}".strip())
                boards += [after for move in moves if (after := _after(board, move)).status == ONGOING]
    return "\n".join(lines) + "\n"


def _is_new(game: Game, board: Board, seen: set[bytes]) -> bool:
    key = canonical_form(game, board.positions, 0).key
    is_new = key not in seen
    seen.add(key)
    return is_new


def _after(board: Board, move: int) -> Board:
    after = board.copy()
    after.play(move)
    return after


def _search(search: BatchSearch, boards: list[Board], simulations: int) -> list[NDArray[np.int32]]:
    """Visits int32[A] of each position's moves."""
    for slot, board in enumerate(boards):
        positions: Positions = board.positions
        search.set_root(slot, positions, 0, SEED + slot)
        search.set_budget(slot, simulations)
    search.run(np.arange(len(boards)))
    return [search.statistics(slot).visits for slot in range(len(boards))]


def main(
    name: Annotated[str, typer.Argument(help="gomoku or othello.")],
    size: Annotated[int, typer.Argument()],
    k: Annotated[int, typer.Argument(help="Stones in a row, for gomoku.")] = 0,
    rules: Annotated[str, typer.Argument(help="freestyle, standard or renju, for gomoku.")] = "",
) -> None:
    """Write the book where `read_book` looks for it."""
    game = make_game(name, size, k, rules)
    path = Path(__file__).parents[1] / "players" / FOLDER / book_name(game)
    write_text(path, make_book(game))
    print(f"{path.name}: {len(path.read_text().splitlines()) - 1} positions")


if __name__ == "__main__":
    try:
        typer.run(main)
    except UserError as error:
        sys.exit(str(error))
