"""python -m benchmarks.strength [PATH]: how strong is the last champion of the run in this checkout?

Colour-swapped games from distinct random two-stone openings, 64 simulations a move, against `random`, the
untrained net and rollout search with as many simulations. Other opponents: --against TEXT (repeatable).
"""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from omegaconf import OmegaConf

from benchmarks.report import print_report
from stonezero.arena.matches import Match, match_seed, play_matches
from stonezero.arena.openings import balanced_openings
from stonezero.arena.tables import distinct_games, points
from stonezero.config import paths
from stonezero.games import make_game
from stonezero.network.checkpoint import Checkpoint
from stonezero.players.players import parse_player
from stonezero.players.settings import search_settings

OPENING_PLIES = 2


def strength(
    path: Path, opponents: list[str], pairs: int, simulations: int, seed: int
) -> list[dict[str, Any]]:
    """Score of the net at `path` against each opponent, with a 95% interval over pairs."""
    params = OmegaConf.load("params.yaml")
    game = make_game(**Checkpoint.load(path).game)
    settings = search_settings(params.search)

    def judge(positions: Any, rows: Any) -> Any:
        return np.zeros(len(rows), np.float32)

    openings = balanced_openings(game, OPENING_PLIES, pairs, seed, judge)
    net = parse_player(f"net:{path}:sims={simulations}", game, params.inference, settings)
    specs = [parse_player(text, game, params.inference, settings) for text in opponents]
    matches = [
        Match(net, spec, openings, range(pairs), match_seed(seed, [net.name, spec.name])) for spec in specs
    ]
    rows = []
    for spec, table in zip(specs, play_matches(game, matches, slots=64), strict=True):
        scores = points(table, net.name).reshape(-1, 2).mean(axis=1)
        margin = 1.96 * scores.std(ddof=1) / np.sqrt(len(scores))
        rows.append(
            {
                "board": f"{game.name} {game.size}x{game.size}",
                "opponent": spec.name,
                "score": float(scores.mean()),
                "margin_95": float(margin),
                "games": len(table),
                "distinct_games": len(distinct_games(table)),
                "distinct_openings": min(openings.num_distinct, pairs),
            }
        )
    return rows


def main(
    path: Annotated[Path | None, typer.Argument(help="Checkpoint; by default the last champion.")] = None,
    against: Annotated[list[str] | None, typer.Option(help="Opponents, as player texts.")] = None,
    pairs: int = 100,
    simulations: int = 64,
    seed: int = 2026,
) -> None:
    last = str(OmegaConf.load("params.yaml").last)
    untrained = f"net:{paths.champion('g000')}:sims={simulations}"
    opponents = against or ["random", untrained, f"rollouts:sims={simulations}"]
    print_report("strength", strength(path or paths.champion(last), opponents, pairs, simulations, seed))


if __name__ == "__main__":
    typer.run(main)
