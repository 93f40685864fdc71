"""What the tests of tactics share: the shipped sets, plain boards, players that know nothing or all."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stonezero.games import NO_MOVE, Game, Positions, make_game
from stonezero.games.game import Moves, Rows
from stonezero.players.player import Player
from stonezero.solvers.endgame import EndgameSolver
from stonezero.solvers.threats import ThreatSolver
from stonezero.tactics.make import GAMES
from stonezero.tactics.sets import TacticsSet, sets_of

SETS = [tactics for spec in GAMES for tactics in sets_of(make_game(*spec))]


def set_id(tactics: TacticsSet) -> str:
    return "-".join([*map(str, tactics.game.spec().values()), tactics.kind.name])


def sets_called(*kinds: str) -> list[TacticsSet]:
    return [tactics for tactics in SETS if tactics.kind.name in kinds]


def first_of(tactics: TacticsSet, count: int) -> TacticsSet:
    """The set with so many of its positions, evenly spread."""
    chosen = np.linspace(0, len(tactics) - 1, min(count, len(tactics))).astype(int)
    moves, found = ([field[i] for i in chosen] for field in (tactics.moves, tactics.found))
    return replace(tactics, moves=moves, found=found)


def plain_board(positions: Positions, row: int) -> list[str]:
    return [".XO"[stone] for stone in positions.stones[row]]


class FirstLegal(Player):
    """Plays the first legal move."""

    name = "first legal"

    def __init__(self, game: Game) -> None:
        self._game = game

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        legal = np.zeros((len(rows), self._game.num_actions), np.uint8)
        self._game.legal_moves(positions, rows, legal)
        return legal.argmax(axis=1).astype(np.int16)


class EndingSolver(Player):
    """Plays Othello endings without a mistake."""

    name = "endgame solver"

    def __init__(self, game: Game) -> None:
        self._solver = EndgameSolver(game)

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        solved = [self._solver.outcome(positions.stones[row], int(positions.turn[row])).move for row in rows]
        return np.array(solved, np.int16)


class ThreatKnower(Player):
    """Plays a proven win of Gomoku, or else the first block, one that no win is proven against if any."""

    name = "threat solver"

    def __init__(self, game: Game) -> None:
        self._game = game
        self._shallow = [ThreatSolver(game, depth, 30_000) for depth in (1, 2, 3)]
        self._deep = ThreatSolver(game, 3, 100_000)

    def choose(
        self, positions: Positions, rows: Rows, keys: NDArray[np.uint64], lines: Moves | None = None
    ) -> Moves:
        return np.array([self._move(positions, int(row)) for row in rows], np.int16)

    def _move(self, positions: Positions, row: int) -> int:
        won = self._deep.solve(positions, row)
        if won.is_win:
            return won.line[0]
        blocks = (solver.must_blocks(positions, row) for solver in self._shallow)
        moves = next(moves for moves in blocks if moves is not None)
        return next((move for move in moves if self._holds(positions, row, move)), moves[0])

    def _holds(self, positions: Positions, row: int, move: int) -> bool:
        child = Positions._make(field[row : row + 1].copy() for field in positions)
        mask = np.zeros((1, self._game.num_actions), np.uint8)
        one = np.zeros(1, np.int64)
        self._game.play(child, one, np.array([move], np.int16), one, mask)
        return self._deep.prove(child, one)[0] == NO_MOVE
