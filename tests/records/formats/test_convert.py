"""Converting files and folders: what is written where, what is refused and why, exit codes."""

import sys
from pathlib import Path

import pytest

from stonezero.cli import main
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.records import read_shard
from stonezero.records.formats.catalogue import FORMATS, MAX_FILE_BYTES, read_file
from stonezero.records.formats.convert import Conversion, convert
from tests.records.formats.samples import GAMES, random_game, same

OTHELLO = make_game("othello", 8)


def put(path: Path, *games):
    kind = next(kind for kind in FORMATS.values() if path.suffix in kind.suffixes)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(kind.write(games))
    return path


def test_a_file_becomes_another(tmp_path):
    games = [random_game(OTHELLO, seed) for seed in range(3)]
    summary = convert(Conversion(put(tmp_path / "a.sgf", *games), tmp_path / "out" / "a.wtb"))
    assert summary.text() == "3 games from 1 file, written to 1; 0 refused"
    assert all(
        same(item.game, game)
        for item, game in zip(read_file(tmp_path / "out/a.wtb").games, games, strict=True)
    )
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a.wtb", "a.jou", "a.trn"}


def test_a_folder_becomes_one_file_with_a_summary_of_what_was_refused(tmp_path):
    put(tmp_path / "in/a.sgf", random_game(OTHELLO, 0), random_game(OTHELLO, 1, num_plies=10))
    put(tmp_path / "in/deep/b.ggf", random_game(OTHELLO, 2))
    (tmp_path / "in/bad.sgf").write_text("(;GM[4]SZ[15];B[hh]\n;B[hh])")
    (tmp_path / "in/readme.md").write_text("hello")
    summary = convert(Conversion(tmp_path / "in", tmp_path / "all.parquet"))
    assert summary.num_games == 2
    assert [line.removeprefix(str(tmp_path)) for line in summary.refusals] == [
        "/in/a.sgf: line 8: the game is unfinished: without an outcome there is nothing to learn from it",
        "/in/bad.sgf: line 2: move 2, h8, is black's, but white is to move",
    ]
    assert summary.text().endswith("2 refused, 1 skipped (.md)")
    assert len(set(read_shard(tmp_path / "all.parquet").game_id)) == 2


def test_a_folder_becomes_a_folder_of_the_same_shape(tmp_path):
    put(tmp_path / "in/a.sgf", random_game(GAMES[0], 0), random_game(GAMES[0], 1))
    put(tmp_path / "in/deep/b.psq", random_game(GAMES[0], 2))
    put(tmp_path / "in/deep/b.sgf", random_game(GAMES[0], 3))
    summary = convert(Conversion(tmp_path / "in", tmp_path / "out", target_format=FORMATS["psq"]))
    names = sorted(path.relative_to(tmp_path / "out").as_posix() for path in summary.written)
    assert names == ["a-0001.psq", "a-0002.psq", "deep/b.psq", "deep/b.sgf.psq"]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a.sgf", "out", "is a folder or has no known extension: say the format by --to"),
        ("empty", "out.sgf", "no file has the extension of a format"),
    ],
)
def test_a_conversion_that_cannot_begin_says_why(tmp_path, source, target, message):
    put(tmp_path / "a.sgf", random_game(OTHELLO, 0))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=message):
        convert(Conversion(tmp_path / source, tmp_path / target))


def test_a_file_that_is_absurdly_large_is_not_read(tmp_path):
    with (tmp_path / "huge.sgf").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    summary = convert(Conversion(tmp_path / "huge.sgf", tmp_path / "out.sgf"))
    assert "larger than 64 MiB" in summary.refusals[0]
    assert not (tmp_path / "out.sgf").exists()


def command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["stonezero", "convert", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capsys.readouterr()
    return stop.value.code or 0, printed.out, printed.err


def test_the_command_exits_with_0_when_all_was_converted(tmp_path, monkeypatch, capsys):
    source = put(tmp_path / "a.psq", random_game(GAMES[0], 0))
    code, out, err = command(monkeypatch, capsys, source, tmp_path / "a.sgf")
    assert (code, out, err) == (0, "1 game from 1 file, written to 1; 0 refused\n", "")


def test_the_command_exits_with_1_when_something_was_refused_and_keeps_the_rest(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "a.txt").write_text("f5d6\nf5f5\n")
    code, out, err = command(monkeypatch, capsys, tmp_path / "a.txt", tmp_path / "a.sgf")
    assert code == 1
    assert out == "1 game (1 unfinished) from 1 file, written to 1; 1 refused\n"
    assert err == f"refused: {tmp_path}/a.txt: line 2: move 2, f5, is not legal for white in othello 8x8\n"
    assert len(read_file(tmp_path / "a.sgf").games) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.sgf", "a.psq"], "nowhere.sgf: cannot be read: No such file or directory"),
        (["a.xyz", "a.psq"], "a.xyz: the extension is none of"),
        (["a.sgf", "a.psq", "--from", "pgn"], "there is no format 'pgn'"),
        (["a.sgf", "a.psq", "--game", "chess"], "there is no game 'chess'"),
    ],
)
def test_a_command_that_cannot_be_is_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "a.sgf", random_game(GAMES[0], 0))
    code, _, err = command(monkeypatch, capsys, *arguments)
    assert code != 0
    text = f"{err}{code}"
    assert message in text
    assert "Traceback" not in text
