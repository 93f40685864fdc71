"""What the tests of several games share: the games, random play, exhaustive expansion."""

import numpy as np
from numpy.typing import NDArray

from stonezero import Board
from stonezero.games import ONGOING, Game, Positions, make_game
from stonezero.games.position import copy_rows
from stonezero.games.symmetry import symmetry_tables

ALL_GAMES = [
    make_game("gomoku", 3, 3, "freestyle"),
    make_game("gomoku", 4, 3, "standard"),
    make_game("gomoku", 6, 4, "freestyle"),
    make_game("gomoku", 7, 3, "standard"),
    make_game("gomoku", 9, 9, "standard"),
    make_game("gomoku", 15, 5, "freestyle"),
    make_game("gomoku", 20, 5, "standard"),
    make_game("gomoku", 7, 5, "renju"),
    make_game("gomoku", 15, 5, "renju"),
    make_game("othello", 4),
    make_game("othello", 6),
    make_game("othello", 8),
    make_game("othello", 10),
]


def play_line(board: Board, line: str) -> Board:
    """`board` after the moves of a line like "h8 g7"."""
    for move in line.split():
        board.play(move)
    return board


def game_id(game: Game) -> str:
    return "-".join(str(value) for value in game.spec().values())


class RandomPlay:
    """Random games in lockstep, one per row of `positions`."""

    def __init__(self, game: Game, num_games: int, seed: int) -> None:
        self.game = game
        self.rng = np.random.default_rng(seed)
        self.positions = game.new_positions(num_games)
        self.legal = np.full((num_games, game.num_actions), 255, np.uint8)
        game.legal_moves(self.positions, np.arange(num_games), self.legal)

    @property
    def live(self) -> NDArray[np.int64]:
        """Rows whose game goes on."""
        return np.flatnonzero(self.positions.status == ONGOING)

    def choose(self) -> NDArray[np.int16]:
        """A random legal move for each live row."""
        weights = self.legal[self.live] * self.rng.random((len(self.live), self.game.num_actions))
        return weights.argmax(axis=1).astype(np.int16)

    def step(self) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
        """Play a random move in each live game; returns the rows and the moves."""
        rows, moves = self.live, self.choose()
        legal = np.full((len(rows), self.game.num_actions), 255, np.uint8)
        self.game.play(self.positions, rows, moves, rows, legal)
        self.legal[rows] = legal
        return rows, moves

    def play_out(self) -> Positions:
        """Play all games to their end; returns the final positions."""
        while len(self.live):
            self.step()
        return self.positions


def random_positions(game: Game, num_games: int, seed: int) -> Positions:
    """Every position, finished ones included, of some random games."""
    play = RandomPlay(game, num_games, seed)
    snapshots = [copy_rows(play.positions, slice(None))]
    while len(play.live):
        rows, _ = play.step()
        snapshots.append(Positions._make(field[rows] for field in play.positions))
    return Positions._make(np.concatenate(fields) for fields in zip(*snapshots, strict=True))


def successors(game: Game, positions: Positions) -> tuple[Positions, NDArray[np.int64], NDArray[np.int16]]:
    """All positions one move on, the row each comes from (rising), and the move."""
    num_positions = len(positions.turn)
    legal = np.zeros((num_positions, game.num_actions), np.uint8)
    game.legal_moves(positions, np.arange(num_positions), legal)
    parents, moves = np.nonzero(legal)
    children = game.new_positions(len(parents))
    both = Positions._make(np.concatenate(fields) for fields in zip(positions, children, strict=True))
    targets = num_positions + np.arange(len(parents))
    mask = np.empty((len(parents), game.num_actions), np.uint8)
    game.play(both, parents, moves.astype(np.int16), targets, mask)
    return Positions._make(field[num_positions:] for field in both), parents, moves.astype(np.int16)


def distinct(positions: Positions) -> tuple[Positions, NDArray[np.int64]]:
    """Rows with different stones and turn, and where each given row went."""
    keys = np.column_stack([positions.stones, positions.turn])
    as_bytes = np.ascontiguousarray(keys).view(f"V{keys.shape[1]}").ravel()
    _, first, inverse = np.unique(as_bytes, return_index=True, return_inverse=True)
    return Positions._make(field[first] for field in positions), inverse.ravel()


def turned_alike(game: Game, positions: Positions) -> Positions:
    """The positions, each under the symmetry that puts its stones first in order."""
    boards = np.stack([positions.stones[:, table] for table in symmetry_tables(game.size)], axis=1)
    order = np.ascontiguousarray(boards).view(f"S{game.num_points}")[..., 0]
    return positions._replace(stones=boards[np.arange(len(boards)), order.argmin(axis=1)])
