"""Players by name: the texts that name them everywhere, and how they are opened in a process.

    random                            a uniformly random legal move
    greedy                            one move ahead: most discs turned, longest row made or blocked
    minimax:depth=4                   alpha-beta with a hand-written evaluation
    rollouts:sims=64                  Monte-Carlo tree search with random rollouts, no network
    book+rollouts:sims=64             the same behind an opening book
    net:PATH:sims=64:temperature=0    a checkpoint with PUCT search
    net:PATH:endgame=12               the same, but Othello is solved from 12 empty points on
    net:PATH:threats=2000             the same behind a solver of Gomoku wins by threats: nodes for an answer
    gtp:CMD  gomocup:CMD  nboard:CMD  an outside engine, run as a process; CMD may follow options, as in
                                      gtp:seconds=2:failure=stop:/usr/games/gtp-rhino

A `PlayerSpec` is picklable and cheap to send to a worker process; `open` makes the player there.
"""

import hashlib
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.games.game import Game
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.inference import PreparedNetwork
from stonezero.players.book import BookPlayer, read_book
from stonezero.players.calibration import prepare_for
from stonezero.players.ending_player import MOST_EMPTIES, EndingPlayer
from stonezero.players.engine_process import split_command
from stonezero.players.evaluators import Evaluator, RolloutEvaluator, make_evaluator
from stonezero.players.greedy import GreedyPlayer
from stonezero.players.minimax import DEFAULT_DEPTH, MAX_DEPTH, MinimaxPlayer
from stonezero.players.outside import FAILURES, OutsidePlayer, OutsideSpec, check_protocol
from stonezero.players.player import Player, RandomPlayer
from stonezero.players.search_player import ROLLOUT_SETTINGS, SearchPlayer
from stonezero.players.settings import SearchSettings
from stonezero.players.threat_player import THREAT_DEPTH, ThreatPlayer
from stonezero.solvers.endgame import EndgameSolver
from stonezero.solvers.threats import ThreatSolver

DEFAULT_SIMULATIONS = 64
DEFAULT_SECONDS = 10.0
DEFAULT_ENGINE_DEPTH = 6  #: told to NBoard engines
MAX_SECONDS = 3600.0
MAX_THREATS = 10_000_000
HINT = (
    "say random, greedy, minimax:depth=4, rollouts:sims=64, book+rollouts:sims=64, net:PATH:sims=64 "
    "(:temperature=0.5), gtp:COMMAND, gomocup:COMMAND or nboard:COMMAND"
)
OPTIONS: dict[str, tuple[str, ...]] = {
    "random": (),
    "greedy": (),
    "minimax": ("depth",),
    "rollouts": ("sims", "temperature"),
    "book+rollouts": ("sims",),
    "net": ("sims", "temperature", "endgame", "threats"),
    "gtp": ("seconds", "failure"),
    "gomocup": ("seconds", "failure"),
    "nboard": ("seconds", "failure", "depth"),
}
"""What each kind of player can be told, as name=value."""

OUTSIDE = ("gtp", "gomocup", "nboard")
ANCHOR_VERSIONS = {"random": 1, "greedy": 1, "minimax": 1, "rollouts": 1, "book+rollouts": 1}
"""Anchors never change: another way to play would be another player, with another name."""


@dataclass(frozen=True)
class PlayerSpec:
    """A player before it is opened in some process."""

    name: str  #: as it appears in ratings and records
    kind: str  #: a key of OPTIONS
    simulations: int = DEFAULT_SIMULATIONS
    temperature: float = 0.0
    network: PreparedNetwork | None = None
    planes: tuple[str, ...] = ()
    settings: SearchSettings = ROLLOUT_SETTINGS
    depth: int = DEFAULT_DEPTH  #: of minimax
    threats: int = 0  #: nodes of the threat solver for one answer, 0 for no solver
    outside: OutsideSpec | None = None
    endgame: int = 0  #: empty points from which on a net's endings are solved; 0 for never

    @property
    def is_sequential(self) -> bool:
        """See `Player.is_sequential`."""
        return self.outside is not None

    def digest(self) -> str:
        """SHA-256 that changes with whatever plays: checkpoint, an engine's program, an anchor's version."""
        if self.network is not None:
            ways = {"precision": self.network.precision, "threats": self.threats, "endgame": self.endgame}
            said = [f"{way}={value}" for way, value in ways.items() if value and value != "f32"]
            text = " ".join([self.network.digest, *said, "version 1"])
            return hashlib.sha256(text.encode()).hexdigest() if said else self.network.digest
        if self.outside is not None:
            return self.outside.digest()
        return hashlib.sha256(f"{self.name} version {ANCHOR_VERSIONS[self.kind]}".encode()).hexdigest()

    def open(self, game: Game, num_slots: int) -> Player:
        """Make the player; `num_slots` is how many games it searches at once."""
        if self.outside is not None:
            return OutsidePlayer(self.name, game, self.outside)
        if self.kind == "random":
            return RandomPlayer(game)
        if self.kind == "greedy":
            return GreedyPlayer(game)
        if self.kind == "minimax":
            return MinimaxPlayer(self.name, game, self.depth)
        max_leaves = num_slots * self.settings.leaves_per_wave
        evaluator: Evaluator
        if self.network is None:
            evaluator = RolloutEvaluator(game, max_leaves)
        else:
            evaluation = self.settings.evaluation
            evaluator = make_evaluator(game, self.network.open, list(self.planes), evaluation, max_leaves)
        player = SearchPlayer(
            self.name, game, evaluator, self.settings, self.simulations, self.temperature, num_slots
        )
        if self.kind == "book+rollouts":
            return BookPlayer(read_book(game), player, game)
        if self.threats:
            return ThreatPlayer(player, ThreatSolver(game, THREAT_DEPTH, self.threats))
        return EndingPlayer(player, game, self.endgame) if self.endgame else player


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
    network = prepare_for(game, checkpoint, inference)
    planes = tuple(checkpoint.network.planes)
    return PlayerSpec(name, "net", simulations, temperature, network, planes, settings)


