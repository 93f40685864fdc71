"""The buffer stage on real files."""

from pathlib import Path

import numpy as np
import pytest

from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.records import RecordError, read_shard
from stonezero.replay.index import empty_index, read_index
from stonezero.replay.loading import load_window
from stonezero.replay.run import run
from stonezero.replay.window import WindowError
from tests.replay.common import GAME, begin_run, make_params, play, play_and_buffer


def test_the_window_chains_over_generations_and_loads(tmp_path: Path) -> None:
    paths = begin_run(tmp_path)
    for gen in ("g001", "g002", "g003", "g004"):
        play_and_buffer(paths, gen)
    index = read_index(paths.buffer("g004"))
    assert sorted({file.generation for file in index.files}) == ["g002", "g003", "g004"]
    assert index.files[0].path == "runs/g002/games/shard-00000.parquet"
    window = load_window(index, GAME, tmp_path)
    place = 0
    for code, file in enumerate(index.files):
        shard = read_shard(tmp_path / file.path)
        for row in index.row[index.file == code]:
            assert window.table.move[place] == shard.move[row]
            assert (window.table.stones[place] == shard.stones[row]).all()
            place += 1
    assert place == len(window)
    assert not window.table.is_opening.any()


def test_the_figures_count_games_copies_and_positions(tmp_path: Path) -> None:
    paths = begin_run(tmp_path)
    play(paths, "g001", 6)
    (paths.games("g001") / "shard-00001.parquet").write_bytes(
        (paths.games("g001") / "shard-00000.parquet").read_bytes()
    )
    figures = {name: value for name, _, value in run(make_params("g001"), "g001", tmp_path, paths)}
    assert figures["buffer/games"] == 12
    assert figures["buffer/distinct_games"] == 6
    assert figures["buffer/duplicate_games"] == 6
    assert figures["buffer/most_copies_of_a_game"] == 2
    assert figures["buffer/positions"] == len(read_index(paths.buffer("g001")))


def test_the_same_games_give_the_same_index_bytes(tmp_path: Path) -> None:
    indexes = []
    for name in ("a", "b"):
        paths = begin_run(tmp_path / name)
        play_and_buffer(paths, "g001")
        indexes.append(paths.buffer("g001").read_bytes())
    assert indexes[0] == indexes[1]


def test_bad_games_stop_the_stage_and_write_nothing(tmp_path: Path) -> None:
    paths = begin_run(tmp_path)
    with pytest.raises(WindowError, match="no records files"):
        run(make_params("g001"), "g001", tmp_path, paths)
    play(paths, "g001")
    shard = paths.games("g001") / "shard-00000.parquet"
    shard.write_bytes(shard.read_bytes()[:-20])
    with pytest.raises(RecordError, match=r"shard-00000\.parquet: truncated"):
        run(make_params("g001"), "g001", tmp_path, paths)
    play(paths, "g001", game=make_game("gomoku", 4, 4))
    with pytest.raises(RecordError, match=r"k=4.*not of k=3"):
        run(make_params("g001"), "g001", tmp_path, paths)
    assert not paths.buffer("g001").exists()


def test_records_changed_after_indexing_are_refused(tmp_path: Path) -> None:
    paths = begin_run(tmp_path)
    play_and_buffer(paths, "g001")
    play(paths, "g001", 23)
    with pytest.raises(RecordError, match="changed since"):
        load_window(read_index(paths.buffer("g001")), GAME, tmp_path)


def test_an_empty_window_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(WindowError, match="no positions"):
        load_window(empty_index(), GAME, tmp_path)
    assert issubclass(WindowError, UserError)


def test_half_written_shards_are_not_read(tmp_path: Path) -> None:
    paths = begin_run(tmp_path)
    play(paths, "g001")
    (paths.games("g001") / ".shard-00009.parquet.1.part").write_text("half")
    (paths.games("g001") / ".shard-00009.parquet").write_text("half")
    run(make_params("g001"), "g001", tmp_path, paths)
    assert np.unique(read_index(paths.buffer("g001")).file).tolist() == [0, 1, 2]
