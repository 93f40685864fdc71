"""`net:PATH:threats=N`: a net that knows nothing plays proven wins and blocks."""

from pathlib import Path

import numpy as np
import pytest

from stonezero import Board
from stonezero.errors import UserError
from stonezero.games import Game, make_game
from stonezero.games.notation import move_to_text
from stonezero.players.player import Player
from stonezero.players.players import parse_player
from tests.games.common import play_line
from tests.players.test_players import INFERENCE, SETTINGS, checkpoint_path

__all__ = ["checkpoint_path"]

GAME = make_game("gomoku", 5, 4)
WIN = "b2 a5 b3 e5"  # two in the open: black wins by force
THREAT = "b2 a5 b3 e5 b4"  # an open three: white is lost, with four in a row each way
BLOCKABLE = "c5 a1 d5 i1 e5"  # an open three on 9x9


def opened(path: Path, options: str, game: Game = GAME) -> Player:
    return parse_player(f"net:{path}:sims=2{options}", game, INFERENCE, SETTINGS).open(game, 4)


def moves_of(player: Player, line: str, game: Game = GAME) -> set[str]:
    """What the player says with four different keys."""
    board = play_line(Board(game), line)
    moves = player.choose(board.positions, np.zeros(4, np.int64), np.arange(4, dtype=np.uint64))
    return {move_to_text(game, int(move)) for move in moves}


def test_a_proven_win_is_played(checkpoint_path: Path) -> None:
    player = opened(checkpoint_path, ":threats=2000")
    assert len(moves_of(player, WIN)) == 1
    board = play_line(Board(GAME), WIN)
    for _ in range(9):
        mine = player.choose(board.positions, np.zeros(1, np.int64), np.zeros(1, np.uint64))
        board.play(int(mine[0]))
        if board.is_over:
            break
        board.play(board.legal_moves()[-1])
    assert board.winner == 1


def test_only_moves_that_block_are_played(checkpoint_path: Path) -> None:
    game, blocks = make_game("gomoku", 9, 5), {"b5", "f5"}
    with_threats = opened(checkpoint_path, ":threats=2000:temperature=1", game)
    assert moves_of(with_threats, BLOCKABLE, game) <= blocks
    assert not moves_of(opened(checkpoint_path, ":temperature=1", game), BLOCKABLE, game) <= blocks


def test_a_lost_position_still_has_a_move(checkpoint_path: Path) -> None:
    assert moves_of(opened(checkpoint_path, ":threats=2000"), THREAT)


@pytest.mark.parametrize(
    ("options", "message"),
    [(":threats=-1", "too small"), (":threats=many", "not a number"), (":threats=1e9", "not a number")],
)
def test_a_wrong_number_of_threats_is_one_sentence(checkpoint_path: Path, options: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        opened(checkpoint_path, options)
    assert "\n" not in str(caught.value)


def test_there_are_no_threats_in_othello(checkpoint_path: Path) -> None:
    with pytest.raises(UserError, match="searched for in gomoku"):
        opened(checkpoint_path, ":threats=10", make_game("othello", 6))
