"""conf/ and overrides: every preset composes, everything impossible is refused in one sentence."""

import re
import subprocess
from pathlib import Path

import pytest
from omegaconf import DictConfig, OmegaConf

from stonezero.config.composition import compose_params, differences, to_yaml, typed
from stonezero.config.validation import CHOICES, RANGES
from stonezero.errors import UserError
from stonezero.plan import check_plan, extended, make_plan, read_plan, write_plan

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
GROUPS = ("game", "network", "search", "selfplay", "buffer", "train", "gate", "elo", "inference")


def options(group: str) -> list[str]:
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


def plan(*overrides: str) -> DictConfig:
    return make_plan(ROOT, list(overrides))


@pytest.mark.parametrize("experiment", options("experiment"))
def test_every_preset_composes(experiment: str) -> None:
    assert plan(f"experiment={experiment}").experiment == experiment


@pytest.mark.parametrize("ablation", options("ablation"))
def test_every_ablation_composes(ablation: str) -> None:
    experiment = "othello6" if ablation.endswith("othello") else "quick"
    assert plan(f"ablation={ablation}", f"experiment={experiment}", "iterations=1").ablation == ablation


def test_every_choice_of_every_group_composes() -> None:
    """As many groups in one composition as there are."""
    for number in range(max(len(options(group)) for group in GROUPS)):
        chosen = {group: options(group)[number % len(options(group))] for group in GROUPS}
        assert plan(*(f"{group}={choice}" for group, choice in chosen.items()), "experiment=quick")


def test_the_presets_asked_for_exist() -> None:
    wanted = {"quick", "tictactoe", "gomoku9", "gomoku15", "renju15", "othello6", "othello8"}
    assert wanted <= set(options("experiment"))
    game = plan().game
    assert (game.name, game.size, game.k) == ("gomoku", 6, 4)


def test_an_ablation_changes_the_preset_it_is_put_on() -> None:
    plain, ablated = plan("experiment=othello6"), plan("experiment=othello6", "ablation=no_noise")
    assert plain.search.root_noise_fraction > 0
    assert ablated.search.root_noise_fraction == 0
    assert differences(plain, ablated) == ["ablation", "plan", "search.root_noise_fraction"]


def test_an_override_wins_over_the_preset_and_the_ablation() -> None:
    assert plan("search.root_noise_fraction=0.1", "ablation=no_noise").search.root_noise_fraction == 0.1


def test_params_yaml_is_the_composition_of_conf() -> None:
    check_plan(ROOT)


def test_every_parameter_has_a_line_of_meaning() -> None:
    """In the group files that give every value; those that change some of them may repeat it."""
    whole = ("gomoku", "othello", "small", "puct", "default", "window", "adam", "sprt", "onnxruntime")
    for file in (path for group in GROUPS for path in (CONF / group).glob("*.yaml")):
        for line in file.read_text().splitlines():
            if file.stem in whole and line and not line.startswith("#"):
                assert re.search(r"\S +# \S", line), f"{file.relative_to(ROOT)}: {line}"


def test_every_number_has_a_range_and_every_choice_its_list() -> None:
    for path, value in {**_leaves(plan())}.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and not path.startswith(("game.", "inference.")):  # those two judge their own
            assert path in RANGES, path
    assert set(CHOICES) <= set(_leaves(plan()))


def _leaves(params: DictConfig) -> dict[str, object]:
    sections = {key: params[key] for key in (*GROUPS, "seed", "iterations")}
    leaves = {}
    for key, value in sections.items():
        if OmegaConf.is_config(value):
            leaves.update({f"{key}.{name}": item for name, item in value.items()})
        else:
            leaves[key] = value
    return leaves


