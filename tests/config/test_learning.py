"""What buffer, training and net cannot be together is refused in the plan, in one sentence."""

from pathlib import Path

import pytest

from stonezero.errors import UserError
from stonezero.plan import make_plan

ROOT = Path(__file__).parents[2]

REFUSED = {
    "experiment=othello6 buffer.quality_simple_four=0.8": "othello has no fours",
    "network.auxiliary=[ownership]": "gomoku has no final ownership",
    "network.auxiliary=[score]": "gomoku has no final score",
    "network.auxiliary=[soul]": "network.auxiliary names soul, but must be of ownership, score, reply",
    "train.symmetry=all8 train.batch_size=100": "needs a multiple of 8",
    "network.value=tanh train.value_loss=cross_entropy": "network.value tanh has no classes",
    "train.precision=fp16": "a CPU trains in f32 or bf16",
    "train.value_weight_by_epoch=[1,-1]": "a weight below 0",
    "train.freeze_head=value": "give a head and a number above 0",
    "train.freeze_epochs=2": "give a head and a number above 0",
    "train.start=file": "train.start_file names none",
    "train.start_file=nowhere.safetensors": "cannot read nowhere.safetensors",
    "train.start_digest=abc": "is made by the plan",
    "game.size=7 gate.tactics=true": "there are no tactical test sets for gomoku 7x7",
    "buffer.phase_plies=[10]": "has 0 numbers in generation g001, but 1 phase_plies make 2 phases",
    "buffer.phase_plies=[10,5] buffer.phase_weights=[1,1,1]": "must ascend",
    "buffer.phase_weights=[0]": "not all 0",
    "buffer.sampling=moves": "must be one of positions, games",
    "buffer.power_law_alpha=2": "must lie between 0.01 and 1",
    "iterations=3 schedule=[{start:2,set:{train.precision:fp16}}]": "fp16 in generation g002",
}


@pytest.mark.parametrize("overrides", REFUSED)
def test_what_cannot_work_is_refused_by_name(overrides: str) -> None:
    with pytest.raises(UserError) as refusal:
        make_plan(ROOT, overrides.split())
    assert REFUSED[overrides] in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_start_file_is_known_by_its_digest(tmp_path: Path) -> None:
    (tmp_path / "net").write_bytes(b"abc")
    params = make_plan(ROOT, [f"train.start_file={tmp_path / 'net'}"])
    assert params.train.start_digest.startswith("ba7816bf8f01cfea")  # SHA-256 of abc


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# gomoku 15x15, 5 in a row, freestyle\nh8\n", "line 2: openings of gomoku 6x6"),
        ("# gomoku 6x6, 4 in a row, freestyle\na1\ng9\n", "line 4: .*g9"),
        ("# gomoku 6x6, 4 in a row, freestyle\n", "there are no openings in it"),
    ],
)
def test_openings_that_a_gate_cannot_use_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "set.txt"
    file.write_text("# stonezero openings 1\n" + text)
    with pytest.raises(UserError, match=message):
        make_plan(ROOT, [f"gate.openings={file}"])
    with pytest.raises(UserError, match="cannot read nowhere"):
        make_plan(ROOT, ["gate.openings=nowhere"])
