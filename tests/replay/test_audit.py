"""Each fault that records can have is found and named."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stonezero.games import DRAW, Game, make_game
from stonezero.records import GameRecord, RecordTable
from stonezero.records.schema import table_of_games
from stonezero.replay import audit as module
from stonezero.replay.audit import AuditError, audit
from tests.records.games import random_records

GAME = make_game("othello", 4)
PATH = Path("shard.parquet")


def make_table(game: Game = GAME) -> RecordTable:
    return table_of_games(random_records(game, 5, seed=3), game.spec())


def changed(name: str, row: int, value: object) -> Callable[[RecordTable], RecordTable]:
    def change(table: RecordTable) -> RecordTable:
        column = getattr(table, name).copy()
        column[row] = value
        return replace(table, **{name: column})

    return change


def other_winner(table: RecordTable) -> RecordTable:
    """The first game won by the wrong side throughout: no row contradicts another."""
    is_first = table.game_id == 0
    status = np.where(is_first & (table.status != DRAW), 3 - table.status, table.status).astype(np.int8)
    return replace(
        table, status=status, outcome=np.where(is_first, -table.outcome, table.outcome).astype(np.int8)
    )


def visit_occupied_point(table: RecordTable) -> RecordTable:
    moves = table.visit_moves.copy()
    moves[table.visit_offsets[3]] = int(np.flatnonzero(table.stones[3])[0])
    return replace(table, visit_moves=moves)


def visit_twice(table: RecordTable) -> RecordTable:
    row = int(np.argmax(np.diff(table.visit_offsets) > 1))
    moves = table.visit_moves.copy()
    moves[table.visit_offsets[row] + 1] = moves[table.visit_offsets[row]]
    return replace(table, visit_moves=moves)


def skip_a_row(table: RecordTable) -> RecordTable:
    return table.select(np.delete(np.arange(len(table)), 4))


FAULTS: dict[str, tuple[Callable[[RecordTable], RecordTable], str]] = {
    "no side": (changed("turn", 2, 0), "ply 2: no side is to move"),
    "contents": (changed("stones", 2, 3), "ply 2: a point has no known content"),
    "move out of range": (changed("move", 3, 17), "ply 3: the move does not exist"),
    "illegal move": (changed("move", 3, 5), "ply 3: the move is illegal"),
    "visit out of range": (changed("visit_moves", 0, -1), "ply 1: a visited move does not exist"),
    "visit count": (changed("visit_counts", 0, 0), "ply 1: a visit count is not positive"),
    "illegal visit": (visit_occupied_point, "ply 3: an illegal move was visited"),
    "move visited twice": (visit_twice, "do not add up to one target"),
    "label sign": (changed("outcome", 4, 5), "ply 4: the outcome contradicts"),
    "wrong winner": (other_winner, "does not lead to the next position or the stated end"),
    "root value": (changed("root_value", 2, np.nan), "ply 2: the root value is not in"),
    "gap": (skip_a_row, "ply 3: the move does not lead to the next position"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_file_game_and_ply(fault: str) -> None:
    spoil, words = FAULTS[fault]
    with pytest.raises(AuditError, match=words) as caught:
        audit(spoil(make_table()), GAME, PATH)
    assert str(caught.value).startswith("shard.parquet: game ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "game", [make_game("gomoku", 3, 3), make_game("gomoku", 9, 5, "standard"), GAME, make_game("othello", 6)]
)
@pytest.mark.parametrize("chunk", [4096, 5])
def test_right_records_pass(game: Game, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_ROWS", chunk)
    audit(make_table(game), game, PATH)


def test_no_games_and_a_resigned_game_pass() -> None:
    audit(table_of_games([], GAME.spec()), GAME, PATH)
    record = random_records(GAME, 1)[0]
    audit(table_of_games([without_last_plies(record, 3)], GAME.spec()), GAME, PATH)


def without_last_plies(record: GameRecord, num_plies: int) -> GameRecord:
    """A game that ends by agreement before the rules end it."""
    kept = slice(0, len(record.move) - num_plies)
    offsets = record.visit_offsets[: kept.stop + 1]
    names = ["stones", "turn", "ply", "passes", "recent_moves", "move", "root_value", "prior_entropy"]
    names += ["is_opening", "is_full_search", "is_resigned", "is_solved"]
    visits = {
        "visit_moves": record.visit_moves[: offsets[-1]],
        "visit_counts": record.visit_counts[: offsets[-1]],
    }
    columns = {name: getattr(record, name)[kept] for name in names}
    return GameRecord(record.game_id, record.status, visit_offsets=offsets, **columns, **visits)
