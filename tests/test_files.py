"""Atomic writes: the whole file or the old one, and nothing left beside it."""

from pathlib import Path

import pytest

from stonezero.errors import UserError
from stonezero.files import WriteError, atomic_write, digest, write_text


def test_a_file_appears_with_its_folder_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "a.txt"
    with atomic_write(target) as temporary:
        temporary.write_text("half")
        assert not target.exists()
        temporary.write_text("whole")
    assert target.read_text() == "whole"
    assert list(target.parent.iterdir()) == [target]


def test_a_failure_keeps_the_old_file_and_removes_the_temporary_one(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(ValueError, match="half"), atomic_write(target) as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise ValueError("half-way")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(WriteError, match=r"cannot write .*a\.txt: No space left") as caught,
        atomic_write(tmp_path / "a.txt"),
        Path("/dev/full").open("wb", buffering=0) as device,
    ):
        device.write(b"x")
    assert isinstance(caught.value, UserError)
    assert not list(tmp_path.iterdir())


def test_a_target_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(WriteError, match="cannot write"):
        write_text(tmp_path / "file" / "a.txt", "text")


def test_a_folders_digest_sees_names_and_contents(tmp_path: Path) -> None:
    write_text(tmp_path / "d" / "a", "1")
    before = digest(tmp_path / "d")
    write_text(tmp_path / "d" / "b", "")
    assert digest(tmp_path / "d") != before
    assert digest(tmp_path / "none") == "missing"
