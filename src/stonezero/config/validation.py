"""Values that are of the right type and still impossible: one clear sentence for each.

The rules of the games themselves (k against the board, odd Othello boards, planes) are checked by
`stonezero.games`; `stonezero.plan` calls both.
"""

import math
from dataclasses import asdict
from typing import Any

from omegaconf import DictConfig, OmegaConf

from stonezero.config.generations import MOST, SECTIONS, section_of
from stonezero.config.learning import check_learning, check_named_file
from stonezero.config.methods import check_methods
from stonezero.config.schema import NetworkConfig
from stonezero.errors import UserError

INFINITY = math.inf

#: (lowest, highest) allowed value of each number
RANGES: dict[str, tuple[float, float]] = {
    "seed": (0, 2**63 - 1),
    "iterations": (1, MOST),
    "network.channels": (8, 512),
    "network.blocks": (0, 40),
    "network.pooling_every": (0, 40),
    "network.policy_channels": (1, 256),
    "network.value_channels": (1, 256),
    "network.value_hidden": (1, 1024),
    "search.rollout_plies": (0, 10_000),
    "search.cache_size": (0, 100_000_000),
    "search.value_clip": (0, 1),
    "search.c_puct": (1e-6, INFINITY),
    "search.c_base": (0, INFINITY),
    "search.visit_exponent": (0, 1),
    "search.visit_exponent_slope": (0, 1),
    "search.visit_exponent_max": (0, 1),
    "search.fpu_reduction": (0, 1),
    "search.fpu_value": (-1, 1),
    "search.root_noise_fraction": (0, 1),
    "search.root_noise_concentration": (1e-6, INFINITY),
    "search.root_noise_alpha": (1e-6, INFINITY),
    "search.forced_playouts": (0, 100),
    "search.gumbel_considered": (0, 1024),
    "search.gumbel_c_visit": (0, INFINITY),
    "search.gumbel_c_scale": (1e-6, INFINITY),
    "search.candidate_radius": (0, 20),
    "search.max_children": (0, 400),
    "search.candidate_free_plies": (0, 400),
    "search.max_depth": (0, 10_000),
    "search.stop_visits": (0, INFINITY),
    "search.leaves_per_wave": (1, 64),
    "search.virtual_loss": (1, 10),
    "selfplay.games": (1, 10_000_000),
    "selfplay.evaluations": (0, INFINITY),
    "selfplay.simulations": (2, 1_000_000),
    "selfplay.full_search_share": (0, 1),
    "selfplay.cheap_simulations": (2, 1_000_000),
    "selfplay.slots": (1, 65536),
    "selfplay.shard_games": (1, INFINITY),
    "selfplay.random_opening_share": (0, 1),
    "selfplay.random_opening_plies": (1, 400),
    "selfplay.opening_book_share": (0, 1),
    "selfplay.earlier_game_share": (0, 1),
    "selfplay.random_move_share": (0, 1),
    "selfplay.random_move_plies": (0, INFINITY),
    "selfplay.centre_ban_plies": (0, 400),
    "selfplay.temperature": (0, 10),
    "selfplay.temperature_plies": (0, INFINITY),
    "selfplay.final_temperature": (0, 10),
    "selfplay.solve_empties": (0, 20),
    "selfplay.target_temperature": (0.01, 10),
    "selfplay.resign_threshold": (-1, 0),
    "selfplay.resign_plies": (1, 1000),
    "selfplay.resign_control_share": (0, 1),
    "selfplay.resign_max_false_rate": (0, 1),
    "buffer.window_generations": (1, INFINITY),
    "buffer.max_positions": (1, INFINITY),
    "buffer.held_out_fraction": (0, 0.5),
    "buffer.max_games": (0, INFINITY),
    "buffer.power_law_positions": (0, INFINITY),
    "buffer.power_law_alpha": (0.01, 1),
    "buffer.power_law_beta": (0, 1),
    "buffer.rare_below": (1, INFINITY),
    "buffer.rare_weight": (0, INFINITY),
    "buffer.kl_threshold": (0, INFINITY),
    "buffer.kl_drop": (0, 1),
    "buffer.surprise_share": (0, 1),
    "buffer.quality_open_four": (0, 1),
    "buffer.quality_simple_four": (0, 1),
    "buffer.quality_decided": (0, 1),
    "train.samples_per_position": (1e-6, INFINITY),
    "train.batch_size": (1, 65536),
    "train.lr": (1e-12, INFINITY),
    "train.momentum": (0, 1),
    "train.weight_decay": (0, INFINITY),
    "train.lr_step_factor": (0, 1),
    "train.warmup_steps": (0, INFINITY),
    "train.value_weight": (0, INFINITY),
    "train.gradient_clip": (0, INFINITY),
    "train.epochs": (0, INFINITY),
    "train.onecycle_warmup_share": (0, 1),
    "train.policy_weight": (0, INFINITY),
    "train.huber_delta": (1e-6, INFINITY),
    "train.entropy_bonus": (0, INFINITY),
    "train.ownership_weight": (0, INFINITY),
    "train.score_weight": (0, INFINITY),
    "train.reply_weight": (0, INFINITY),
    "train.freeze_epochs": (0, INFINITY),
    "train.ema_decay": (0, 1),
    "train.swa_share": (1e-6, 1),
    "train.checkpoint_steps": (1, INFINITY),
    "train.threads": (1, 256),
    "gate.simulations": (2, 1_000_000),
    "gate.slots": (1, 65536),
    "gate.opening_plies": (1, 400),
    "gate.round_pairs": (1, INFINITY),
    "gate.max_pairs": (1, INFINITY),
    "gate.elo0": (-INFINITY, INFINITY),
    "gate.elo1": (-INFINITY, INFINITY),
    "gate.alpha": (1e-6, 0.5),
    "gate.beta": (1e-6, 0.5),
    "gate.accept_score_at_cap": (0.5, 1),
    "gate.accept_score": (0.501, 1),
    "gate.anchor_pairs": (0, INFINITY),
    "gate.anchor_every": (1, INFINITY),
    "gate.archive_champions": (0, INFINITY),
    "gate.archive_pairs": (0, INFINITY),
    "elo.prior_games": (1e-6, INFINITY),
    "elo.confidence": (0.5, 0.999),
}