def parse_player(text: str, game: Game, inference: InferenceConfig, settings: SearchSettings) -> PlayerSpec:
    """The player a text like `rollouts:sims=64` or `net:runs/g003/champion.safetensors` names."""
    kind, _, rest = text.partition(":")
    if kind not in OPTIONS:
        raise UserError(f"unknown player {text!r}: {HINT}")
    words = rest.split(":") if rest else []
    if kind in OUTSIDE:
        return _outside_spec(text, game, kind, words)
    path = checkpoint_path(text)
    options = _options(text, kind, words if path is None else words[1:])
    spec = PlayerSpec(
        name=text,
        kind=kind,
        simulations=_number(text, options.get("sims", str(DEFAULT_SIMULATIONS)), int, 1),
        temperature=_number(text, options.get("temperature", "0"), float, 0),
        depth=_number(text, options.get("depth", str(DEFAULT_DEPTH)), int, 1, MAX_DEPTH[game.name]),
        threats=_number(text, options.get("threats", "0"), int, 0, MAX_THREATS),
    )
    if kind == "book+rollouts":
        read_book(game)
    if kind != "net":
        return spec
    if path is None:
        raise UserError(f"player {text!r} names no checkpoint: say net:PATH:sims=64")
    endgame = _number(text, options.get("endgame", "0"), int, 0, MOST_EMPTIES)
    if endgame:
        EndgameSolver(game)  # refuses games that it cannot solve
    if spec.threats:
        ThreatSolver(game, THREAT_DEPTH, spec.threats)  # refuses other games than Gomoku
    checkpoint = Checkpoint.load(path)
    net = network_spec(text, checkpoint, game, inference, settings, spec.simulations, spec.temperature)
    return replace(net, endgame=endgame, threats=spec.threats)


def checkpoint_path(text: str) -> Path | None:
    """The checkpoint that the text of a player names, where it names one."""
    kind, _, rest = text.partition(":")
    word = rest.partition(":")[0]
    return Path(word) if kind == "net" and word and "=" not in word else None


def _outside_spec(text: str, game: Game, kind: str, words: list[str]) -> PlayerSpec:
    """An engine's options come first; the first word that is none begins its command."""
    count = 0
    while count < len(words) and words[count].partition("=")[0] in OPTIONS[kind] and "=" in words[count]:
        count += 1
    options = _options(text, kind, words[:count])
    failure = options.get("failure", FAILURES[0])
    if failure not in FAILURES:
        raise UserError(f"player {text!r}: failure is {' or '.join(FAILURES)}, not {failure!r}")
    check_protocol(kind, game)
    outside = OutsideSpec(
        protocol=kind,
        command=split_command(":".join(words[count:])),
        seconds=_number(text, options.get("seconds", str(DEFAULT_SECONDS)), float, 0.01, MAX_SECONDS),
        depth=_number(text, options.get("depth", str(DEFAULT_ENGINE_DEPTH)), int, 1, 60),
        failure=failure,
    )
    return PlayerSpec(text, kind, outside=outside)


def _options(text: str, kind: str, words: list[str]) -> dict[str, str]:
    options = dict(word.partition("=")[::2] for word in words)
    if not set(options) <= set(OPTIONS[kind]):
        raise UserError(f"unknown player {text!r}: {HINT}")
    return options


def _number(text: str, value: str, kind: type, lowest: float, highest: float = math.inf) -> Any:
    try:
        number = kind(value)
    except ValueError:
        raise UserError(f"player {text!r}: {value!r} is not a number") from None
    if not number >= lowest:
        raise UserError(f"player {text!r}: {value} is too small; at least {lowest}")
    if number > highest or number == math.inf:
        raise UserError(f"player {text!r}: {value} is too large; at most {highest:g}")
    return number
