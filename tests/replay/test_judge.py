"""Judging endings, against plain minimax and by games that cannot change any more."""

from pathlib import Path

import numpy as np
import pytest

from stonezero.cli import main
from stonezero.games import EMPTY, make_game
from stonezero.records import write_shard
from stonezero.records.schema import RecordTable, table_of_games
from stonezero.replay.judge import judge_endings
from stonezero.solvers.endgame import EndgameError
from tests.records.games import random_records
from tests.reference import othello_endgame as twin

OTHELLO = make_game("othello", 4)


def random_table(num_games: int) -> RecordTable:
    return table_of_games(random_records(OTHELLO, num_games), OTHELLO.spec())


def test_changed_results_are_those_that_minimax_would_not_have_reached() -> None:
    num_games, num_empties = 40, 7
    table = random_table(num_games)
    known: twin.Known = {}
    judged = changed = 0
    for game_id in range(num_games):
        for row in np.flatnonzero(table.game_id == game_id):
            stones = table.stones[row]
            if np.count_nonzero(stones == EMPTY) <= num_empties:
                board = {divmod(int(p), 4): " XO"[stones[p]] for p in np.flatnonzero(stones)}
                score = twin.score(board, " XO"[table.turn[row]], 4, known)
                judged += 1
                changed += np.sign(score) != table.outcome[row]
                break
    assert 0 < changed < judged
    assert judge_endings(table, num_empties) == (num_games, judged, changed, changed / judged)


def test_the_last_empty_point_changes_nothing() -> None:
    figures = judge_endings(random_table(40), 1)
    assert figures.games == 40
    assert 0 < figures.judged_games < 40  # some games end with more points empty
    assert (figures.changed_games, figures.changed_share) == (0, 0)


def test_games_without_a_solver_are_refused() -> None:
    game = make_game("gomoku", 4, 3)
    with pytest.raises(EndgameError, match="not gomoku on 4x4"):
        judge_endings(table_of_games(random_records(game, 2), game.spec()), 5)


def test_the_command_prints_the_share_of_all_shards_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    records = random_records(OTHELLO, 40)
    write_shard(tmp_path / "shard-0.parquet", records[:25], OTHELLO.spec(), "g001")
    write_shard(tmp_path / "shard-1.parquet", records[25:], OTHELLO.spec(), "g001")
    monkeypatch.setattr("sys.argv", ["stonezero", "endings", str(tmp_path), "--empties", "7"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 0
    figures = judge_endings(random_table(40), 7)
    shown = f"{figures.changed_games} of {figures.judged_games} games ({figures.changed_share:.1%}) changed"
    assert capsys.readouterr().out.startswith(shown)


def test_the_command_wants_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["stonezero", "endings", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"there is no \.parquet file in"):
        main()
