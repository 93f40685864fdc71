"""Methods of search and self-play that cannot go together, or that a game cannot have.

Ranges of single numbers are in `validation.py`, which calls this for the sections of every generation.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from omegaconf import DictConfig, OmegaConf

from stonezero.config.schema import NoisePhase, PlyValue
from stonezero.errors import UserError

ADAPTIVE = ("c_base", "visit_exponent_slope", "forced_playouts")
"""Switches of PUCT that UCB1 has no use for."""

OF_GOMOKU = ("search.candidate_radius", "search.max_children", "selfplay.centre_ban_plies")
"""Ways to leave legal moves out: safe only where winning and saving moves are known at a glance."""


def check_methods(game: str, search: DictConfig, selfplay: DictConfig, where: str) -> None:
    """Raise UserError, one sentence that ends in `where`, at the first impossible combination."""
    _check_search(search, where)
    _check_schedules(search, selfplay, where)
    _check_selfplay(search, selfplay, where)
    sections = OmegaConf.create({"search": search, "selfplay": selfplay})
    if game != "gomoku":
        for path in OF_GOMOKU:
            _require(not OmegaConf.select(sections, path), f"{path}{where} is for gomoku: {game} has no such")
        _require(not selfplay.end_when_decided, f"selfplay.end_when_decided{where} is for gomoku, not {game}")


def _check_search(search: DictConfig, where: str) -> None:
    if search.selection == "uct":
        for name in ADAPTIVE:
            _require(search[name] == 0, f"search.selection uct{where} has no {name}: set it to 0")
    _require(
        search.visit_exponent_slope == 0 or search.visit_exponent <= search.visit_exponent_max,
        f"search.visit_exponent is {search.visit_exponent:g}{where}, above visit_exponent_max, "
        f"{search.visit_exponent_max:g}",
    )
    if search.evaluator == "rollouts" and search.rollout_plies == 0:
        for name, off in (("symmetric_evaluation", "none"), ("cache_size", 0)):
            _require(
                search[name] == off,
                f"search.{name}{where} is about the net, which whole rollouts never ask: set it to {off}",
            )
    _require(
        search.evaluator == "rollouts" or search.rollout_plies == 0,
        f"search.rollout_plies is {search.rollout_plies}{where}, but search.evaluator is network: "
        "say rollouts, or 0 plies",
    )
    phases = search.root_noise_phases
    _require(
        not phases or search.root_noise != "fixed",
        f"search.root_noise_phases{where} give concentrations, which search.root_noise fixed has none of: "
        "say by_legal or shaped",
    )
    if search.gumbel_considered:
        has_noise = any(phase.fraction for phase in phases) if phases else search.root_noise_fraction > 0
        clashes = {
            "root noise (search.root_noise_fraction, root_noise_phases)": has_noise,
            "search.reuse_tree": search.reuse_tree,
            "search.forced_playouts": search.forced_playouts > 0,
            "search.selection uct": search.selection == "uct",
        }
        for name, is_on in clashes.items():
            _require(not is_on, f"search.gumbel_considered{where} cannot go with {name}: switch one off")


def _check_selfplay(search: DictConfig, selfplay: DictConfig, where: str) -> None:
    _require(
        selfplay.full_search_share == 1 or selfplay.cheap_simulations < selfplay.simulations,
        f"selfplay.cheap_simulations is {selfplay.cheap_simulations}{where}, but must be below "
        f"selfplay.simulations, {selfplay.simulations}",
    )
    _require(
        selfplay.full_search_share > 0,
        f"selfplay.full_search_share is 0{where}: no move would be a policy target",
    )
    shares = [selfplay[f"{name}_share"] for name in ("random_opening", "opening_book", "earlier_game")]
    _require(
        sum(shares) <= 1 + 1e-9,
        f"the shares of random openings, book and earlier games add up to {sum(shares):g}{where}, above 1",
    )
    _require(
        selfplay.opening_book_share == 0 or len(selfplay.opening_book) > 0,
        f"selfplay.opening_book_share is {selfplay.opening_book_share:g}{where}, "
        "but selfplay.opening_book has no lines",
    )
    _require(
        selfplay.resign_threshold == -1 or selfplay.resign_control_share > 0,
        f"selfplay.resign_control_share is 0{where}: nobody would know how many resignations are false",
    )
    _require(
        not search.gumbel_considered or selfplay.target_temperature == 1,
        f"selfplay.target_temperature{where} is about visits; a Gumbel search has a target of its own: set 1",
    )


def _check_schedules(search: DictConfig, selfplay: DictConfig, where: str) -> None:
    check_points("search.prior_temperature", search.prior_temperature, 0.01, 100, where)
    check_points("selfplay.temperature_points", selfplay.temperature_points, 0, 10, where)
    name = "search.root_noise_phases"
    _check_starts(name, search.root_noise_phases, where)
    for phase in search.root_noise_phases:
        _require(0 <= phase.fraction <= 1, f"{name}{where}: a fraction is {phase.fraction:g}, not in 0..1")
        _require(
            0 < phase.concentration < math.inf,
            f"{name}{where}: a concentration is {phase.concentration:g}, but must be above 0",
        )
    if selfplay.temperature_shape == "exponential":
        points = [point.value for point in selfplay.temperature_points]
        values = points or [selfplay.temperature, selfplay.final_temperature]
        _require(min(values) > 0, f"an exponential selfplay.temperature_shape{where} needs values above 0")


def check_points(name: str, points: Sequence[PlyValue], low: float, high: float, where: str) -> None:
    """Starts ascend from 0, values lie in low..high."""
    _check_starts(name, points, where)
    for point in points:
        _require(
            low <= point.value <= high,
            f"{name}{where}: {point.value:g} from ply {point.start} on is not in {low:g}..{high:g}",
        )


def _check_starts(name: str, phases: Sequence[PlyValue | NoisePhase], where: str) -> None:
    for phase in phases:
        missing: Any = OmegaConf.missing_keys(phase)
        _require(not missing, f"{name}{where}: an entry has no {min(missing, default='')}")
    starts = [phase.start for phase in phases]
    _require(not starts or starts[0] == 0, f"{name}{where}: the first entry must start at ply 0")
    for earlier, later in pairwise(starts):
        _require(earlier < later, f"{name}{where}: start {later} comes after {earlier}; starts must ascend")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise UserError(message)