REFUSED = {
    "train.lrr=0.1": "there is no parameter train.lrr; do you mean train.lr?",
    "trian.lr=0.1": "there is no parameter trian.lr; do you mean train.lr?",
    "hydra.job.name=x": "there is no parameter hydra.job.name",
    "train.lr=abc": "train.lr: Value 'abc' of type 'str' could not be converted to Float",
    "train.lr=nan": "train.lr is nan, but must be above 0",
    "train.lr=inf": "train.lr is inf, but must be above 0",
    "train.lr=null": "train.lr: field 'train.lr' is not Optional",
    "train.lr=": "train.lr: Value '' of type 'str' could not be converted to Float",
    "seed=1.5": "seed: Value '1.5' of type 'float' could not be converted to Integer",
    "seed=true": "seed: Value 'True' of type 'bool' could not be converted to Integer",
    "seed=-1": "seed is -1, but must lie between 0 and 9223372036854775807",
    "seed=1e3": "seed: Value '1000.0' of type 'float' could not be converted to Integer",
    "search.reuse_tree=maybe": "search.reuse_tree: Value 'maybe' is not a valid bool (type str)",
    "network.planes=own": "network.planes: Invalid value assigned: str is not a ListConfig, list or tuple.",
    "network.planes=[own,ones,own]": "network.planes names own twice",
    "network.planes=[]": "network.planes is empty",
    "iterations=2000": "iterations is 2000, but must lie between 1 and 200",
    "iterations=0": "iterations is 0, but must lie between 1 and 200",
    "experiment=quik": "there is no experiment quik; there are ablation, ",
    "experiment=1E5": "there is no experiment 1E5; there are ",
    "ablation=no_nose": "there is no ablation no_nose; there are ",
    "game=chess": "there is no game chess; there are gomoku, othello",
    "+foo=1": "cannot use the override '+foo=1': write key=value, with one value",
    "~train": "cannot use the override '~train': write key=value, with one value",
    "train.lr=0.1,0.2": "cannot use the override 'train.lr=0.1,0.2': write key=value, with one value",
    "train.lr": "cannot read the override 'train.lr': write key=value",
    "plan=[a]": "plan is made by the plan itself and cannot be given",
    "generations.g001.train.lr=1": "generations.g001.train.lr is made by the plan itself and cannot be given",
    "last=g009": "last is made by the plan itself and cannot be given",
    "game.k=7": "gomoku on size 6 needs k from 3 to 6 in a row, not 7",
    "game.size=21": "gomoku",
    "game.rules=12e34": "gomoku has no rules",
    "game.name=chess": "chess",
    "network.planes=[own,theirs]": "there is no input plane 'theirs'",
    "selfplay.simulations=0": "selfplay.simulations is 0, but must lie between 2 and 1000000",
    "gate.simulations=0": "gate.simulations is 0, but must lie between 2 and 1000000",
    "buffer.window_generations=0": "buffer.window_generations is 0, but must be at least 1",
    "buffer.max_positions=0": "buffer.max_positions is 0, but must be at least 1",
    "selfplay.random_opening_share=1.5": "selfplay.random_opening_share is 1.5, but must lie between 0 and 1",
    "gate.elo1=-3": "gate.elo1 is -3 in generation g001, but must be above gate.elo0, here 0",
    "gate.max_pairs=3": "gate.max_pairs is 3 in generation g001, but one round has ",
    "selfplay.games=10000001": "selfplay.games is 10000001, but must lie between 1 and 10000000",
    "selfplay.random_opening_plies=19": "in generation g001, but must be at most 18 for gomoku on size 6",
    "schedule=[{start: 2, set: {gate.opening_plies: 18}}]": "is 18 in generation g002, but must be at most",
    "gate.anchors=[random,random]": "gate.anchors names random twice",
    "gate.anchors=['net:best.safetensors']": "net:best.safetensors is no anchor, since files change",
    "gate.anchors=[rndom]": "unknown player 'rndom'",
    "gate.anchors=['rollouts:sims=x']": "player 'rollouts:sims=x': 'x' is not a number",
    "schedule=[{start: 2, set: {gate.anchors: [rndom]}}]": "unknown player 'rndom'",
    "inference.backend=onnx": "inference.backend is 'onnx'; it must be one of onnxruntime, openvino, ",
    "inference.precision=bf16": "inference.precision is 'bf16'; onnxruntime has f32, int8",
    "schedule=3": "schedule: Invalid value assigned: int is not a ListConfig, list or tuple.",
    "schedule=[{set: {train.lr: 1}}]": "schedule entry 1: start, the first generation of the change, has ",
    "schedule=[{start: 2}, {start: x}]": "schedule entry 2: start: Value 'x' of type ",
    "schedule=[{start: 3, sett: {train.lr: 1}}]": "schedule entry 1: sett: Key 'sett' not in 'Change'",
    "schedule=[{start: 4, set: {train.lr: 1}}]": "schedule entry 1: start 4 is outside this plan's ",
    "schedule=[{start: 0, set: {train.lr: 1}}]": "schedule entry 1: start 0 is outside this plan's ",
    "schedule=[{start: 3, set: {train.lrr: 1}}]": "schedule entry 1: train.lrr is no parameter of ",
    "schedule=[{start: 3, set: {game.size: 7}}]": "schedule entry 1: game.size is no parameter of ",
    "schedule=[{start: 3, set: {train: 7}}]": "schedule entry 1: train is no parameter of ",
    "schedule=[{start: 3, set: {train.lr: abc}}]": "schedule entry 1: train.lr: Value 'abc' of ",
    "schedule=[{start: 3, set: {train.lr: 0}}]": "train.lr is 0.0 in generation g003, but must be above 0",
    "schedule=[{start: 3, set: {gate.elo1: -1}}]": "gate.elo1 is -1 in generation g003, but must be above ",
    "schedule=[{start: 3, set: {train.lr: 1}}, {start: 2, set: {train.lr: 1}}]": "starts must ascend",
    "schedule=[{start: 2, set: {train.lr: 1}}, {start: 2, set: {train.lr: 2}}]": "train.lr is set twice at ",
}


