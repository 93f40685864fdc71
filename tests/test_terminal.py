"""Games in the terminal, move by move, and what `show` says of a checkpoint."""

import io
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from safetensors.numpy import save_file

from stonezero import Board
from stonezero.cli import main
from stonezero.config import RunPaths
from stonezero.config.composition import compose_params, stage_params
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.network.checkpoint import Checkpoint
from stonezero.network.model import initial_checkpoint
from stonezero.plan import write_plan
from stonezero.terminal import SIDES, Opponent, default_checkpoint, describe_checkpoint, play_game
from stonezero.training.run import params_digest
from tests.network.nets import network

ROOT = Path(__file__).resolve().parents[1]
TICTACTOE = make_game("gomoku", 3, 3)


@pytest.fixture(scope="module")
def net() -> Checkpoint:
    return initial_checkpoint(TICTACTOE.spec(), TICTACTOE.num_actions, network(), 1)


@pytest.fixture(scope="module")
def opponent(net: Checkpoint) -> Opponent:
    return Opponent(net, simulations=8, temperature=0.0, seed=0)


class Script(Opponent):
    """Plays given moves."""

    def __init__(self, board: Board, moves: Iterable[int]) -> None:
        self.game = board.game
        self._moves = iter(moves)

    def choose(self, board: Board) -> int:
        return next(self._moves)


Talk = Callable[..., str]


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Talk:
    """Plays with these lines typed, then the end of input; returns all that was printed."""

    def run(opponent: Opponent, *lines: str, human: str = "black", shows_candidates: bool = False) -> str:
        typed: Iterator[str] = iter(lines)

        def read(prompt: str = "") -> str:
            try:
                return next(typed)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", read)
        console = Console(file=io.StringIO(), width=120)
        play_game(opponent, human, shows_candidates, console)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    return run


def script(*moves: int) -> Script:
    return Script(Board(TICTACTOE), moves)


def test_the_end_of_input_and_quit_end_a_game(opponent: Opponent, talk: Talk) -> None:
    for lines in ([], ["quit"], ["Q "], ["exit", "a1"]):
        assert talk(opponent, *lines).count("black to move") == 1


def test_hint_shows_candidates_with_n_p_and_q_and_moves_lists_what_is_legal(
    opponent: Opponent, talk: Talk
) -> None:
    hint = talk(opponent, "hint")
    assert "for the side to move" in hint
    assert all(f" {name} " in hint for name in ("move", "N", "P", "Q"))
    assert "a3 b3 c3 a2 b2 c2 a1 b1 c1" in talk(opponent, "moves")


def test_help_is_said_first_and_again_when_asked_for(opponent: Opponent, talk: Talk) -> None:
    assert talk(opponent).count("hint (candidate moves") == 1
    assert talk(opponent, "help", "?").count("hint (candidate moves") == 3


def test_garbage_and_illegal_moves_get_one_sentence_and_another_try(talk: Talk) -> None:
    for line, message in (
        ("[bold]z9", "'[bold]z9' is no move of gomoku"),
        ("pass", "'pass' is no move"),
        ("x" * 10**6, "is no move"),
        ("b2", "b2 is not legal"),
    ):
        text = talk(script(0, 1), "b2", line, "c3")
        assert message in text
        assert len(text) < 3000
        assert "the net plays b3" in text  # the answer to c3, which still counted


def test_undo_takes_back_the_move_of_the_person_and_the_answer(talk: Talk) -> None:
    text = talk(script(0), "undo", "b2", "undo")
    assert "there is no move of yours to take back" in text
    boards = [part[: part.index("to move")] for part in text.split("gomoku 3x3")[1:]]
    assert boards[-1] == boards[0]
    assert "O" in boards[-2]


def test_the_net_opens_when_the_person_is_white(opponent: Opponent, talk: Talk) -> None:
    text = talk(opponent, human="white", shows_candidates=True)
    assert text.index("the net plays") < text.index("white to move")
    assert "for the side to move" in text


def test_a_game_ends_with_the_board_and_its_result(talk: Talk) -> None:
    text = talk(script(0, 1), "c1", "c2", "c3", "a1")
    assert text.rstrip().endswith("black won")
    assert "a b c" in text.splitlines()[-2]


def test_the_opponent_solves_endings_where_told_to() -> None:
    board = Board("othello", 4)
    net = initial_checkpoint(board.game.spec(), board.game.num_actions, network(), 1)
    opponent = Opponent(net, simulations=2, temperature=0.0, seed=0, endgame=12)
    while not board.is_over:
        board.play(opponent.choose(board))
    black, white = board.score
    assert white - black >= 8  # White wins 4x4 by that much when both play their best


def test_other_games_than_othello_have_no_endings_to_solve(net: Checkpoint) -> None:
    with pytest.raises(UserError, match="the endgame solver takes Othello"):
        Opponent(net, 2, 0.0, 0, endgame=5)


