"""What a sweep asks for, and what is refused before anything runs."""

import re
from pathlib import Path

import pytest

from stonezero.ablation.grid import make_grid
from stonezero.errors import UserError


def test_every_combination_is_a_cell_of_the_ablation_preset(checkout: Path) -> None:
    grid = make_grid(checkout, ["ablation=none,no_noise", "seed=1,2", "hydra/launcher=joblib"])
    assert [(cell.variant, cell.seed) for cell in grid.cells] == [
        ("none", 1),
        ("none", 2),
        ("no_noise", 1),
        ("no_noise", 2),
    ]
    assert grid.reference == "none"
    assert grid.params.experiment == "ablation"
    assert grid.cells[3].params["search.root_noise_fraction"] == 0
    assert grid.cells[0].overrides == ("experiment=ablation", "ablation=none", "seed=1")
    assert len({cell.name for cell in grid.cells}) == 4


def test_seeds_may_be_a_range_and_anything_may_be_swept(checkout: Path) -> None:
    grid = make_grid(
        checkout, ["experiment=tictactoe", "train.lr=0.001,0.002", "seed=range(1,4)"], "train.lr=0.002"
    )
    assert [cell.seed for cell in grid.cells] == [1, 2, 3, 1, 2, 3]
    assert grid.variants == ["train.lr=0.001", "train.lr=0.002"]
    assert grid.reference == "train.lr=0.002"


def test_names_are_stable_and_follow_what_determines_the_result(checkout: Path) -> None:
    def name(*overrides: str) -> str:
        return make_grid(checkout, list(overrides)).cells[0].name

    same = name("ablation=none", "seed=1")
    assert re.fullmatch(r"abl-none-s1-[0-9a-f]{8}", same)
    assert name("seed=1", "ablation=none") == same
    assert name("ablation=none", "seed=1", "train.lr=0.01") != same
    (checkout / "conf/train/adam.yaml").write_text(
        (checkout / "conf/train/adam.yaml").read_text().replace("momentum: 0.9", "momentum: 0.8")
    )
    assert name("ablation=none", "seed=1") != same


def test_a_cell_s_name_follows_the_code_of_the_stages(checkout: Path) -> None:
    before = make_grid(checkout, ["seed=1"]).cells[0]
    (checkout / "stages").unlink()
    (checkout / "stages").mkdir()
    assert make_grid(checkout, ["seed=1"]).cells[0].digest != before.digest


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["ablation=none,no_nois"], "there is no ablation no_nois; there are "),
        (["ablation=none,none"], "ablation names none twice"),
        (["seed=1,1"], "seed names 1 twice"),
        (["seed=1,x"], "seed is x, but must be an integer"),
        (["seed=1,1.5"], "seed is 1.5, but must be an integer"),
        (["seed=1,-1"], "seed is -1, but must lie between 0"),
        (["seed=1,01"], "none seed 1 and none seed 1 are the same cell"),
        (["train.lrr=1,2"], "there is no parameter train.lrr; do you mean train.lr?"),
        (["train.lr=0.1,-1"], "train.lr is -1.0, but must be above 0"),
        (["seed=1", "seed=2"], "seed is given twice"),
        (["ablation"], "cannot read the override 'ablation'"),
        (["game.size=6,7"], "game.size=6 seed 1 and game.size=7 seed 1 play different games"),
        (["game.k=9"], "needs k from 3 to 6 in a row, not 9"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(checkout: Path, overrides: list[str], message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as refusal:
        make_grid(checkout, overrides)
    assert "\n" not in str(refusal.value)


def test_two_ablations_that_do_the_same_are_refused(checkout: Path) -> None:
    (checkout / "conf/ablation/nothing.yaml").write_text("# @package _global_\nablation: nothing\n")
    with pytest.raises(UserError, match="none seed 1 and nothing seed 1 are the same cell"):
        make_grid(checkout, ["ablation=none,nothing"])


def test_a_reference_that_is_not_compared_is_refused(checkout: Path) -> None:
    with pytest.raises(UserError, match="the reference foo is no cell of the grid; there are none"):
        make_grid(checkout, ["ablation=none"], "foo")


@pytest.mark.parametrize("experiment", ["ablation", "ablation_othello"])
def test_the_presets_are_whole(checkout: Path, experiment: str) -> None:
    params = make_grid(checkout, [f"experiment={experiment}"]).params
    assert params.experiment == experiment
    assert params.selfplay.evaluations > 0
    assert params.train.threads == 1
