"""How well games end: what the endgame solver says of positions that were played on."""

from typing import NamedTuple

import numpy as np

from stonezero.games import make_game
from stonezero.games.position import EMPTY
from stonezero.records.schema import RecordTable
from stonezero.solvers.endgame import EndgameSolver


class EndingFigures(NamedTuple):
    """Of games that came to an ending."""

    games: int
    judged_games: int  #: those with a position of so few empty points
    changed_games: int  #: the result is not the one that was right at the first such position
    changed_share: float  #: of the judged games; 0 where there is none


def judge_endings(table: RecordTable, num_empties: int) -> EndingFigures:
    """Whether mistakes in the last `num_empties` empty points changed the results of whole games of Othello.

    A game is judged by its first position with so few empty points or fewer. EndgameError for games that have
    no solver.
    """
    solver = EndgameSolver(make_game(**table.game))
    is_ending = np.count_nonzero(table.stones == EMPTY, axis=1) <= num_empties
    begins_game = np.diff(table.game_id, prepend=-1) != 0
    goes_on_ending = np.append(False, is_ending[:-1]) & ~begins_game
    first = np.flatnonzero(is_ending & ~goes_on_ending)
    changed = sum(
        solver.outcome(table.stones[row], int(table.turn[row])).score != table.outcome[row] for row in first
    )
    num_games = int(begins_game.sum())
    return EndingFigures(num_games, len(first), int(changed), float(changed / max(len(first), 1)))
