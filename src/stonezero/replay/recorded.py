"""Looking into the self-play records of a run: one game by its id, and how often a position occurred.

A run is a folder of generations (`runs`) or one of them (`runs/g002`).
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.games.board import Board
from stonezero.games.notation import describe, move_to_text
from stonezero.games.symmetry import INVERSE, NUM_SYMMETRIES, symmetry_tables, transform_move
from stonezero.records import RecordTable, read_shard
from stonezero.records.formats.game_text import GameText, replay
from stonezero.records.formats.parquet import Rows, parse
from stonezero.records.formats.transcript import Hints

GENERATION = re.compile(r"g[0-9]{3,}")


@dataclass
class Occurrences:
    """Where a position, or one that a symmetry maps onto it, was met in self-play."""

    num_positions: int = 0  #: rows of the records
    num_games: int = 0
    searched_games: int = 0  #: games of the records looked through
    won: int = 0  #: rows whose side to move won the game
    drawn: int = 0
    lost: int = 0
    by_generation: dict[str, int] = field(default_factory=dict)
    moves: dict[str, int] = field(default_factory=dict)  #: played there, as on the board asked for


def generations(run: Path) -> list[Path]:
    """The folders of a run's generations that have games, in order."""
    if not run.is_dir():
        raise UserError(f"{run}: there is no such folder; a run is one like runs or runs/g002")
    folders = [run] if GENERATION.fullmatch(run.name) else sorted(run.iterdir())
    found = [folder for folder in folders if GENERATION.fullmatch(folder.name) and shards_of(folder)]
    if not found:
        raise UserError(f"{run}: no games here: a run is a folder like runs or runs/g002, after it ran")
    return sorted(found, key=lambda folder: int(folder.name[1:]))


def recorded_game(generation: Path, game_id: int) -> GameText:
    """Self-play game `game_id` of a generation's folder like `runs/g002`; UserError where there is none."""
    folder = generations(generation)[-1]
    if folder != generation:
        raise UserError(f"{generation}: game ids are those of a generation: say which, as {folder}")
    num_games = 0
    for path in shards_of(folder):
        table = read_shard(path)
        rows = np.flatnonzero(table.game_id == game_id)
        num_games += len(np.unique(table.game_id))
        if len(rows):
            return replay(parse(Rows(table, int(rows[0]), int(rows[-1]) + 1), Hints()))
    raise UserError(f"{generation}: no game {game_id}: it has {num_games} games, numbered from 0")


def board_at(game: GameText, ply: int) -> Board:
    """The position before move `ply`, counted from 0 at the start; UserError beyond the game's end."""
    board = game.board()
    if not 0 <= ply <= len(game.moves):
        raise UserError(
            f"the game has {len(game.moves)} plies, from 0 to {len(game.moves)}: there is no {ply}"
        )
    while len(board.moves) > ply:
        board.undo()
    return board


def occurrences(run: Path, board: Board) -> Occurrences:
    """How often self-play met the board's position up to symmetry, with the same side to move."""
    found = Occurrences()
    for folder in generations(run):
        before = found.num_positions
        for path in shards_of(folder):
            _count(read_shard(path), board, path, found)
        found.by_generation[folder.name] = found.num_positions - before
    found.moves = dict(sorted(found.moves.items(), key=lambda item: (-item[1], item[0])))
    return found


def shards_of(generation: Path) -> list[Path]:
    """The records files of a generation's folder, in order."""
    return sorted((generation / "games").glob("[!.]*.parquet"))


def _count(table: RecordTable, board: Board, path: Path, found: Occurrences) -> None:
    game = board.game
    if table.game != game.spec():
        raise UserError(f"{path}: its games are not {describe(game)}, as the position is")
    symmetries = _matching(table, board)
    rows = np.flatnonzero(symmetries >= 0)
    found.searched_games += len(np.unique(table.game_id))
    found.num_positions += len(rows)
    found.num_games += len(np.unique(table.game_id[rows]))
    outcomes = table.outcome[rows]
    found.won += int((outcomes == 1).sum())
    found.drawn += int((outcomes == 0).sum())
    found.lost += int((outcomes == -1).sum())
    for row in rows:
        move = transform_move(int(table.move[row]), int(INVERSE[symmetries[row]]), game.size)
        text = move_to_text(game, move)
        found.moves[text] = found.moves.get(text, 0) + 1


def _matching(table: RecordTable, board: Board) -> NDArray[np.int8]:
    """int8[P]: the first symmetry that takes the board to the row's position; -1 where none does."""
    stones, symmetries = board.positions.stones[0], np.full(len(table), -1, np.int8)
    candidates = np.flatnonzero(table.turn == board.turn)
    candidates = candidates[(table.stones[candidates] != 0).sum(axis=1) == np.count_nonzero(stones)]
    for symmetry in range(NUM_SYMMETRIES):
        image = np.empty_like(stones)
        image[symmetry_tables(board.game.size)[symmetry]] = stones
        is_same = (table.stones[candidates] == image).all(axis=1)
        symmetries[candidates[is_same]] = symmetry
        candidates = candidates[~is_same]
    return symmetries
