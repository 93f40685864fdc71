"""Fives not made and corners given away, on small records."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stonezero.doctor.blunders import corner_gifts, missed_wins, weakest_tactics, winning_moves
from stonezero.doctor.checks import diagnose
from stonezero.doctor.facts import OK, WARNING, RunFacts
from stonezero.games.position import BLACK, WHITE
from stonezero.records.schema import RecordTable
from tests.doctor.runs import Play, healthy_run, made_up_gates, made_up_table


def with_boards(rows: list[str], turn: int, rules: str = "freestyle") -> RecordTable:
    """A table whose first row has this 9x9 board (X black, O white, . empty) and side to move."""
    table = made_up_table(Play(), num_games=25)
    stones = table.stones.copy()
    stones[0] = [".XO".index(point) for point in "".join(rows)]
    turns = table.turn.copy()
    turns[0] = turn
    return replace(table, stones=stones, turn=turns, game={**table.game, "k": 5, "rules": rules})


def wins(table: RecordTable) -> list[int]:
    """Winning points of the first row."""
    return np.flatnonzero(winning_moves(table, np.array([0]))[0]).tolist()


CASES = [
    (["XXXX....." + "." * 72], [4]),
    ([".XXXX...." + "." * 72], [0, 5]),
    (["XX.XX...." + "." * 72], [2]),
    (["OXXXX...." + "." * 72], [5]),
    (["." * 5 + "XXXX" + "." * 72], [4]),
    (["X" + "." * 9 + "X" + "." * 9 + "X" + "." * 9 + "X" + "." * 50], [40]),
    (["." * 8 + "X" + "." * 7 + "X" + "." * 7 + "X" + "." * 7 + "X" + "." * 48], [40]),
    (["X" + "." * 8 + "X" + "." * 8 + "X" + "." * 8 + "X" + "." * 53], [36]),
    (["OOOO....." + "." * 72], []),
]


@pytest.mark.parametrize(("rows", "expected"), CASES)
def test_winning_points_lie_on_rows_columns_and_both_diagonals(rows: list[str], expected: list[int]) -> None:
    assert wins(with_boards(rows, BLACK)) == expected


def test_six_in_a_row_wins_under_freestyle_and_for_white_under_renju_alone() -> None:
    black, white = ["XXX.XX..." + "." * 72], ["OOO.OO..." + "." * 72]
    found = {
        (rules, turn): wins(with_boards(rows, turn, rules))
        for rules in ("freestyle", "standard", "renju")
        for rows, turn in ((black, BLACK), (white, WHITE))
    }
    assert found == {
        ("freestyle", BLACK): [3],
        ("freestyle", WHITE): [3],
        ("standard", BLACK): [],
        ("standard", WHITE): [],
        ("renju", BLACK): [],
        ("renju", WHITE): [3],
    }


def facts_of(table: RecordTable, generations: int = 3) -> RunFacts:
    gates = made_up_gates([1] * generations)
    return RunFacts("g003", table, pd.DataFrame(), gates, None, 128)


@pytest.mark.parametrize(("most_visited", "missed"), [(4, 0.0), (50, 1.0)])
def test_a_win_that_search_does_not_prefer_is_missed(most_visited: int, missed: float) -> None:
    table = with_boards(["XXXX....." + "." * 72], BLACK)
    rows = np.zeros(40, np.int64)
    repeated = table.select(rows)
    moves = repeated.visit_moves.copy()
    moves[::4] = most_visited
    assert missed_wins(facts_of(replace(repeated, visit_moves=moves))) == missed
    assert missed_wins(facts_of(repeated, generations=2)) is None


def test_a_corner_taken_right_after_a_neighbouring_move_is_a_gift() -> None:
    table = made_up_table(Play(), num_games=2)
    second = int(np.flatnonzero(np.diff(table.game_id))[0]) + 1
    moves = np.full(len(table), 40, np.int16)
    moves[3:5] = 10, 0  # beside the corner, then the corner: a gift
    moves[7:9] = 40, 8  # from afar: none
    moves[second - 1 : second + 1] = 79, 80  # across two games: none
    othello = {"name": "othello", "size": 9}
    assert corner_gifts(facts_of(replace(table, move=moves, game=othello))) == 0.5


def test_the_weakest_tactical_set_counts_once_the_run_has_settled() -> None:
    run = replace(healthy_run(), tactics={"win_in_1": 0.97, "trap": 0.84})
    assert weakest_tactics(run) == 0.84
    assert weakest_tactics(replace(run, gates=made_up_gates([1, 1]))) is None
    assert weakest_tactics(healthy_run()) is None
    (finding,) = (found for found in diagnose(run) if found.check == "tactics")
    assert (finding.level, finding.number) == (WARNING, "84%")
    assert "train.value_weight" in finding.advice
    fine = replace(run, tactics={"win_in_1": 0.97, "trap": 0.85})
    assert [found.level for found in diagnose(fine) if found.check == "tactics"] == [OK]
