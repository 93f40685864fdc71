"""Which games `make_game` makes, and what it refuses."""

from typing import Any

import pytest

from stonezero.errors import UserError
from stonezero.games import make_game


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess", 8), "no game 'chess'"),
        (("gomoku", 2, 3), "size 3 to 20, not 2"),
        (("gomoku", 21, 5), "size 3 to 20, not 21"),
        (("gomoku", "9", 5), "size 3 to 20, not '9'"),
        (("gomoku", True, 5), "not True"),
        (("gomoku", 6, 7), "k from 3 to 6 in a row, not 7"),
        (("gomoku", 6, 2), "k from 3 to 6 in a row, not 2"),
        (("gomoku", 6), "k from 3 to 6 in a row, not 0"),
        (("gomoku", 15, 5, "pente"), "no rules 'pente'"),
        (("gomoku", 15, 4, "renju"), "5 in a row"),
        (("othello", 7), "size 4, 6, 8 or 10, not 7"),
        (("othello", 12), "size 4, 6, 8 or 10, not 12"),
        (("othello", 8, 5), "othello has no k"),
        (("othello", 8, 0, "freestyle"), "othello has no rules 'freestyle'"),
    ],
)
def test_games_that_do_not_exist_are_refused_in_one_sentence(
    arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        make_game(*arguments)
    assert "\n" not in str(caught.value)


def test_every_board_size_exists() -> None:
    for size in range(3, 21):
        for k in range(3, size + 1):
            assert make_game("gomoku", size, k, "standard").num_actions == size * size
    for size in (4, 6, 8, 10):
        assert make_game("othello", size).num_actions == size * size + 1
