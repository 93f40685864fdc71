"""Move texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stonezero.games import Game, make_game
from stonezero.games.notation import NotationError, move_to_text, parse_move
from tests.games.common import ALL_GAMES, game_id

GOMOKU, OTHELLO = make_game("gomoku", 15, 5), make_game("othello", 8)


@pytest.mark.parametrize("game", ALL_GAMES, ids=game_id)
def test_every_move_has_its_own_text_that_names_it(game: Game) -> None:
    texts = [move_to_text(game, move) for move in range(game.num_actions)]
    assert len(set(texts)) == game.num_actions
    assert [parse_move(game, text) for text in texts] == list(range(game.num_actions))
    assert [parse_move(game, f" {text.upper()}\n") for text in texts] == list(range(game.num_actions))


@pytest.mark.parametrize(
    ("game", "text", "move"),
    [
        (GOMOKU, "h8", 112),
        (GOMOKU, "a15", 0),
        (GOMOKU, "o1", 224),
        (GOMOKU, "i1", 218),
        (GOMOKU, "j1", 219),
        (make_game("gomoku", 20, 5), "t20", 19),
        (OTHELLO, "a1", 0),
        (OTHELLO, "f5", 37),
        (OTHELLO, "h8", 63),
        (OTHELLO, "pass", 64),
    ],
)
def test_gomoku_counts_rows_from_the_bottom_and_othello_from_the_top(
    game: Game, text: str, move: int
) -> None:
    assert parse_move(game, text) == move
    assert move_to_text(game, move) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "h",
        "8",
        "p8",
        "h0",
        "h16",
        "h08",
        "8h",
        "h8h8",
        "h-8",
        "hh8",
        "h\u0668",
        "\uff488",
        "pass",
        "h8 g7",
    ],
)
def test_malformed_gomoku_moves_are_refused_by_name(text: str) -> None:
    with pytest.raises(NotationError, match="write a1 to o15") as caught:
        parse_move(GOMOKU, text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("move", [-1, 225, 10**9])
def test_numbers_off_the_board_have_no_text(move: int) -> None:
    with pytest.raises(NotationError, match=f"{move} is no move"):
        move_to_text(GOMOKU, move)


@given(st.sampled_from(ALL_GAMES), st.text(max_size=6) | st.from_regex(r"[a-v][0-9]{1,2}", fullmatch=True))
def test_any_text_is_a_move_or_a_notation_error(game: Game, text: str) -> None:
    message = ""
    try:
        assert move_to_text(game, parse_move(game, text)) == text.strip().lower()
    except NotationError as error:
        message = str(error)
    assert "\n" not in message
