"""conf/ and overrides made into params; params.yaml read back, typed, for a stage."""

import difflib
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from stonezero.config.generations import generation_name, unroll
from stonezero.config.ramps import check_ramps, ramped_values
from stonezero.config.schema import Change, Params, Ramp, StageParams
from stonezero.config.validation import validate
from stonezero.errors import UserError

MADE_BY_PLAN = ("plan", "generations", "last")
ENTRIES = {"schedule": Change, "ramp": Ramp}  #: lists whose entries have a type of their own
PARAMS_FILE = "params.yaml"
HEADER = """\
# Made by `stonezero plan` from conf/, and never edited by hand: change values in conf/,
# or by `stonezero plan key=value`.
"""


def register() -> None:
    """Make the schema, the resolvers and the stages' primary config known to Hydra. Idempotent."""
    resolvers: dict[str, Callable[..., Any]] = {
        "unroll": lambda *, _root_: OmegaConf.create(_unroll(_root_)),
        "last_generation": lambda *, _root_: generation_name(_root_.iterations),
        "file_digest": lambda path, *, _root_: _file_digest(path),
    }
    for name, resolver in resolvers.items():
        OmegaConf.register_new_resolver(name, resolver, replace=True)
    store = ConfigStore.instance()
    store.store(name="params_schema", node=Params)
    store.store(name="stage_schema", node=StageParams)
    quiet = [{"override hydra/job_logging": "none"}, {"override hydra/hydra_logging": "none"}]
    hydra = {
        "run": {"dir": "."},
        "sweep": {"dir": ".", "subdir": "."},
        "output_subdir": None,
        "job": {"chdir": False},
    }
    store.store(name="stage", node={"defaults": ["stage_schema", "params", "_self_", *quiet], "hydra": hydra})


def _unroll(root: DictConfig) -> dict[str, dict[str, Any]]:
    check_ramps(root)
    return unroll(root, lambda generation: ramped_values(root, generation))


def _file_digest(path: str) -> str:
    """SHA-256 of a file that params name, from the working directory; empty where they name none."""
    if not path:
        return ""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error


def compose_params(conf: Path, overrides: list[str]) -> DictConfig:
    """Params of conf/ with `overrides`, typed, unrolled and validated.

    Raises
    ------
    UserError
        One sentence about the first override or combination that is wrong.
    """
    register()
    check_overrides(conf, overrides)
    GlobalHydra.instance().clear()  # that of a stage's script, which has done its work
    try:
        with initialize_config_dir(str(conf.resolve()), version_base="1.3"):
            params = compose("config", overrides=overrides)
        OmegaConf.resolve(params)
        params.plan = list(overrides)
        params = typed(OmegaConf.to_container(params))  # what the resolvers made is typed, too
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(sentence(error)) from error
    validate(params)
    return params


def typed(values: Any) -> DictConfig:
    """`values` (a container or DictConfig) merged on the schema of params.yaml."""
    params = OmegaConf.merge(OmegaConf.structured(Params), values)
    assert isinstance(params, DictConfig)
    return params


def stage_params(params: DictConfig, generation: str) -> DictConfig:
    """Params as a stage of `generation` gets them."""
    values = {**_plain(params), "gen": generation}
    result = OmegaConf.merge(OmegaConf.structured(StageParams), values)
    assert isinstance(result, DictConfig)
    return result


def to_yaml(params: DictConfig) -> str:
    """Text of params.yaml."""
    return HEADER + OmegaConf.to_yaml(params)


def differences(left: DictConfig, right: DictConfig) -> list[str]:
    """Sorted dotted paths whose values differ or that only one side has."""
    one, other = flat_params(left), flat_params(right)
    return sorted(
        {path for path, value in one.items() if other.get(path, ...) != value} | other.keys() - one.keys()
    )


def _flatten(value: Any, path: str = "") -> dict[str, Any]:
    if isinstance(value, dict) and value:
        flat: dict[str, Any] = {}
        for key, child in value.items():
            flat |= _flatten(child, f"{path}.{key}" if path else str(key))
        return flat
    return {path: value}


def flat_params(params: DictConfig) -> dict[str, Any]:
    """Every parameter by its dotted path; lists stay whole."""
    return _flatten(_plain(params))


def _plain(params: DictConfig) -> dict[str, Any]:
    plain: Any = OmegaConf.to_container(params)
    return plain


def sentence(error: BaseException) -> str:
    """What a Hydra or OmegaConf error says, in one line; our own message where one is its cause."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, UserError):
            return str(cause)
        if isinstance(cause, OmegaConfBaseException) and cause.full_key:
            return f"{cause.full_key}: {_one_line(str(cause.msg).partition('full_key:')[0])}"
        cause = cause.__cause__ or cause.__context__
    return _one_line(str(error))


def _one_line(text: str) -> str:
    return " ".join(text.split())


# ------------------------------------------------------------------ overrides


@dataclass(frozen=True)
class Override:
    key: str
    text: str  #: as the user wrote it
    value: Any


def parse_overrides(overrides: list[str]) -> list[Override]:
    """Keys of `key=value` texts; a UserError at the first that is something else."""
    parsed = []
    for text in overrides:
        try:
            override = OverridesParser.create().parse_override(text)
        except HydraException as error:
            raise UserError(f"cannot read the override {text!r}: write key=value") from error
        if override.is_add() or override.is_delete() or override.is_sweep_override() or override.package:
            raise UserError(f"cannot use the override {text!r}: write key=value, with one value")
        parsed.append(Override(override.key_or_group, text, override.value()))
    return parsed


def check_overrides(conf: Path, overrides: list[str]) -> None:
    """Refuse unknown groups, presets and parameters, naming the nearest that exist."""
    schema = OmegaConf.structured(Params)
    names = list(_flatten(OmegaConf.to_container(schema)))
    seen = set()
    for override in parse_overrides(overrides):
        key, text = override.key, override.text
        if key in seen:
            raise UserError(f"{key} is given twice")
        seen.add(key)
        if (conf / key).is_dir() and key != "plugins":
            _check_group(conf / key, text.partition("=")[2])
        elif key.split(".")[0] in MADE_BY_PLAN:
            raise UserError(f"{key} is made by the plan itself and cannot be given")
        elif not _has_path(schema, key):
            raise UserError(f"there is no parameter {key}{_nearest(key, names)}")
        elif key in ENTRIES:
            _check_entries(key, override.value)


def _check_entries(key: str, entries: Any) -> None:
    """Type errors by entry: Hydra would not say which."""
    for number, entry in enumerate(entries if isinstance(entries, list) else [], start=1):
        try:
            OmegaConf.merge(OmegaConf.structured(ENTRIES[key]), entry)
        except (OmegaConfBaseException, TypeError, ValueError) as error:
            raise UserError(f"{key} entry {number}: {sentence(error)}") from error


def _check_group(folder: Path, choice: str) -> None:
    options = sorted(path.stem for path in folder.glob("*.yaml"))
    if choice.strip("'\"") not in options:
        raise UserError(f"there is no {folder.name} {choice}; there are {', '.join(options)}")


def _has_path(schema: DictConfig, path: str) -> bool:
    node: Any = schema
    for part in path.split("."):
        if not isinstance(node, DictConfig) or part not in node._content:  # type: ignore[operator]
            return False
        node = node._get_node(part)
    return True


def _nearest(name: str, names: list[str]) -> str:
    found = difflib.get_close_matches(name, names, n=1)
    return f"; do you mean {found[0]}?" if found else ""
