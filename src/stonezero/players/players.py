"""Players: anything that picks moves for a batch of positions, named by a short text.

    random                            a uniformly random legal move
    rollouts:sims=64                  Monte-Carlo tree search with random rollouts, no network
    net:PATH:sims=64:temperature=0    a checkpoint with PUCT search

A `PlayerSpec` is picklable and cheap to send to a worker process; `open` makes the player there.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.games.game import Game, Moves, Rows
from stonezero.games.position import Positions
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.inference import PreparedNetwork, prepare
from stonezero.players.batch_search import BatchSearch, SearchSettings
from stonezero.players.evaluators import Evaluator, NetworkEvaluator, RolloutEvaluator
from stonezero.players.keys import keys_of_plies, uniforms
from stonezero.search.root import choose_move

ROLLOUT_SETTINGS = SearchSettings(c_puct=2.0, fpu_reduction=0.0)
"""Fixed for good: `rollouts` is an anchor of the ratings."""

DEFAULT_SIMULATIONS = 64


class Player(Protocol):
    """Picks moves for many games at once."""

    name: str

    def choose(self, positions: Positions, rows: Rows, keys: NDArray[np.uint64]) -> Moves:
        """One legal move for each row, int16[B]; none of the games is over.

        keys uint64[B]: one number a game, the same for all its plies. A move depends on its row, its key
        and the ply alone, not on the other rows.
        """


class RandomPlayer:
    """Uniformly random legal moves."""

    name = "random"

    def __init__(self, game: Game) -> None:
        self._game = game

    def choose(self, positions: Positions, rows: Rows, keys: NDArray[np.uint64]) -> Moves:
        """See `Player.choose`."""
        legal = np.zeros((len(rows), self._game.num_actions), np.uint8)
        self._game.legal_moves(positions, rows, legal)
        chances = uniforms(keys_of_plies(keys, positions.ply[rows]))
        return np.array(
            [choose_move(mask.astype(np.int32), 1.0, u) for mask, u in zip(legal, chances, strict=True)],
            np.int16,
        )


class SearchPlayer:
    """Searches each position anew with a fixed number of simulations."""

    def __init__(
        self,
        name: str,
        game: Game,
        evaluator: Evaluator,
        settings: SearchSettings,
        simulations: int,
        temperature: float,
        num_slots: int,
    ) -> None:
        self.name = name
        self.search = BatchSearch(
            game, evaluator, settings._replace(reuse_tree=False), num_slots, simulations
        )
        self._simulations = simulations
        self._temperature = temperature
        self._num_slots = num_slots

    def choose(self, positions: Positions, rows: Rows, keys: NDArray[np.uint64]) -> Moves:
        """See `Player.choose`."""
        chances = uniforms(keys_of_plies(keys, positions.ply[rows]))
        moves = np.zeros(len(rows), np.int16)
        for start in range(0, len(rows), self._num_slots):
            chunk = range(start, min(start + self._num_slots, len(rows)))
            for slot, i in enumerate(chunk):
                self.search.set_root(slot, positions, int(rows[i]), int(keys[i]))
                self.search.set_budget(slot, self._simulations)
            self.search.run(np.arange(len(chunk)))
            for slot, i in enumerate(chunk):
                visits = self.search.statistics(slot).visits
                moves[i] = choose_move(visits, self._temperature, float(chances[i]))
        return moves


@dataclass(frozen=True)
class PlayerSpec:
    """A player before it is opened in some process."""

    name: str  #: as it appears in ratings and records
    kind: str  #: random, rollouts or net
    simulations: int = DEFAULT_SIMULATIONS
    temperature: float = 0.0
    network: PreparedNetwork | None = None
    planes: tuple[str, ...] = ()
    settings: SearchSettings = ROLLOUT_SETTINGS

    def open(self, game: Game, num_slots: int) -> Player:
        """Make the player; `num_slots` is how many games it searches at once."""
        if self.kind == "random":
            return RandomPlayer(game)
        max_leaves = num_slots * self.settings.leaves_per_wave
        evaluator: Evaluator
        if self.network is None:
            evaluator = RolloutEvaluator(game, max_leaves)
        else:
            evaluator = NetworkEvaluator(game, self.network.open(), list(self.planes), max_leaves)
        return SearchPlayer(
            self.name, game, evaluator, self.settings, self.simulations, self.temperature, num_slots
        )


def network_spec(
    name: str,
    checkpoint: Checkpoint,
    game: Game,
    inference: InferenceConfig,
    settings: SearchSettings,
    simulations: int,
    temperature: float = 0.0,
) -> PlayerSpec:
    """A checkpoint as a player; `UserError` when it was trained for another game or can't play this board."""
    if checkpoint.game["name"] != game.name:
        raise UserError(f"{name} is a {checkpoint.game['name']} net; it cannot play {game.name}")
    network = prepare(checkpoint, game.num_actions, inference, game.size)
    planes = tuple(checkpoint.network.planes)
    return PlayerSpec(name, "net", simulations, temperature, network, planes, settings)


def parse_player(text: str, game: Game, inference: InferenceConfig, settings: SearchSettings) -> PlayerSpec:
    """The player a text like `rollouts:sims=64` or `net:runs/g003/champion.safetensors` names."""
    kind, _, rest = text.partition(":")
    words = rest.split(":") if rest else []
    path = words.pop(0) if kind == "net" and words and "=" not in words[0] else None
    options = dict(word.partition("=")[::2] for word in words)
    spec = PlayerSpec(
        name=text,
        kind=kind,
        simulations=_number(text, options.pop("sims", str(DEFAULT_SIMULATIONS)), int, lowest=1),
        temperature=_number(text, options.pop("temperature", "0"), float, lowest=0),
    )
    if kind not in ("random", "rollouts", "net") or options or (kind == "random" and words):
        raise UserError(
            f"unknown player {text!r}: say random, rollouts:sims=64 or net:PATH:sims=64 (:temperature=0.5)"
        )
    if kind != "net":
        return spec
    if path is None:
        raise UserError(f"player {text!r} names no checkpoint: say net:PATH:sims=64")
    checkpoint = Checkpoint.load(Path(path))
    return network_spec(text, checkpoint, game, inference, settings, spec.simulations, spec.temperature)


def _number(text: str, value: str, kind: type, lowest: int) -> Any:
    try:
        number = kind(value)
    except ValueError:
        raise UserError(f"player {text!r}: {value!r} is not a number") from None
    if not number >= lowest:
        raise UserError(f"player {text!r}: {value} is too small; at least {lowest}")
    return number