@pytest.mark.parametrize("override", REFUSED)
def test_what_cannot_be_is_refused_in_one_sentence(override: str) -> None:
    with pytest.raises(UserError) as refusal:
        plan(override)
    assert REFUSED[override] in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["game=othello", "game.size=7"], "othello"),
        (
            ["inference=torch", "inference.precision=bf16"],
            "bf16 with the torch backend needs inference.device",
        ),
        (["inference=openvino", "inference.device=cuda"], "device is cuda, but openvino runs on the CPU"),
        (
            ["selfplay.solve_empties=8"],
            "solve_empties is set in generation g001, but the endgame solver takes",
        ),
        (["experiment=othello6", "selfplay.solve_empties=21"], "must lie between 0 and 20"),
        (["seed=1", "seed=2"], "seed is given twice"),
        (["game=othello", "network.planes=[own,own_frame_1]"], "othello has no input plane 'own_frame_1'"),
    ],
)
def test_impossible_combinations_are_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        plan(*overrides)


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("train.lr=1e-5", "train.lr", 1e-5),
        ("train.lr=1e-8", "train.lr", 1e-8),
        ("train.lr=1", "train.lr", 1.0),
        ("seed=0123", "seed", 123),
        ("seed=9223372036854775807", "seed", 2**63 - 1),
        ("gate.anchors=['rollouts:sims=8']", "gate.anchors", ["rollouts:sims=8"]),
    ],
)
def test_values_keep_their_type_on_the_way_through_params_yaml(
    override: str, path: str, value: object, tmp_path: Path
) -> None:
    (tmp_path / "params.yaml").write_text(to_yaml(plan(override)))
    found = OmegaConf.select(read_plan(tmp_path), path)
    assert found == value
    assert isinstance(value, list) or type(found) is type(value)


def test_read_plan_types_what_was_edited_by_hand(tmp_path: Path) -> None:
    write_plan(tmp_path, plan())
    file = tmp_path / "params.yaml"
    file.write_text(file.read_text().replace("batch_size: ", "batch_size: many # "))
    with pytest.raises(UserError, match=r"params.yaml: train.batch_size: Value 'many' .*`stonezero plan`"):
        read_plan(tmp_path)


