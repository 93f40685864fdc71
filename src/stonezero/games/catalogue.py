"""Which games exist, on which boards and under which rules: `make_game` and its checks."""

import numpy as np

from stonezero.errors import UserError
from stonezero.games.game import Game
from stonezero.games.gomoku import RULE_CODES, Gomoku
from stonezero.games.notation import quoted
from stonezero.games.othello import Othello

GOMOKU_SIZES = range(3, 21)
OTHELLO_SIZES = (4, 6, 8, 10)


def make_game(name: str, size: int, k: int = 0, rules: str = "") -> Game:
    """The game called `name` on a `size` x `size` board.

    Parameters
    ----------
    name : "gomoku" or "othello"
    size : 3..20 for Gomoku; 4, 6, 8 or 10 for Othello
    k : stones in a row that win, 3..size (5 under "renju"), in Gomoku; 0 in Othello
    rules : "freestyle" (k or more win), "standard" (exactly k win) or "renju" (forbidden points for Black) in
        Gomoku; "othello" in Othello. Empty means "freestyle" and "othello".

    Raises
    ------
    UserError
        For a game, size, k or rule set that does not exist.
    """
    if not isinstance(name, str) or name not in ("gomoku", "othello"):
        raise UserError(f"there is no game {quoted(name)}: choose gomoku or othello")
    if not isinstance(rules, str):
        raise UserError(f"the rules of {name} are a name, not {quoted(rules)}")
    if name == "gomoku":
        return _make_gomoku(size, k, rules or "freestyle")
    return _make_othello(size, k, rules or "othello")


def _make_gomoku(size: int, k: int, rules: str) -> Gomoku:
    if not _is_integer(size) or size not in GOMOKU_SIZES:
        raise UserError(f"gomoku is played on boards of size 3 to 20, not {quoted(size)}")
    if not _is_integer(k) or not 3 <= k <= size:
        raise UserError(f"gomoku on size {size} needs k from 3 to {size} in a row, not {quoted(k)}")
    if rules not in RULE_CODES:
        raise UserError(f"gomoku has no rules {quoted(rules)}: choose {', '.join(RULE_CODES)}")
    if rules == "renju" and k != 5:
        raise UserError(f"renju is played with 5 in a row on boards of 5 or more, not with {quoted(k)}")
    return Gomoku(int(size), int(k), rules)


def _make_othello(size: int, k: int, rules: str) -> Othello:
    if not _is_integer(size) or size not in OTHELLO_SIZES:
        raise UserError(f"othello is played on boards of size 4, 6, 8 or 10, not {quoted(size)}")
    if not _is_integer(k) or k != 0:
        raise UserError(f"othello has no k: leave it out or give 0, not {quoted(k)}")
    if rules != "othello":
        raise UserError(f"othello has no rules {quoted(rules)}: leave them out or give 'othello'")
    return Othello(int(size))


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