def test_a_person_without_a_move_passes(talk: Talk) -> None:
    board = forced_pass_of_black()
    moves = [board.game.pass_move, *reversed(board.moves)]
    while board.moves:
        board.undo()
    lines: dict[str, list[int]] = {"black": [], "white": []}
    while moves[1:]:
        lines["black" if board.turn == SIDES["black"] else "white"].append(moves[-1])
        board.play(moves.pop())
    text = talk(Script(board, [*lines["white"], board_reply(board)]), *map(board_text, lines["black"]))
    assert text.count("black has no move and passes") == 1
    assert text.index("black has no move and passes") < text.rindex("the net plays")


def forced_pass_of_black() -> Board:
    """Othello 4x4 after random moves, where Black must pass and White then has a move."""
    rng = np.random.default_rng(0)
    while True:
        board = Board("othello", 4)
        while not board.is_over:
            if board.turn == SIDES["black"] and board.legal_moves() == [board.game.pass_move]:
                return board
            board.play(int(rng.choice(board.legal_moves())))


def board_reply(board: Board) -> int:
    """A move of White's after Black's pass."""
    after = board.copy()
    after.play(board.game.pass_move)
    return after.legal_moves()[0]


def board_text(move: int) -> str:
    row, column = divmod(move, 4)
    return f"{'abcd'[column]}{row + 1}"


# ------------------------------------------------------------------ checkpoints


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of two generations, planned, not run."""
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    replan(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def replan(root: Path, *overrides: str) -> Any:
    params = compose_params(root / "conf", ["experiment=tictactoe", "iterations=2", *overrides])
    write_plan(root, params)
    return params


def put(net: Checkpoint, generation: str) -> Path:
    path = RunPaths().champion(generation)
    path.parent.mkdir(parents=True, exist_ok=True)
    net.save(path)
    return path


def test_the_default_is_the_champion_of_the_plan_s_last_generation(checkout: Path, net: Checkpoint) -> None:
    put(net, "g003")  # of an older, longer plan
    with pytest.raises(UserError, match="no champion in runs/ yet"):
        default_checkpoint(RunPaths())
    for generation in ("g000", "g001", "g002"):
        path = put(net, generation)
        assert default_checkpoint(RunPaths()) == path


@pytest.mark.parametrize("text", ["", "last: soon\n", "experiment: [\n"])
def test_params_that_name_no_last_generation_are_a_user_error(checkout: Path, text: str) -> None:
    (checkout / "params.yaml").write_text(text)
    with pytest.raises(UserError, match="stonezero plan") as caught:
        default_checkpoint(RunPaths())
    assert "\n" not in str(caught.value)


def test_show_prints_the_params_only_while_they_are_those_of_the_net(checkout: Path, net: Checkpoint) -> None:
    params = stage_params(replan(checkout, "train.lr=0.004"), "g001")
    path = put(Checkpoint(net.weights, net.game, net.network, "g001", params_digest(params)), "g002")
    facts = describe_checkpoint(path)
    assert facts["params"]["train"].lr == 0.004
    assert facts["params.yaml now"]["experiment"] == "tictactoe"
    replan(checkout, "train.lr=0.005")
    assert describe_checkpoint(path)["params"] == "params.yaml has changed since"
    (checkout / "params.yaml").write_text("experiment: [\n")
    assert "run `stonezero plan`" in describe_checkpoint(path)["params"]


def test_an_untrained_net_has_no_params(checkout: Path, net: Checkpoint) -> None:
    facts = describe_checkpoint(put(net, "g000"))
    assert facts["params_digest"] == "none: untrained"
    assert "params" not in facts


# ------------------------------------------------------------------ the command line


Command = Callable[..., tuple[Any, str]]


@pytest.fixture
def stonezero(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process; returns its exit code or last sentence, and its output."""

    def run(*arguments: str) -> tuple[Any, str]:
        monkeypatch.setattr(sys, "argv", ["stonezero", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, capsys.readouterr().out

    return run


@pytest.mark.parametrize("command", ["play", "show"])
def test_foreign_and_truncated_checkpoints_are_refused_in_one_sentence(
    command: str, stonezero: Command, tmp_path: Path, net: Checkpoint
) -> None:
    path = tmp_path / "net.safetensors"
    data = net.to_bytes()
    changed = Checkpoint(net.weights, {"size": 3, "planet": "mars"}, net.network, "g001", "")
    for content in (data[: len(data) // 2], data[:5], b"", b"not a net", changed.to_bytes(), None):
        if content is None:
            save_file({"weight": np.zeros(3, np.float32)}, path)
        else:
            path.write_bytes(content)
        code, _ = stonezero(command, str(path))
        assert isinstance(code, str)
        assert code.startswith("stonezero: ")
        assert "\n" not in code


def test_show_and_play_take_the_default_checkpoint(
    checkout: Path, stonezero: Command, net: Checkpoint
) -> None:
    put(net, "g000")
    code, shown = stonezero("show")
    assert code == 0
    assert "game: gomoku 3 3 freestyle" in shown
    code, played = stonezero("play", "--simulations", "4")
    assert code == 0
    assert "black to move" in played


@pytest.mark.parametrize("option", ["--seed=-1", "--simulations=0", "--simulations=1000001", "--endgame=21"])
def test_play_refuses_numbers_out_of_range(option: str, stonezero: Command) -> None:
    assert stonezero("play", option)[0] == 2
