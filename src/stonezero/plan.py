"""The plan: conf/ and overrides composed, checked against the games, written to params.yaml."""

import shlex
import subprocess
from pathlib import Path

import yaml
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from stonezero.arena.opening_sets import read_openings
from stonezero.config.composition import (
    PARAMS_FILE,
    compose_params,
    differences,
    flat_params,
    parse_overrides,
    sentence,
    to_yaml,
    typed,
)
from stonezero.config.generations import section_of
from stonezero.config.validation import validate
from stonezero.errors import UserError
from stonezero.files import write_text
from stonezero.games import Game, make_game
from stonezero.games.planes import plane_codes
from stonezero.network.inference import check_inference
from stonezero.players.players import parse_player
from stonezero.players.settings import search_settings
from stonezero.selfplay.openings import parse_book
from stonezero.solvers.endgame import EndgameError, EndgameSolver
from stonezero.tactics.sets import sets_of


def make_plan(root: Path, overrides: list[str]) -> DictConfig:
    """Params of the checkout at `root` with `overrides`; a UserError where they cannot work together."""
    if not (root / "conf" / "config.yaml").is_file():
        raise UserError(f"there is no conf/config.yaml in {root}: run this in a checkout of stonezero")
    params = compose_params(root / "conf", overrides)
    check_against_games(params)
    return params


def check_against_games(params: DictConfig) -> None:
    """Let game and backend judge what they get: board, planes, openings and anchors, device and precision."""
    game = make_game(**params.game)
    planes = list(params.network.planes)
    plane_codes(planes, game)
    if repeated := _first_repeated(planes):
        raise UserError(f"network.planes names {repeated} twice")
    check_inference(params.inference)
    half = game.max_plies // 2
    checked = []
    for name in params.generations:
        gate, selfplay = (section_of(params, name, section) for section in ("gate", "selfplay"))
        if (gate, selfplay) not in checked:
            checked.append((gate, selfplay))
            if selfplay.solve_empties:
                _check_solver(game, name)
            _check_plies("selfplay.random_opening_plies", selfplay.random_opening_plies, half, name, game)
            _check_plies("gate.opening_plies", gate.opening_plies, half - 1, name, game)
            _check_anchors(params, gate, game)
            if gate.openings:
                read_openings(Path(gate.openings), game)
            if gate.tactics:
                sets_of(game)
            parse_book(selfplay.opening_book, game)


def _check_solver(game: Game, generation: str) -> None:
    """`selfplay.solve_empties` needs a game whose endings can be solved."""
    try:
        EndgameSolver(game)
    except EndgameError as error:
        raise UserError(f"selfplay.solve_empties is set in generation {generation}, but {error}") from None


def _check_plies(path: str, plies: int, most: int, generation: str, game: Game) -> None:
    """An opening must leave a game to play."""
    if plies > most:
        raise UserError(
            f"{path} is {plies} in generation {generation}, "
            f"but must be at most {most} for {game.name} on size {game.size}"
        )


def _check_anchors(params: DictConfig, gate: DictConfig, game: Game) -> None:
    """Anchors are fixed for good, and each is a player of its own."""
    if repeated := _first_repeated(list(gate.anchors)):
        raise UserError(f"gate.anchors names {repeated} twice")
    for text in gate.anchors:
        if text.startswith("net:"):
            raise UserError(
                f"gate.anchors: {text} is no anchor, since files change: say random or rollouts:sims=64"
            )
        parse_player(text, game, params.inference, search_settings(params.search))


def _first_repeated(texts: list[str]) -> str | None:
    return next((text for number, text in enumerate(texts) if text in texts[:number]), None)


def check_plan(root: Path, is_composed_by_dvc: bool = False) -> None:
    """Raise UserError unless params.yaml says what conf/ and the plan's own overrides say.

    What `dvc exp run` composed has other overrides, unknown here unless it was told to keep them as `plan`:
    its values are checked, not compared, but they must not leave out what the committed plan says.
    """
    params = read_plan(root)
    if is_composed_by_dvc and not params.plan:
        validate(params)
        check_against_games(params)
        _check_keeps_plan(root, params)
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


def _check_keeps_plan(root: Path, params: DictConfig) -> None:
    """`dvc exp run` composes conf/ with its -S options alone: refuse where that undoes the committed plan."""
    plan = _committed_plan(root)
    if dropped := [text for text in plan if _is_dropped(root, params, plan, text)]:
        options = shlex.join(part for text in dropped for part in ("-S", text))
        raise UserError(f"`dvc exp run` leaves out overrides of the plan in {PARAMS_FILE}: add {options}")


def _committed_plan(root: Path) -> list[str]:
    """The overrides of the plan in git's HEAD; none where there is no git or no plan."""
    command = ["git", "show", f"HEAD:./{PARAMS_FILE}"]
    try:
        answer = subprocess.run(command, cwd=root, capture_output=True, timeout=10, check=True)
        plan = yaml.safe_load(answer.stdout)["plan"]
    except (OSError, subprocess.SubprocessError, YAMLError, KeyError, TypeError):
        return []
    return [str(text) for text in plan or []]


def _is_dropped(root: Path, params: DictConfig, plan: list[str], text: str) -> bool:
    """Whether `params` have what a plan without the override `text` has, wherever it makes a difference."""
    (override,) = parse_overrides([text])
    values, planned = flat_params(params), flat_params(make_plan(root, plan))
    for others in ([], [other for other in plan if other != text]):
        without = flat_params(make_plan(root, others))
        changed = [
            path for path in planned if planned[path] != without.get(path) and _lies_in(path, override.key)
        ]
        if changed and all(values.get(path) == without.get(path) for path in changed):
            return True
    return False


def _lies_in(path: str, key: str) -> bool:
    return path == key or path.startswith(f"{key}.")


def write_plan(root: Path, params: DictConfig) -> bool:
    """Write params.yaml; False if it said the same already."""
    file, text = root / PARAMS_FILE, to_yaml(params)
    if file.exists() and file.read_bytes() == text.encode():
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
    except (OmegaConfBaseException, YAMLError, OSError, TypeError, UnicodeDecodeError) as error:
        raise UserError(f"{PARAMS_FILE}: {sentence(error)}; run `stonezero plan` to make it anew") from error


def extended(old: list[str], new: list[str]) -> list[str]:
    """Overrides `old` with `new` after them; of two for the same key the new one stays."""
    replaced = {override.key for override in parse_overrides(new)}
    return [override.text for override in parse_overrides(old) if override.key not in replaced] + list(new)
