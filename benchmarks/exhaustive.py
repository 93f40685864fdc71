"""python -m benchmarks.exhaustive [PATH]: does a net lose any line of play on a tiny board?

The net plays one seat with 64 simulations at temperature 0; the other seat plays every legal move in turn, so
every line that the net can meet is enumerated, from either seat. Meant for tic-tac-toe.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from omegaconf import OmegaConf

from benchmarks.report import print_report
from stonezero.config import paths
from stonezero.errors import UserError
from stonezero.games import BLACK, DRAW, ONGOING, WHITE, Game, make_game
from stonezero.games.position import Positions, copy_rows
from stonezero.network.checkpoint import Checkpoint
from stonezero.players.player import Player
from stonezero.players.players import parse_player
from stonezero.players.settings import search_settings

MOST_POINTS = 9


def count_lines(game: Game, player: Player, seat: int) -> Counter[str]:
    """Lines won, drawn and lost by `player` in `seat` against all replies; transpositions count apart."""
    results: Counter[str] = Counter()
    positions = game.new_positions(1)
    while len(positions.status):
        rows = np.arange(len(positions.status))
        mine = rows[positions.turn == seat]
        chosen = player.choose(positions, mine, np.zeros(len(mine), np.uint64)) if len(mine) else []
        legal = np.zeros((len(rows), game.num_actions), np.uint8)
        game.legal_moves(positions, rows, legal)
        legal[mine] = 0
        legal[mine, chosen] = 1
        parents, moves = np.nonzero(legal)
        children = copy_rows(positions, parents)
        masks = np.zeros((len(parents), game.num_actions), np.uint8)
        here = np.arange(len(parents))
        game.play(children, here, moves.astype(np.int16), here, masks)
        status = children.status
        results["drawn"] += int((status == DRAW).sum())
        results["won"] += int((status == seat).sum())
        results["lost"] += int(((status != ONGOING) & (status != DRAW) & (status != seat)).sum())
        positions = Positions(*copy_rows(children, np.flatnonzero(status == ONGOING)))
    return results


def exhaustive(path: Path, simulations: int) -> list[dict[str, Any]]:
    """One row for each seat."""
    params = OmegaConf.load("params.yaml")
    game = make_game(**Checkpoint.load(path).game)
    if game.num_points > MOST_POINTS:
        raise UserError(f"{path} plays {game.size}x{game.size}: its lines are too many; a 3x3 net is wanted")
    settings = search_settings(params.search)
    player = parse_player(f"net:{path}:sims={simulations}", game, params.inference, settings).open(game, 64)
    rows = []
    for seat, name in ((BLACK, "black"), (WHITE, "white")):
        lines = count_lines(game, player, seat)
        rows.append(
            {"board": f"{game.name} {game.size}x{game.size}", "seat": name, **dict(sorted(lines.items()))}
        )
    return rows


def main(
    path: Annotated[Path | None, typer.Argument(help="Checkpoint; by default the last champion.")] = None,
    simulations: int = 64,
) -> None:
    last = str(OmegaConf.load("params.yaml").last)
    try:
        print_report("exhaustive", exhaustive(path or paths.champion(last), simulations))
    except UserError as error:
        sys.exit(f"exhaustive: {error}")


if __name__ == "__main__":
    typer.run(main)
