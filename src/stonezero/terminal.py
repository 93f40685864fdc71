"""A game in the terminal: a person against a checkpoint; and what a checkpoint is, as text."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.table import Table

from stonezero.config import RunPaths, generation_name, generation_number
from stonezero.config.composition import PARAMS_FILE, stage_params
from stonezero.config.generations import section_of
from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.files import file_digest
from stonezero.games import BLACK, EMPTY, WHITE, Game, make_game
from stonezero.games.board import Board
from stonezero.games.notation import move_to_text, quoted
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.inference import prepare
from stonezero.plan import read_plan
from stonezero.players.batch_search import BatchSearch, RootStatistics
from stonezero.players.evaluators import NetworkEvaluator
from stonezero.players.players import PlayerSpec, parse_player
from stonezero.players.settings import SearchSettings
from stonezero.players.tree_json import TreeLimits, tree_data
from stonezero.search.root import choose_move
from stonezero.solvers.endgame import EndgameSolver

PLAY_INFERENCE = InferenceConfig(backend="onnxruntime", precision="f32", max_batch=64, device="cpu")
PLAY_SETTINGS = SearchSettings(c_puct=1.5, fpu_reduction=0.2)
"""As in conf/search, copied: a checkpoint plays the same in any checkout, whatever its params say."""

CANDIDATES_SHOWN = 8
TRAINED_WITH = ("seed", "train")  #: with game and network, what a checkpoint's params_digest vouches for
ALSO_SHOWN = ("experiment", "ablation", "search", "selfplay")
HELP = "a move like {example}, or: hint (candidate moves with N, P, Q), undo, moves, help, quit"
FORBIDDEN_HELP = "Black loses at once by playing on a point marked !"
SIDES = {"black": BLACK, "white": WHITE}


def default_checkpoint(paths: RunPaths) -> Path:
    """The champion of the plan's last generation, or of the newest before it that has been made.

    A longer plan of former days may have left later generations in the folder; they are another run's.
    """
    params = read_plan(paths.root.parent)
    if OmegaConf.is_missing(params, "last") or not re.fullmatch(r"g\d{3,}", params.last):
        raise UserError(f"{PARAMS_FILE} does not say which generation is the last: run `stonezero plan`")
    for number in range(generation_number(params.last), -1, -1):
        path = paths.champion(generation_name(number))
        if path.is_file():
            return path
    raise UserError(f"there is no champion in {paths.root}/ yet: run `dvc repro`, or name a checkpoint")


def game_of(checkpoint: Checkpoint) -> Game:
    """The game that a checkpoint was made for; UserError where this version has none such."""
    try:
        return make_game(**checkpoint.game)
    except TypeError as error:
        raise UserError(f"the checkpoint's game {quoted(checkpoint.game)} is none of this version") from error


def net_player(path: Path, simulations: int) -> tuple[Game, PlayerSpec]:
    """A checkpoint's game, and the checkpoint as a player that searches as all of them do outside of runs."""
    board = game_of(Checkpoint.load(path))
    return board, parse_player(f"net:{path}:sims={simulations}", board, PLAY_INFERENCE, PLAY_SETTINGS)


class Opponent:
    """A checkpoint that searches one position at a time."""

    def __init__(
        self, checkpoint: Checkpoint, simulations: int, temperature: float, seed: int, endgame: int = 0
    ) -> None:
        """Solves Othello from `endgame` empty points on; EndgameError where the game cannot be solved."""
        self.game = game_of(checkpoint)
        self._solver = EndgameSolver(self.game) if endgame else None
        self._endgame = endgame
        backend = prepare(checkpoint, self.game.num_actions, PLAY_INFERENCE).open()
        evaluator = NetworkEvaluator(self.game, backend, list(checkpoint.network.planes), 1)
        self._search = BatchSearch(self.game, evaluator, PLAY_SETTINGS, 1, simulations)
        self._simulations = simulations
        self._temperature = temperature
        self._rng = np.random.default_rng(seed)

    def analyse(self, board: Board) -> RootStatistics:
        """Search the board's position, which must not be over."""
        self._search.set_root(0, board.positions, 0, 0)
        self._search.set_budget(0, self._simulations)
        self._search.run(np.arange(1))
        return self._search.statistics(0)

    def tree(self, board: Board, limits: TreeLimits) -> dict[str, Any]:
        """Search the board's position, which must not be over; the tree as plain data."""
        self.analyse(board)
        return tree_data(self._search, 0, limits)

    def choose(self, board: Board) -> int:
        """Solve or search, and pick a move."""
        stones = board.positions.stones[0]
        if self._solver is not None and np.count_nonzero(stones == EMPTY) <= self._endgame:
            return self._solver.solve(stones, board.turn).move
        return choose_move(self.analyse(board).visits, self._temperature, self._rng.random())


