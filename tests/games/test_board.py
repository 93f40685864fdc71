"""`Board`, the scalar face of the rules."""

import doctest
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stonezero.games.board
from stonezero import Board
from stonezero.errors import UserError
from stonezero.games import BLACK, DRAW, ONGOING, WHITE, make_game
from stonezero.games.board import BoardTextError, GameOverError, IllegalMoveError
from stonezero.games.notation import NotationError
from tests.games.common import ALL_GAMES, play_line

OTHELLO_TEXT = """\
othello 4x4
  a b c d
1 . . . .
2 . O X .
3 . X O .
4 . . . .
black to move (black 2, white 2)"""

GOMOKU_TEXT = """\
gomoku 10x10, 5 in a row, standard
10 . . . . . . . . . .
 9 . . . . . . . . . .
 8 . . . . . . . . . .
 7 . . . . . . . . . .
 6 . . . . . . . . . .
 5 . . . . O . . . . .
 4 . . . X . . . . . .
 3 . . . . . . . . . .
 2 . . . . . . . . . .
 1 . . . . . . . . . .
   a b c d e f g h i j
black to move"""


@st.composite
def played_boards(draw: st.DrawFn) -> Board:
    """Boards of any game after random moves."""
    board = Board(draw(st.sampled_from([game for game in ALL_GAMES if game.size < 10])))
    for _ in range(draw(st.integers(0, 70))):
        if board.is_over:
            break
        board.play(draw(st.sampled_from(board.legal_moves())))
    return board


def test_the_examples_in_the_docstring_hold() -> None:
    assert doctest.testmod(stonezero.games.board).failed == 0


def test_a_board_prints_as_a_diagram_with_game_and_turn() -> None:
    assert str(Board("othello", 4)) == OTHELLO_TEXT
    assert str(play_line(Board("gomoku", 10, 5, "standard"), "d4 e5")) == GOMOKU_TEXT


def test_a_board_tells_turn_moves_score_and_winner() -> None:
    board = play_line(Board("othello", size=8), "f5")
    assert (board.turn, board.ply, board.score, board.moves) == (WHITE, 1, (4, 1), [37])
    assert (board.is_over, board.winner, board.status) == (False, None, ONGOING)
    won = play_line(Board("gomoku", size=3, k=3), "a1 a2 b1 b2 c1")
    assert (won.is_over, won.winner, won.legal_moves()) == (True, BLACK, [])
    drawn = play_line(Board("gomoku", 3, 3), "b2 a1 c1 a3 a2 c2 b3 b1 c3")
    assert (drawn.is_over, drawn.winner, drawn.is_draw, drawn.status) == (True, None, True, DRAW)


@given(played_boards())
def test_taking_back_all_moves_and_replaying_them_passes_through_the_same_boards(board: Board) -> None:
    moves, texts = board.moves, [str(board)]
    while board.moves:
        assert board.undo() == moves[len(board.moves)]
        texts.append(str(board))
    assert board == Board(board.game)
    for move in moves:
        assert str(board) == texts.pop()
        assert move in board.legal_moves()
        board.play(move)
    assert str(board) == texts.pop()


@given(played_boards())
def test_parse_reads_what_str_prints(board: Board) -> None:
    parsed = Board.parse(str(board))
    assert parsed == board
    assert str(parsed) == str(board)
    assert parsed.legal_moves() == board.legal_moves()
    assert parsed.status == board.status


def test_a_copy_goes_its_own_way() -> None:
    board = play_line(Board("othello", 6), "c2")
    twin = board.copy()
    twin.play(twin.legal_moves()[0])
    assert board.moves == [2 + 6]
    assert twin.undo() in board.legal_moves()
    assert twin == board
    twin.undo()
    assert twin.moves == []
    assert len(board.moves) == 1


def test_a_copy_keeps_its_past_whatever_the_original_plays_after_taking_back() -> None:
    board = play_line(Board("gomoku", 9, 5), "e5")
    twin = board.copy()
    board.undo()
    board.play("a1")
    twin.undo()
    assert twin == Board("gomoku", 9, 5)
    assert twin.legal_moves() == list(range(81))


BAD_MOVES = [
    ("a9x", NotationError),
    ("", NotationError),
    (-1, NotationError),
    (65, NotationError),
    (True, NotationError),
    (37.0, NotationError),
    (None, NotationError),
    ([37], NotationError),
    (np.bool_(True), NotationError),
    ("f5", IllegalMoveError),
    ("e4", IllegalMoveError),
    (0, IllegalMoveError),
    ("pass", IllegalMoveError),
    (64, IllegalMoveError),
]


@pytest.mark.parametrize(("move", "kind"), BAD_MOVES, ids=repr)
def test_bad_moves_change_nothing_and_name_move_and_position(move: object, kind: type[UserError]) -> None:
    board = play_line(Board("othello", 8), "f5")
    text, legal = str(board), board.legal_moves()
    with pytest.raises(ValueError, match="8/8/8/3OX3/3XXX2/8/8/8, white to move") as caught:
        board.play(move)  # type: ignore[arg-type]
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    assert (str(board), board.legal_moves(), board.moves) == (text, legal, [37])


def test_a_move_after_the_end_is_an_error_of_its_own_and_can_be_taken_back_from() -> None:
    board = play_line(Board("gomoku", 3, 3), "a1 a2 b1 b2 c1")
    for move in ("c3", "a1", 0):
        with pytest.raises(GameOverError, match=r"after the end of the game: .*3/OO1/XXX, black won"):
            board.play(move)
    assert board.undo() == 8
    board.play("c2")
    assert not board.is_over


