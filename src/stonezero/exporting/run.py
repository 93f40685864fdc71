"""`stonezero export`: a file, checked, and for int8 a report of what it loses."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from stonezero.arena.contest import describe_result
from stonezero.exporting.files import (
    check_target,
    largest_difference,
    metadata,
    prepared,
    write_onnx,
    write_openvino,
)
from stonezero.exporting.loss import measured_loss, played_match, recorded_positions
from stonezero.files import write_text
from stonezero.games import Game
from stonezero.games.notation import describe
from stonezero.network.checkpoint import Checkpoint
from stonezero.terminal import game_of


class Order(NamedTuple):
    """What is to be exported, and how an int8 net is measured."""

    checkpoint: Path
    out: Path
    kind: str  #: onnx, openvino or int8
    positions: Path  #: folder of a run or generation with self-play games
    pairs: int  #: of a match of int8 against f32, 0 for none
    simulations: int  #: of both sides in that match


def export(order: Order) -> str:
    """Write the file (for int8 also OUT.json) and say in words what was written.

    Raises UserError, with nothing written, where names or records don't fit.
    """
    check_target(order.out, order.kind)
    checkpoint = Checkpoint.load(order.checkpoint)
    game = game_of(checkpoint)
    title = f"{order.out}: {order.kind}, {describe(game)}, planes {', '.join(checkpoint.network.planes)}"
    if order.kind == "int8":
        return f"{title}\n{_export_int8(order, game, checkpoint)}"
    write = write_onnx if order.kind == "onnx" else write_openvino
    write(order.out, prepared(game, checkpoint, "f32"), metadata(checkpoint, "f32"))
    difference = largest_difference(order.out, game, checkpoint)
    return f"{title}\n  largest difference from torch {difference:.1e}"


def _export_int8(order: Order, game: Game, checkpoint: Checkpoint) -> str:
    positions = recorded_positions(order.positions, game, list(checkpoint.network.planes))
    network = prepared(game, checkpoint, "int8")
    f32, int8 = (
        made.open().evaluate(positions.planes) for made in (prepared(game, checkpoint, "f32"), network)
    )
    figures = measured_loss(positions, f32, int8)
    lines = [_describe(figures)]
    if order.pairs:
        result = played_match(game, checkpoint, order.pairs, order.simulations)
        figures["match"] = {**asdict(result), "simulations": order.simulations}
        lines.append(describe_result(result))
    write_onnx(order.out, network, metadata(checkpoint, "int8"))
    report = {"checkpoint": checkpoint.digest, "game": checkpoint.game, **figures}
    write_text(order.out.with_suffix(".json"), json.dumps(report, indent=1, sort_keys=True) + "\n")
    return "\n".join(lines)


def _describe(figures: dict[str, float]) -> str:
    return (
        f"  on {figures['positions']} self-play positions: same best move as f32 on "
        f"{figures['top1_agreement']:.2%}, KL {figures['kl_nats']:.5f} nats\n"
        f"  search's move {figures['top1_int8']:.2%}, f32 {figures['top1_f32']:.2%}: "
        f"{figures['top1_loss_points']:+.2f} points lost (aim: at most 0.7)\n"
        f"  value: mean squared error {figures['value_mse']:.6f} (aim: at most 0.03), "
        f"largest error {figures['value_largest_error']:.3f}"
    )
