"""How many positions of each set a player gets right: a net by its prior alone, and by search."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stonezero.errors import UserError
from stonezero.files import write_text
from stonezero.games.game import Game, Moves, Rows
from stonezero.games.position import Positions
from stonezero.intervals import wilson_interval
from stonezero.players.evaluators import make_evaluator
from stonezero.players.player import Player
from stonezero.players.players import PlayerSpec
from stonezero.tactics.sets import TacticsSet, sets_of

GOAL = 0.92  #: of the positions of each set: a well-trained net with search
ADVISED_BELOW = 0.85
ADVICE = "raise train.value_weight (to 1.5), or selfplay.simulations"
PRIOR = "prior"
TABLE_FORMATS = (".csv", ".json")
NUM_SLOTS = 64  #: positions searched at once; changes no answer
SEED = 2026


class Hits(NamedTuple):
    """How a player did on one set."""

    set: str  #: kind of the positions
    player: str  #: "prior", or like "64 simulations"
    right: int
    positions: int
    low: float  #: of the 95% interval of the share
    high: float

    @property
    def share(self) -> float:
        """Of the positions that were answered right."""
        return self.right / self.positions


class PriorPlayer(Player):
    """Plays the move that the net likes best, without search."""

    name = PRIOR

    def __init__(self, game: Game, spec: PlayerSpec) -> None:
        """`spec` is a net's; raises UserError for any other player."""
        if spec.network is None:
            raise UserError(f"{spec.name} has no prior: name a checkpoint")
        self._game = game
        evaluation = spec.settings.evaluation
        planes = list(spec.planes)
        self._evaluator = make_evaluator(game, spec.network.open, planes, evaluation, NUM_SLOTS)

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        """See `Player.choose`."""
        moves = np.zeros(len(rows), np.int16)
        for start in range(0, len(rows), NUM_SLOTS):
            chunk = rows[start : start + NUM_SLOTS]
            legal = np.zeros((len(chunk), self._game.num_actions), np.uint8)
            self._game.legal_moves(positions, chunk, legal)
            logits, _ = self._evaluator.evaluate(positions, chunk, legal, keys[start : start + NUM_SLOTS])
            moves[start : start + NUM_SLOTS] = np.where(legal, logits, -np.inf).argmax(axis=1)
        return moves


def score_net(game: Game, spec: PlayerSpec) -> list[Hits]:
    """The hits of a net in all sets of a game: of each set by its prior, then by its search.

    UserError where there are no sets for the game.
    """
    sets = sets_of(game)
    players = [
        (PRIOR, PriorPlayer(game, spec)),
        (f"{spec.simulations} simulations", spec.open(game, NUM_SLOTS)),
    ]
    return [score_player(player, name, tactics) for tactics in sets for name, player in players]


def score_player(player: Player, name: str, tactics: TacticsSet) -> Hits:
    """The hits of any player in one set; the same each time."""
    positions = tactics.positions()
    keys = np.random.default_rng(SEED).integers(2**63, size=len(tactics), dtype=np.uint64)
    chosen = player.choose(positions, np.arange(len(tactics)), keys)
    right = int(tactics.is_right(chosen).sum())
    return Hits(tactics.kind.name, name, right, len(tactics), *wilson_interval(right, len(tactics)))


def describe_hits(hits: Sequence[Hits]) -> str:
    """A line for each set: the prior's share, the search's, how that stands to the goal; then advice."""
    players = list(dict.fromkeys(each.player for each in hits))
    kinds = list(dict.fromkeys(each.set for each in hits))
    by_name = {(each.set, each.player): each for each in hits}
    lines = [f"{'set':14}{'positions':>10}" + "".join(f"{name:>24}" for name in players)]
    weak = []
    for kind in kinds:
        row = [by_name[kind, name] for name in players]
        searched = row[-1]
        verdict = "goal reached" if searched.share >= GOAL else "below 85%" if is_weak(searched) else ""
        weak += [kind] if is_weak(searched) else []
        cells = "".join(f"{_cell(each):>24}" for each in row)
        lines.append(f"{kind:14}{searched.positions:10d}{cells}  {verdict}".rstrip())
    lines.append(f"right of all positions, with 95% intervals; the goal is {GOAL:.0%} with search")
    if weak:
        lines.append(f"below {ADVISED_BELOW:.0%}: {', '.join(weak)}. Advice: {ADVICE}.")
    return "\n".join(lines)


def is_weak(hits: Hits) -> bool:
    """Whether so few were right that something should be done."""
    return hits.share < ADVISED_BELOW


def table_of(hits: Sequence[Hits]) -> pd.DataFrame:
    """Columns as in `Hits`, and share; low, high and share to four digits."""
    table = pd.DataFrame(hits, columns=list(Hits._fields))
    table["share"] = [each.share for each in hits]
    return table.round({"low": 4, "high": 4, "share": 4})


def write_table(path: Path, hits: Sequence[Hits]) -> None:
    """Write the table; the extension, one of TABLE_FORMATS, says how."""
    table = table_of(hits)
    if path.suffix == ".csv":
        write_text(path, table.to_csv(index=False, lineterminator="\n"))
    else:
        write_text(path, json.dumps(table.to_dict("records"), indent=1) + "\n")


def _cell(hits: Hits) -> str:
    return f"{hits.right} [{hits.low:.0%}, {hits.high:.0%}]"