CHOICES: dict[str, tuple[str, ...]] = {
    "network.heads": ("pooled", "dense"),
    "network.value": ("wdl", "tanh"),
    "network.block": ("plain", "bottleneck", "depthwise"),
    "network.stem_padding": ("zeros", "ones", "replicate"),
    "network.trunk": ("shared", "separate"),
    "gate.rule": ("sprt", "score", "two_sigma", "archive_mean", "archive_weakest"),
    "search.evaluator": ("network", "rollouts"),
    "search.symmetric_evaluation": ("none", "random", "mean"),
    "search.selection": ("puct", "uct"),
    "search.fpu": ("parent", "absolute"),
    "search.root_noise": ("by_legal", "fixed", "shaped"),
    "selfplay.temperature_shape": ("step", "linear", "exponential"),
    "buffer.sampling": ("positions", "games"),
    "train.start": ("last", "champion", "scratch", "file"),
    "train.optimizer": ("adam", "adamw", "sgd"),
    "train.lr_schedule": ("constant", "cosine", "step", "onecycle"),
    "train.value_loss": ("auto", "cross_entropy", "mse", "huber"),
    "train.freeze_head": ("none", "policy", "value"),
    "train.symmetry": ("random", "all8", "none"),
    "train.averaging": ("none", "ema", "swa"),
    "train.device": ("cpu", "cuda"),
    "train.precision": ("f32", "bf16", "fp16"),
}

AUXILIARY = ("ownership", "score", "reply")  #: heads that may be trained beside policy and value


def validate(params: DictConfig) -> None:
    """Raise UserError, one sentence, at the first impossible value of any generation."""
    if missing := OmegaConf.missing_keys(params):
        raise UserError(f"{min(missing)} has no value")
    _check_values(params, "")
    network: Any = OmegaConf.to_object(params.network)
    check_network(network)
    checked: list[Any] = []
    for name, generation in params.generations.items():
        overrides = {section: generation[section] for section in SECTIONS}
        if overrides not in checked:
            checked.append(overrides)
            sections = {section: section_of(params, name, section) for section in SECTIONS}
            _check_values(OmegaConf.create(sections), f" in generation {name}")
            _check_gate(params, sections["gate"], f" in generation {name}")
            check_methods(
                params.game.name, sections["search"], sections["selfplay"], f" in generation {name}"
            )
            check_learning(params, sections, f" in generation {name}")


def check_network(network: NetworkConfig) -> None:
    """Raise UserError for a net that can't be built, wherever its description comes from."""
    _check_values(OmegaConf.create({"network": asdict(network)}), "")
    if not network.planes:
        raise UserError("network.planes is empty; the net needs at least one input plane")
    for number, name in enumerate(network.auxiliary):
        if name not in AUXILIARY:
            raise UserError(f"network.auxiliary names {name}, but must be of {', '.join(AUXILIARY)}")
        if name in network.auxiliary[:number]:
            raise UserError(f"network.auxiliary names {name} twice")


def _check_values(params: DictConfig, where: str) -> None:
    for path, (low, high) in RANGES.items():
        value: Any = OmegaConf.select(params, path)
        if value is not None and not (low <= value <= high and math.isfinite(value)):
            raise UserError(f"{path} is {value}{where}, but {_allowed(low, high)}")
    for path, allowed in CHOICES.items():
        value = OmegaConf.select(params, path)
        if value is not None and value not in allowed:
            raise UserError(f"{path} is {value}{where}, but must be one of {', '.join(allowed)}")


def _allowed(low: float, high: float) -> str:
    if math.isinf(low):
        return "must be finite"
    if math.isinf(high):
        return "must be above 0" if 0 < low < 1 else f"must be at least {low}"
    return f"must lie between {low} and {high}"


def _check_gate(params: DictConfig, gate: DictConfig, where: str) -> None:
    check_named_file(params, gate, "gate.openings", "gate.openings_digest", where)
    if gate.elo1 <= gate.elo0:
        raise UserError(f"gate.elo1 is {gate.elo1:g}{where}, but must be above gate.elo0, here {gate.elo0:g}")
    for name in ("archive_champions", "archive_pairs"):
        if gate.rule.startswith("archive_") and gate[name] < 1:
            raise UserError(f"gate.{name} is {gate[name]}{where}, but gate.rule {gate.rule} needs at least 1")
    if gate.max_pairs < gate.round_pairs:
        raise UserError(f"gate.max_pairs is {gate.max_pairs}{where}, but one round has {gate.round_pairs}")