def candidate_table(board: Board, statistics: RootStatistics) -> Table:
    """The most visited moves with visits N, prior P and mean value Q for the side to move."""
    title = f"value {statistics.value:+.2f} for the side to move"
    table = Table(title=title, min_width=len(title))  # a title is wrapped to the table's width
    for column in ("move", "N", "P", "Q"):
        table.add_column(column, justify="right")
    for move in np.argsort(-statistics.visits, kind="stable")[:CANDIDATES_SHOWN]:
        if statistics.visits[move]:
            table.add_row(
                move_to_text(board.game, int(move)),
                str(statistics.visits[move]),
                f"{statistics.priors[move]:.3f}",
                f"{statistics.values[move]:+.2f}",
            )
    return table


def play_game(opponent: Opponent, human: str, shows_candidates: bool, console: Console) -> None:
    """Ask for moves until the game is over, or the person leaves."""
    board = Board(opponent.game)
    console.print(HELP.format(example=move_to_text(board.game, board.legal_moves()[0])))
    if board.game.spec()["rules"] == "renju":
        console.print(FORBIDDEN_HELP)
    while not board.is_over:
        console.print(f"\n{board}", markup=False, highlight=False)
        if board.turn != SIDES[human]:
            _answer(opponent, board, shows_candidates, console)
        elif board.game.has_pass and board.legal_moves() == [board.game.pass_move]:
            console.print(f"{human} has no move and passes")
            board.play(board.game.pass_move)
        elif not _ask(opponent, board, human, console):
            return
    console.print(f"\n{board}", markup=False, highlight=False)


def _answer(opponent: Opponent, board: Board, shows_candidates: bool, console: Console) -> None:
    if shows_candidates:
        console.print(candidate_table(board, opponent.analyse(board)))
    move = opponent.choose(board)
    console.print(f"the net plays {move_to_text(board.game, move)}")
    board.play(move)


def _ask(opponent: Opponent, board: Board, human: str, console: Console) -> bool:
    """One line from the person; False when they leave."""
    try:
        text = console.input(f"{human}> ").strip().lower()
    except (EOFError, KeyboardInterrupt):
        return False
    if text in ("quit", "exit", "q"):
        return False
    if text in ("help", "?"):
        console.print(HELP.format(example=move_to_text(board.game, board.legal_moves()[0])))
    elif text == "hint":
        console.print(candidate_table(board, opponent.analyse(board)))
    elif text == "moves":
        console.print(" ".join(move_to_text(board.game, move) for move in board.legal_moves()))
    elif text == "undo":
        _undo(board, console)
    elif text:
        try:
            board.play(text)
        except UserError as error:
            console.print(str(error), markup=False, highlight=False)
    return True


def _undo(board: Board, console: Console) -> None:
    """Take back the person's last move and all that came after it."""
    person = board.turn
    copy = board.copy()
    while copy.moves:
        copy.undo()
        if copy.turn == person and copy.legal_moves() != [copy.game.pass_move]:
            while len(board.moves) > len(copy.moves):
                board.undo()
            return
    console.print("there is no move of yours to take back")


def describe_checkpoint(path: Path) -> dict[str, Any]:
    """What `stonezero show` prints: the game, the net, where it comes from, how to rebuild it."""
    checkpoint = Checkpoint.load(path)
    facts: dict[str, Any] = {
        "file": str(path),
        "sha256": file_digest(path),
        "game": " ".join(str(value) for value in game_of(checkpoint).spec().values()),
        "generation": checkpoint.generation,
        "network": checkpoint.network.__dict__,
        "parameters": checkpoint.num_parameters,
        "params_digest": checkpoint.params_digest or "none: untrained",
    }
    lineage = path.parent.parent / checkpoint.generation / "lineage" / "train.json"
    if lineage.is_file():
        facts["trained"] = json.loads(lineage.read_text())
    root = path.parent.parent.parent
    if checkpoint.params_digest and (root / PARAMS_FILE).is_file():
        try:
            facts |= _params_facts(checkpoint, read_plan(root))
        except UserError as error:
            facts["params"] = str(error)
    return facts


def _params_facts(checkpoint: Checkpoint, plan: DictConfig) -> dict[str, Any]:
    """The parameters that the net was trained with, where the plan still says the same."""
    from stonezero.training.run import params_digest  # torch: seconds that no game needs to wait for

    params = stage_params(plan, checkpoint.generation)
    if checkpoint.generation not in plan.generations or params_digest(params) != checkpoint.params_digest:
        return {"params": f"{PARAMS_FILE} has changed since"}
    sections = {name: section_of(params, params.gen, name) for name in (*TRAINED_WITH, *ALSO_SHOWN)}
    return {
        "params": {name: sections[name] for name in TRAINED_WITH},
        f"{PARAMS_FILE} now": {name: sections[name] for name in ALSO_SHOWN},
    }
