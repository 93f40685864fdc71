"""The plan: conf/ and overrides composed, checked against the games, written to params.yaml."""

import shlex
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from stonezero.config.composition import (
    PARAMS_FILE,
    compose_params,
    differences,
    parse_overrides,
    sentence,
    to_yaml,
    typed,
)
from stonezero.config.generations import section_of
from stonezero.config.validation import validate
from stonezero.errors import UserError
from stonezero.files import write_text
from stonezero.games import make_game
from stonezero.games.planes import plane_codes
from stonezero.players.batch_search import search_settings
from stonezero.players.players import parse_player


def make_plan(root: Path, overrides: list[str]) -> DictConfig:
    """Params of the checkout at `root` with `overrides`; a UserError where they cannot work together."""
    if not (root / "conf" / "config.yaml").is_file():
        raise UserError(f"there is no conf/config.yaml in {root}: run this in a checkout of stonezero")
    params = compose_params(root / "conf", overrides)
    check_against_games(params)
    return params


def check_against_games(params: DictConfig) -> None:
    """Let the game judge the board, the row's length and the input planes; read the anchors' texts."""
    game = make_game(**params.game)
    plane_codes(params.network.planes, game)
    for text in {text for name in params.generations for text in section_of(params, name, "gate").anchors}:
        parse_player(text, game, params.inference, search_settings(params.search))


def check_plan(root: Path, is_composed_by_dvc: bool = False) -> None:
    """Raise UserError unless params.yaml says what conf/ and the plan's own overrides say.

    What `dvc exp run` composed has other overrides, unknown here: its values are checked, not compared.
    """
    params = read_plan(root)
    if is_composed_by_dvc:
        validate(params)
        check_against_games(params)
        return
    plan = list(params.plan)
    expected = make_plan(root, plan)
    if found := differences(params, expected):
        values = [OmegaConf.select(side, found[0]) for side in (params, expected)]
        raise UserError(
            f"{PARAMS_FILE} does not say what conf/ says ({found[0]} is {values[0]}, not {values[1]}): "
            "set values in conf/ or by `stonezero plan key=value`; "
            f"`{shlex.join(['stonezero', 'plan', *plan])}` makes {PARAMS_FILE} anew"
        )


def write_plan(root: Path, params: DictConfig) -> bool:
    """Write params.yaml; False if it said the same already."""
    file, text = root / PARAMS_FILE, to_yaml(params)
    if file.exists() and file.read_text(encoding="utf-8") == text:
        return False
    write_text(file, text)
    return True


def read_plan(root: Path) -> DictConfig:
    """Params as params.yaml has them, typed."""
    file = root / PARAMS_FILE
    try:
        return typed(OmegaConf.load(file))
    except FileNotFoundError:
        raise UserError(f"there is no {PARAMS_FILE} in {root}: run `stonezero plan`") from None
    except (OmegaConfBaseException, YAMLError) as error:
        raise UserError(f"{PARAMS_FILE}: {sentence(error)}; run `stonezero plan` to make it anew") from error


def extended(old: list[str], new: list[str]) -> list[str]:
    """Overrides `old` with `new` after them; of two for the same key the new one stays."""
    replaced = {override.key for override in parse_overrides(new)}
    return [override.text for override in parse_overrides(old) if override.key not in replaced] + list(new)