def test_taking_back_from_the_start_is_refused() -> None:
    with pytest.raises(UserError, match="no move to take back"):
        Board("othello", 8).undo()


@pytest.mark.parametrize("game", [None, 3, ["gomoku"], "x" * 10**6], ids=["none", "3", "list", "long"])
def test_only_a_game_or_its_name_makes_a_board(game: object) -> None:
    with pytest.raises(UserError, match="gomoku or othello") as caught:
        Board(game, size=9, k=5)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("text", [None, 3, b"othello 4x4"])
def test_only_a_text_is_parsed(text: object) -> None:
    with pytest.raises(BoardTextError, match="read from a text"):
        Board.parse(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "move", ["x" * 10**6, "\n" * 99 + "b", 10**5000, -(10**100), np.zeros((9, 9))], ids=type
)
def test_a_long_wrong_move_is_shortened_in_the_message(move: object) -> None:
    with pytest.raises(NotationError) as caught:
        Board("othello", 8).play(move)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


CENTRE = Board("othello", 4).stones


@pytest.mark.parametrize(
    ("stones", "turn", "message"),
    [
        (CENTRE.tolist(), BLACK, "array of 4 x 4"),
        (None, BLACK, "array of 4 x 4, not None"),
        (CENTRE[:3], BLACK, r"not an array of shape \(3, 4\)"),
        (CENTRE.reshape(2, 8), BLACK, r"not an array of shape \(2, 8\)"),
        (CENTRE + 7, BLACK, "a point is 0"),
        (CENTRE.astype(int) + 300, BLACK, "a point is 0"),
        (CENTRE - 1, BLACK, "a point is 0"),
        (CENTRE * np.nan, BLACK, "a point is 0"),
        (CENTRE.astype(str), BLACK, "a point is 0"),
        (CENTRE, 5, "side to move is 1 .* not 5"),
        (CENTRE, None, "side to move is 1 .* not None"),
        (CENTRE, True, "side to move is 1 .* not True"),
    ],
)
def test_stones_that_are_no_board_are_refused(stones: object, turn: object, message: str) -> None:
    with pytest.raises(BoardTextError, match=message) as caught:
        Board.from_stones(make_game("othello", 4), stones, turn)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_numpy_integers_are_sizes() -> None:
    board = Board("gomoku", size=np.int64(15), k=np.int8(5))  # type: ignore[arg-type]
    assert board == Board("gomoku", size=15, k=5)
    assert type(board.game.size) is int


def test_numpy_integers_are_moves() -> None:
    board = Board("othello", 8)
    board.play(np.int16(37))
    assert board.moves == [37]
    assert type(board.moves[0]) is int


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("othello 4x4", "othello 4x5", "begins with a line like"),
        ("othello 4x4", "othello 5x5", "size 4, 6, 8 or 10"),
        ("othello 4x4", "othello 6x6", "needs 6 rows of 6"),
        ("othello 4x4", "chess 4x4", "no game 'chess'"),
        ("othello 4x4", "gomoku 4x4", "k from 3 to 4"),
        ("othello 4x4", f"othello {'9' * 5000}x4", "begins with"),
        ("1 . . . .", "1 . . .", "needs 4 rows of 4"),
        ("1 . . . .\n", "", "needs 4 rows of 4"),
        ("1 . . . .", "1 . . . #", "needs 4 rows of 4"),
        ("O X", "O .", "centre"),
        ("black to move", "black moves", "ends with"),
        ("black to move", "black won", "says 'black won' where it is 'black to move'"),
        (OTHELLO_TEXT, "", "begins with"),
    ],
)
def test_texts_that_are_no_board_are_refused(old: str, new: str, message: str) -> None:
    assert old in OTHELLO_TEXT
    with pytest.raises(UserError, match=message) as caught:
        Board.parse(OTHELLO_TEXT.replace(old, new))
    assert "\n" not in str(caught.value)


def test_a_board_on_which_both_sides_have_won_is_refused() -> None:
    text = str(Board("gomoku", 3, 3)).replace("3 . . .", "3 X X X").replace("1 . . .", "1 O O O")
    with pytest.raises(BoardTextError, match="both sides have 3 in a row"):
        Board.parse(text)


def test_a_set_up_board_plays_on_to_a_full_board() -> None:
    board = Board.parse(str(play_line(Board("gomoku", 3, 3), "b2 a1 c1 a3 a2 c2 b3")))
    assert (board.moves, board.ply) == ([], 7)
    play_line(board, "b1 c3")
    assert board.is_draw


@given(st.text(max_size=40) | st.text(".XO abcd1234\n", max_size=120))
def test_any_text_is_a_board_or_a_user_error(text: str) -> None:
    for candidate in (text, OTHELLO_TEXT.replace("1 . . . .", text), f"othello 4x4\n{text}\nblack to move"):
        message = ""
        try:
            Board.parse(candidate)
        except UserError as error:
            message = str(error)
        assert "\n" not in message


def test_boards_of_different_games_or_turns_differ() -> None:
    freestyle, standard = Board("gomoku", 9, 5, "freestyle"), Board("gomoku", 9, 5, "standard")
    assert freestyle != standard
    assert freestyle == Board(make_game("gomoku", 9, 5))
    stones = freestyle.stones
    assert Board.from_stones(freestyle.game, stones, BLACK) != Board.from_stones(
        freestyle.game, stones, WHITE
    )


def test_importing_the_package_does_not_import_numba() -> None:
    code = "import stonezero, sys; assert 'numba' not in sys.modules; stonezero.Board('othello', 8)"
    subprocess.run([sys.executable, "-c", code], check=True)
