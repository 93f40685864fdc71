"""Unrolled generations: compact overrides, typed, and the sections that a stage sees."""

from pathlib import Path

from stonezero.config import RunPaths, generation_section, paths, previous_generation
from stonezero.config.composition import differences, stage_params
from stonezero.plan import make_plan

ROOT = Path(__file__).resolve().parents[2]


def test_generations_form_a_chain_of_string_keys() -> None:
    params = make_plan(ROOT, ["iterations=12"])
    assert list(params.generations)[::11] == ["g001", "g012"]
    assert [params.generations[name].prev for name in ("g001", "g002", "g012")] == ["g000", "g001", "g011"]
    assert params.last == "g012"


def test_one_generation_more_changes_nothing_of_the_others() -> None:
    three, four = make_plan(ROOT, ["iterations=3"]), make_plan(ROOT, ["iterations=4"])
    changed = {path for path in differences(three, four) if not path.startswith("generations.g004")}
    assert changed == {"iterations", "last", "plan"}


def test_a_change_from_generation_3_on_leaves_1_and_2_as_they_were() -> None:
    schedule = "schedule=[{start: 3, set: {train.lr: 0.0005, gate.anchors: [random]}}]"
    plain, changed = make_plan(ROOT, ["iterations=4"]), make_plan(ROOT, ["iterations=4", schedule])
    assert {path.split(".")[1] for path in differences(plain, changed) if path.startswith("generations")} == {
        "g003",
        "g004",
    }
    assert changed.generations.g004.train == {"lr": 0.0005}
    assert changed.generations.g004.gate == {"anchors": ["random"]}


def test_a_stage_sees_the_values_of_its_generation() -> None:
    params = make_plan(ROOT, ["schedule=[{start: 2, set: {train.lr: 1, search.c_puct: 3}}]", "train.lr=0.25"])
    lr = {
        gen: generation_section(stage_params(params, gen), "train").lr
        for gen in ("g000", "g001", "g002", "g003")
    }
    assert lr == {"g000": 0.25, "g001": 0.25, "g002": 1.0, "g003": 1.0}
    assert isinstance(lr["g002"], float), "converted to the type of the schema"
    assert generation_section(stage_params(params, "g003"), "search").c_puct == 3.0
    assert generation_section(stage_params(params, "g003"), "game") == params.game
    assert previous_generation(stage_params(params, "g003")) == "g002"


def test_a_change_back_to_the_plain_value_is_no_override() -> None:
    schedule = "schedule=[{start: 2, set: {train.lr: 0.5}}, {start: 3, set: {train.lr: 0.25}}]"
    params = make_plan(ROOT, [schedule, "train.lr=0.25"])
    assert [params.generations[name].train for name in params.generations] == [{}, {"lr": 0.5}, {}]


def test_paths_name_the_files_of_dvc_yaml() -> None:
    text = (ROOT / "dvc.yaml").read_text()
    for file in (
        paths.games,
        paths.health,
        paths.buffer,
        paths.candidate,
        paths.optimizer,
        paths.losses,
        paths.champion,
        paths.gate,
        paths.history,
    ):
        assert f"- {file('g001').as_posix()}\n".replace("g001", "${key}") in text
    assert RunPaths(Path("elsewhere")).champion("g002") == Path("elsewhere/g002/champion.safetensors")