def test_no_params_yaml_and_a_broken_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no params.yaml .*: run `stonezero plan`"):
        read_plan(tmp_path)
    for content in (b"a: [", b"- a", b"\xff\xfe"):
        (tmp_path / "params.yaml").write_bytes(content)
        with pytest.raises(UserError, match=r"^params.yaml: [^\n]*$"):
            read_plan(tmp_path)


def test_a_folder_without_conf_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="run this in a checkout of stonezero"):
        make_plan(tmp_path, [])


def test_plans_keep_their_overrides_and_new_ones_replace_old_ones_of_the_same_key() -> None:
    assert list(plan("iterations=4", "train.lr=0.1").plan) == ["iterations=4", "train.lr=0.1"]
    assert extended(["iterations=4", "train.lr=0.1"], ["iterations=5"]) == ["train.lr=0.1", "iterations=5"]


def test_writing_the_same_plan_again_leaves_the_file_alone(tmp_path: Path) -> None:
    assert write_plan(tmp_path, plan())
    before = (tmp_path / "params.yaml").stat().st_mtime_ns
    assert not write_plan(tmp_path, plan())
    assert (tmp_path / "params.yaml").stat().st_mtime_ns == before


def test_check_plan_names_the_difference_and_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "conf").symlink_to(CONF)
    params = plan("iterations=4", "seed=7")
    write_plan(tmp_path, params)
    check_plan(tmp_path)
    params.generations.g003.train = {"lr": 0.5}
    write_plan(tmp_path, params)
    with pytest.raises(
        UserError, match=r"generations.g003.train.*`stonezero plan iterations=4 seed=7` makes"
    ):
        check_plan(tmp_path)


def test_check_plan_only_validates_what_dvc_composed_itself(tmp_path: Path) -> None:
    params = plan()
    params.train.lr = 0.7
    write_plan(tmp_path, params)
    check_plan(tmp_path, is_composed_by_dvc=True)
    params.train.lr = -1
    write_plan(tmp_path, params)
    with pytest.raises(UserError, match=r"train.lr is -1.0"):
        check_plan(tmp_path, is_composed_by_dvc=True)


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    """A checkout whose committed plan is tic-tac-toe with another learning rate."""
    (tmp_path / "conf").symlink_to(CONF)
    write_plan(tmp_path, plan("experiment=tictactoe", "train.lr=0.01"))
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q"], ["add", "params.yaml"], [*identity, "commit", "-qm", "Plan"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize(
    ("overrides", "dropped"),
    [
        (["seed=3"], "-S experiment=tictactoe -S train.lr=0.01"),
        (["experiment=tictactoe", "seed=3"], "-S train.lr=0.01"),
        (["train.lr=0.02"], "-S experiment=tictactoe"),
    ],
)
def test_what_dvc_composed_without_the_committed_plan_is_refused(
    committed: Path, overrides: list[str], dropped: str
) -> None:
    params = plan(*overrides)
    params.plan = []
    write_plan(committed, params)
    with pytest.raises(UserError, match=f"leaves out overrides of the plan in params.yaml: add {dropped}$"):
        check_plan(committed, is_composed_by_dvc=True)


def test_what_dvc_composed_with_the_committed_plan_is_fine(committed: Path) -> None:
    for overrides in (["experiment=tictactoe", "train.lr=0.02"], ["experiment=othello6", "train.lr=0.01"]):
        params = plan(*overrides)
        params.plan = []
        write_plan(committed, params)
        check_plan(committed, is_composed_by_dvc=True)


def test_typed_refuses_unknown_keys() -> None:
    with pytest.raises(Exception, match="foo"):
        typed({"foo": 1})


def test_composing_twice_gives_the_same(tmp_path: Path) -> None:
    assert to_yaml(compose_params(CONF, [])) == to_yaml(compose_params(CONF, []))
