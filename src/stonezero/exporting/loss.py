"""What int8 loses against f32: on recorded self-play positions, and in a match."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stonezero.arena.contest import ContestSettings, Result, default_opening_plies, play_contest, result_of
from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.games import Game
from stonezero.games.planes import plane_codes, write_planes
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.inference import Evaluation, Planes
from stonezero.players.players import network_spec
from stonezero.records import RecordTable, read_shard
from stonezero.records.schema import concatenate
from stonezero.replay.recorded import generations, shards_of
from stonezero.terminal import PLAY_SETTINGS

MOST_POSITIONS = 4096
AIM_TOP1_POINTS = 0.7
AIM_VALUE_MSE = 0.03
SEED = 8


class Positions(NamedTuple):
    """Searched positions of self-play."""

    planes: Planes  #: float32[P, C, H, W]
    legal: NDArray[np.bool_]  #: bool[P, A]
    visits: NDArray[np.int64]  #: int64[P, A], of the search


def recorded_positions(folder: Path, game: Game, planes: list[str]) -> Positions:
    """At most MOST_POSITIONS fully searched positions of a run or generation, drawn by a fixed seed.

    UserError where there are no such records, or of another game.
    """
    shards = [path for generation in generations(folder) for path in shards_of(generation)]
    table = concatenate([read_shard(path, game.spec()) for path in shards])
    rows = np.flatnonzero(table.is_full_search & ~table.is_opening & (np.diff(table.visit_offsets) > 0))
    if not len(rows):
        raise UserError(f"{folder}: none of its positions was searched in full")
    chosen = np.random.default_rng(SEED).permutation(rows)[:MOST_POSITIONS]
    return _arrays(table.select(np.sort(chosen)), game, planes)


def _arrays(table: RecordTable, game: Game, names: list[str]) -> Positions:
    positions, rows = table.positions(), np.arange(len(table))
    legal = np.zeros((len(table), game.num_actions), np.uint8)
    game.legal_moves(positions, rows, legal)
    planes = np.zeros((len(table), len(names), game.num_points), np.float32)
    write_planes(positions, rows, legal, plane_codes(names, game), planes)
    visits = np.zeros((len(table), game.num_actions), np.int64)
    visits[np.repeat(rows, np.diff(table.visit_offsets)), table.visit_moves] = table.visit_counts
    return Positions(planes.reshape(len(table), len(names), game.size, game.size), legal == 1, visits)


def measured_loss(positions: Positions, f32: Evaluation, int8: Evaluation) -> dict[str, Any]:
    """Figures of the loss, JSON-ready, from logits float32[P, A] and values float32[P] of both nets.

    top1_f32 and top1_int8: share of positions whose likeliest legal move is (one of) the search's most
    visited; top1_loss_points: their difference in hundredths. kl_nats: mean KL(f32 | int8) over legal moves.
    """
    policies = [_log_policy(logits, positions.legal) for logits, _ in (f32, int8)]
    best = [policy.argmax(axis=1) for policy in policies]
    rows, most = np.arange(len(best[0])), positions.visits.max(axis=1)
    hits = [float((positions.visits[rows, moves] == most).mean()) for moves in best]
    surplus = np.zeros(positions.legal.shape)
    np.subtract(policies[0], policies[1], out=surplus, where=positions.legal)
    error = f32[1].astype(np.float64) - int8[1]
    loss = 100 * (hits[0] - hits[1])
    mse = float((error**2).mean())
    return {
        "positions": len(rows),
        "top1_agreement": float((best[0] == best[1]).mean()),
        "top1_f32": hits[0],
        "top1_int8": hits[1],
        "top1_loss_points": loss,
        "kl_nats": float((np.exp(policies[0]) * surplus).sum(axis=1).mean()),
        "value_mse": mse,
        "value_largest_error": float(np.abs(error).max()),
        "is_within_aim": loss <= AIM_TOP1_POINTS and mse <= AIM_VALUE_MSE,
    }


def _log_policy(logits: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Logarithms float64[P, A] of the policy over legal moves, -inf elsewhere."""
    masked = np.where(legal, logits.astype(np.float64), -np.inf)
    masked -= masked.max(axis=1, keepdims=True)
    policy: NDArray[np.float64] = masked - np.log(np.exp(masked).sum(axis=1, keepdims=True))
    return policy


def played_match(game: Game, checkpoint: Checkpoint, pairs: int, simulations: int) -> Result:
    """int8 against f32 in colour-swapped pairs, with a search of `simulations`."""
    specs = [
        network_spec(
            name,
            checkpoint,
            game,
            InferenceConfig("onnxruntime", name, 64, "cpu"),
            PLAY_SETTINGS,
            simulations,
        )
        for name in ("int8", "f32")
    ]
    settings = ContestSettings(pairs, default_opening_plies(game), seed=SEED, slots=64)
    *_, table = play_contest(game, specs[0], specs[1], settings)
    return result_of(table, "int8", "f32")
