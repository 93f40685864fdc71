"""Tables of positions: labels, selection, concatenation."""

from dataclasses import replace

import numpy as np
import pytest

from stonezero.games import BLACK, DRAW, ONGOING, WHITE, make_game
from stonezero.records import RecordTable, concatenate
from stonezero.records.schema import outcome_for_mover, table_of_games
from tests.records.games import random_records

GAME = make_game("othello", 4)


def make_table(num_games: int = 6, seed: int = 0) -> RecordTable:
    return table_of_games(random_records(GAME, num_games, seed), GAME.spec())


def test_the_outcome_is_the_movers_for_every_winner_and_side() -> None:
    status = np.array([BLACK, BLACK, WHITE, WHITE, DRAW, DRAW], np.int8)
    turn = np.array([BLACK, WHITE, BLACK, WHITE, BLACK, WHITE], np.int8)
    assert outcome_for_mover(status, turn).tolist() == [1, -1, -1, 1, 0, 0]


@pytest.mark.parametrize("game", [make_game("gomoku", 3, 3), GAME], ids=["gomoku", "othello"])
def test_every_row_of_every_game_is_labelled_for_its_mover(game) -> None:  # type: ignore[no-untyped-def]
    records = random_records(game, 40)
    table = table_of_games(records, game.spec())
    assert {record.status for record in records} == {BLACK, WHITE, DRAW}
    row = 0
    for record in records:
        for turn in record.turn:
            expected = 0 if record.status == DRAW else (1 if record.status == turn else -1)
            assert table.outcome[row] == expected
            row += 1
    assert row == len(table)


def test_a_record_that_is_unfinished_or_of_unequal_lengths_is_refused() -> None:
    record = random_records(GAME, 1)[0]
    with pytest.raises(ValueError, match="not finished"):
        replace(record, status=ONGOING)
    with pytest.raises(ValueError, match="turn"):
        replace(record, turn=record.turn[:-1])
    with pytest.raises(ValueError, match="ply is int64"):
        replace(record, ply=record.ply.astype(np.int64))
    with pytest.raises(ValueError, match="visit_offsets"):
        replace(record, visit_moves=record.visit_moves[:-1])


def test_selected_rows_keep_their_visits() -> None:
    table = make_table()
    rows = np.random.default_rng(1).permutation(len(table))[:20]
    chosen = table.select(rows)
    assert len(chosen) == 20
    for place, row in enumerate(rows):
        begin, end = table.visit_offsets[row : row + 2]
        chosen_begin, chosen_end = chosen.visit_offsets[place : place + 2]
        assert chosen.visit_moves[chosen_begin:chosen_end].tolist() == table.visit_moves[begin:end].tolist()
        assert chosen.visit_counts[chosen_begin:chosen_end].tolist() == table.visit_counts[begin:end].tolist()
        assert (chosen.stones[place] == table.stones[row]).all()
        assert chosen.outcome[place] == table.outcome[row]


def test_a_concatenation_holds_the_parts_in_turn() -> None:
    table = make_table()
    middle = len(table) // 2
    parts = [table.select(np.arange(middle)), table.select(np.arange(middle, len(table)))]
    whole = concatenate(parts)
    for name in ("stones", "move", "visit_moves", "visit_counts", "visit_offsets", "outcome", "game_id"):
        assert (getattr(whole, name) == getattr(table, name)).all(), name
