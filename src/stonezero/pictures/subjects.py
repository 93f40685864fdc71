"""Recorded games under the eyes of a net: which game, which checkpoint, the search at its positions.

`stonezero heatmap`, `replay` and `tree` are this joined with `boards`, `films` and
`players.tree_json`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stonezero.config import paths
from stonezero.errors import UserError
from stonezero.games.notation import describe
from stonezero.network.checkpoint import Checkpoint
from stonezero.pictures.boards import Picture
from stonezero.players.tree_json import TreeLimits
from stonezero.records.formats.boards import read_game
from stonezero.records.formats.catalogue import format_of, format_of_text
from stonezero.records.formats.game_text import GameText
from stonezero.replay.recorded import board_at, generations, recorded_game
from stonezero.terminal import Opponent, default_checkpoint

SILENT_ON = {"text": ("name", "size", "k", "rules"), "rec": ("size", "k", "rules"), "psq": ("k", "rules")}
"""What records of some formats do not say of their game."""


class Subject(NamedTuple):
    """Which game is looked at, and with which net."""

    record: str  #: a record's file or text, or the folder of a generation
    game_id: int | None  #: of a self-play game of that generation
    number: int  #: of the game in the record, from 1
    checkpoint: Path | None  #: None: the one that played the game, or the run's last champion


def pictures_of(
    subject: Subject, simulations: int, plies: Sequence[int | None] | None = None
) -> list[Picture]:
    """The positions at `plies` (None: the last one) with their searches; by default all of the game."""
    opponent = _opponent(subject, simulations)
    game = _game(subject, opponent)
    last = len(game.moves)
    boards = [board_at(game, last if ply is None else ply) for ply in plies or range(last + 1)]
    return [Picture(board, None if board.is_over else opponent.analyse(board)) for board in boards]


def tree_of(subject: Subject, ply: int, simulations: int, limits: TreeLimits) -> dict[str, Any]:
    """The tree of a search at `ply`, as `tree_data` gives it; UserError where the game is over there."""
    opponent = _opponent(subject, simulations)
    board = board_at(_game(subject, opponent), ply)
    if board.is_over:
        raise UserError(f"the game is over at ply {ply}, there is nothing to search: {board.line()}")
    return opponent.tree(board, limits)


def title_of(subject: Subject) -> str:
    """The game in a few words."""
    if subject.game_id is not None:
        return f"{subject.record}, game {subject.game_id}"
    return Path(subject.record).name if Path(subject.record).is_file() else "moves"


def read_record(record: str, number: int, spec: dict[str, Any]) -> GameText:
    """Game `number` of a file or text; `spec` says what its format does not: of bare moves, all."""
    is_file = len(record) < 1024 and Path(record).is_file()
    kind = format_of(Path(record)) if is_file else format_of_text(record)
    silent_on = SILENT_ON.get(kind.name if kind is not None else "", ())
    hints = {("game" if name == "name" else name): spec[name] for name in silent_on if spec[name]}
    return read_game(Path(record) if is_file else record, number, **hints)


def _opponent(subject: Subject, simulations: int) -> Opponent:
    return Opponent(Checkpoint.load(_checkpoint_of(subject)), simulations, temperature=0.0, seed=0)


def _checkpoint_of(subject: Subject) -> Path:
    """The net asked for; else the one that played the game: the champion of the generation before."""
    folder = Path(subject.record)
    if subject.game_id is not None:
        generations(folder)  # a folder that is none has a message of its own
    elif folder.is_dir():
        raise UserError(f"{folder} is a folder: say which of its games, by --game-id")
    if subject.checkpoint is not None:
        return subject.checkpoint
    if subject.game_id is None:
        return default_checkpoint(paths)
    number = folder.name.removeprefix("g")
    before = folder.with_name(f"g{int(number) - 1:03d}") if number.isdecimal() else folder
    path = before / "champion.safetensors"
    if not path.is_file():
        raise UserError(f"{path} is missing, the net that played these games: name one by --checkpoint")
    return path


def _game(subject: Subject, opponent: Opponent) -> GameText:
    if subject.game_id is None:
        game = read_record(subject.record, subject.number, opponent.game.spec())
    else:
        game = recorded_game(Path(subject.record), subject.game_id)
    if game.game != opponent.game:
        raise UserError(
            f"the game is {describe(game.game)}, but the net plays {describe(opponent.game)}: "
            "name another by --checkpoint"
        )
    return game
