"""Games to convert: random ones of all kinds, and two of the Generic Game Server with their known results."""

import numpy as np

from stonezero.games import make_game
from stonezero.games.board import Board
from stonezero.records.formats.game_text import GameText, Start

DRAWN = (  # Saio1200 - Saio3000, GGS 2003-12-15: 32 to 32, with a pass before a1
    "d3c5e6d2c6d6b5f5e7f6f4f3g4d7g3g5h6h5h4e8c7h3c3h7e3b6g6f7d8c2d1c4b4a5f8f2e2a4a3b3f1g7b7c8a6a7c1b2a8b8"
    "a2e1h8g8h2g1h1g2a1b1"
)
SET_UP = "8 -------- -------- --OOO*-- -O*OO*-- --O*OO-- --O***-- --O*---- -------- O"
BLACK_BY_EIGHT = (  # Saio7000 - SaioQuad, GGS 2011-03-01, from SET_UP
    "b5e2d8g4f2d2d1c1f1e1b1c2b3a6a5b6a7e8f8a3e7b8g7h8g3f7h5b2c8g8a1a2a4g6g5h3h4b7h6h7a8h2g2g1h1"
)
GAMES = [
    make_game("gomoku", 15, 5),
    make_game("gomoku", 15, 5, "standard"),
    make_game("gomoku", 20, 5),
    make_game("gomoku", 6, 4),
    make_game("othello", 8),
    make_game("othello", 6),
]


def words(moves):
    """A text like f5d6 as its moves."""
    return [moves[i : i + 2] for i in range(0, len(moves), 2)]


def random_game(game, seed, num_plies=10_000, start_plies=0):
    """A random game, to its end or to `num_plies`; the position after `start_plies` is set up."""
    rng = np.random.default_rng(seed)
    board = Board(game)
    for _ in range(start_plies):
        board.play(int(rng.choice(board.legal_moves())))
    start = None
    if start_plies:
        start = Start(board.positions.stones[0].copy(), board.turn)
        board = Board.from_stones(game, *start)
    while not board.is_over and len(board.moves) < num_plies:
        board.play(int(rng.choice(board.legal_moves())))
    return GameText(game, tuple(board.moves), board.status, start=start)


def same(first, second):
    """Whether two games are the same but for their facts and comments."""
    starts = (first.start is None) == (second.start is None)
    if starts and first.start is not None:
        starts = first.start.turn == second.start.turn and (first.start.stones == second.start.stones).all()
    return starts and all(
        getattr(first, name) == getattr(second, name) for name in ("game", "moves", "status", "ending")
    )
