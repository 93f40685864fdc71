"""Renju: forbidden points against published cases, the plain twin and PyPI's referee; how such games end."""

import re
from pathlib import Path

import numpy as np
import pytest

from stonezero import Board
from stonezero.errors import UserError
from stonezero.games import BLACK, BLACK_WON, EMPTY, NO_MOVE, ONGOING, WHITE, WHITE_WON, make_game
from stonezero.games.board import BoardTextError
from stonezero.games.notation import move_to_text
from stonezero.games.renju import ALLOWED, DOUBLE_FOUR, DOUBLE_THREE, OVERLINE, mark_forbidden
from stonezero.players.batch_search import BatchSearch
from stonezero.players.evaluators import RolloutEvaluator
from stonezero.players.settings import SearchSettings
from tests.games.common import RandomPlay, play_line
from tests.reference import renju as twin

referee = pytest.importorskip("renju")

DATA = Path(__file__).parent / "data"
GAME = make_game("gomoku", 15, 5, "renju")
KIND_OF_WORD = {"": ALLOWED, "over": OVERLINE, "4x4": DOUBLE_FOUR, "3x3": DOUBLE_THREE}
KIND_OF_DIGIT = {"6": OVERLINE, "4": DOUBLE_FOUR, "3": DOUBLE_THREE}
KIND_OF_TWIN = {"": ALLOWED, "overline": OVERLINE, "4x4": DOUBLE_FOUR, "3x3": DOUBLE_THREE}
KIND_OF_REFEREE = [ALLOWED, DOUBLE_THREE, DOUBLE_FOUR, OVERLINE]
OPEN_CROSS = "h7 a1 h6 c1 g8 e1 f8 g1"  # two open threes that meet on h8, Black to move


def cases(name: str) -> list[list[str]]:
    """The fields of each line of a data file."""
    lines = (DATA / name).read_text().splitlines()
    return [[field.strip() for field in line.split("|")] for line in lines if not line.startswith("#")]


def points_from_top(text: str) -> list[int]:
    return [15 * int(row) + ord(column) - ord("a") for column, row in re.findall(r"([a-o])(\d+)", text)]


def points(text: str) -> list[int]:
    return [
        15 * (15 - int(row)) + ord(column) - ord("a") for column, row in re.findall(r"([a-o])(\d+)", text)
    ]


def with_stones(black: list[int], white: list[int], size: int = 15) -> np.ndarray:
    stones = np.zeros(size * size, np.int8)
    stones[black], stones[white] = BLACK, WHITE
    return stones


def kinds_of(stones: np.ndarray) -> np.ndarray:
    """int8[S]: what the kernel says of each point."""
    kept = stones.reshape(1, -1).copy()
    kinds = np.full(stones.size, 99, np.int8)
    mark_forbidden(kept, 0, int(stones.size**0.5), kinds)
    assert (kept == stones).all(), "the stones are as they were"
    return kinds


def random_stones(rng: np.random.Generator, size: int) -> np.ndarray:
    """Stones as no game leaves them, more of them black: forbidden points abound."""
    density = rng.uniform(0.1, 0.6)
    chances = [1 - density, density * 0.62, density * 0.38]
    return rng.choice([EMPTY, BLACK, WHITE], size=size * size, p=chances).astype(np.int8)


@pytest.mark.parametrize("case", cases("renju_queries.txt"), ids=lambda case: case[0])
def test_single_points_are_judged_as_published(case: list[str]) -> None:
    _, black, white, queries = case
    stones = with_stones(points_from_top(black[2:]), points_from_top(white[2:]))
    kinds = kinds_of(stones)
    for query in queries.split("; "):
        word, verdict, *rest = query.split()
        (point,) = points_from_top(word)
        if verdict == "outcome":
            board = Board.from_stones(GAME, stones, BLACK)
            board.play(point)
            assert board.status == {"Black_WIN": BLACK_WON, "White_WIN": WHITE_WON}[rest[0]]
        else:
            assert kinds[point] == KIND_OF_WORD[rest[0] if verdict == "F" else ""], query


@pytest.mark.parametrize("case", cases("renju_sets.txt"), ids=lambda case: case[0])
def test_all_forbidden_points_of_published_positions(case: list[str]) -> None:
    _, black, white, expected = case
    kinds = kinds_of(with_stones(points(black), points(white)))
    found = {int(point): int(kinds[point]) for point in np.flatnonzero(kinds)}
    pairs = re.findall(r"(\w+)=(\d)", expected)
    assert found == {points(word)[0]: KIND_OF_DIGIT[digit] for word, digit in pairs}


def test_all_forbidden_points_of_200_random_positions() -> None:
    positions = cases("renju_random.txt")
    for moves, forbidden in positions:
        stones = with_stones(points(moves)[::2], points(moves)[1::2])
        assert Board.from_stones(GAME, stones, BLACK).forbidden_moves() == sorted(points(forbidden)), moves
    assert len(positions) == 200


def assert_equals_the_twin(num_positions: int, seed: int) -> int:
    """Compare every empty point of random positions; returns how many are forbidden."""
    rng = np.random.default_rng(seed)
    num_forbidden = 0
    for _ in range(num_positions):
        size = int(rng.choice([5, 6, 9, 15, 19]))
        stones = random_stones(rng, size)
        black, white = (
            {divmod(int(point), size) for point in np.flatnonzero(stones == side)} for side in (BLACK, WHITE)
        )
        position = twin.Position(size, black, white)
        kinds = kinds_of(stones)
        for point in np.flatnonzero(stones == EMPTY):
            assert kinds[point] == KIND_OF_TWIN[twin.kind(position, divmod(int(point), size))], stones
        num_forbidden += np.count_nonzero(kinds)
    return num_forbidden


def assert_equals_the_referee(num_positions: int, seed: int) -> int:
    """As `assert_equals_the_twin`, with PyPI's `renju` on 15x15."""
    rng = np.random.default_rng(seed)
    num_forbidden = 0
    for _ in range(num_positions):
        stones = random_stones(rng, 15)
        rows = stones.reshape(15, 15).tolist()
        kinds = kinds_of(stones)
        for point in np.flatnonzero(stones == EMPTY):
            verdict = referee.get_foul_type([list(row) for row in rows], *divmod(int(point), 15))
            assert kinds[point] == KIND_OF_REFEREE[verdict], stones
        num_forbidden += np.count_nonzero(kinds)
    return num_forbidden


def test_forbidden_points_equal_the_twins() -> None:
    assert assert_equals_the_twin(15, seed=40) > 20


@pytest.mark.slow
def test_forbidden_points_of_many_positions_equal_the_twins() -> None:
    assert assert_equals_the_twin(500, seed=41) > 1000


def test_forbidden_points_equal_pypis_referee() -> None:
    assert assert_equals_the_referee(25, seed=42) > 50


@pytest.mark.slow
def test_forbidden_points_of_thousands_of_positions_equal_pypis_referee() -> None:
    assert assert_equals_the_referee(3000, seed=43) > 10_000


def test_random_games_end_as_pypis_referee_says() -> None:
    play = RandomPlay(GAME, 60, seed=44)
    boards = [referee.RenjuBoard(board_size=15, rule="renju") for _ in range(60)]
    reasons = set()
    while len(play.live):
        for row, move in zip(*play.step(), strict=True):
            status, reason = boards[row].play_move(*divmod(int(move), 15))
            assert play.positions.status[row] == status.value
            reasons.add(reason.name)
    assert len(reasons) > 3, "fives and forbidden points both end games"


def test_a_forbidden_point_can_be_played_and_loses_at_once() -> None:
    board = play_line(Board(GAME), OPEN_CROSS)
    assert [move_to_text(GAME, move) for move in board.forbidden_moves()] == ["h8"]
    assert "8 . . . . . X X ! . . . . . . ." in str(board)
    board.play("h8")
    assert (board.winner, board.legal_moves(), board.forbidden_moves()) == (WHITE, [], [])
    assert str(board).endswith("white won (forbidden h8)")
    board.undo()
    board.play("h9")
    assert board.status == ONGOING


def test_points_are_forbidden_only_under_renju_and_only_for_black() -> None:
    assert play_line(Board("gomoku", 15, 5, "standard"), OPEN_CROSS).forbidden_moves() == []
    board = play_line(Board(GAME), OPEN_CROSS)
    colours_swapped = Board.from_stones(GAME, (3 - board.stones) * (board.stones > 0), WHITE)
    assert colours_swapped.forbidden_moves() == []
    assert "!" not in str(colours_swapped)
    colours_swapped.play("h8")
    assert colours_swapped.status == ONGOING
    assert Board("othello", 8).forbidden_moves() == []


def test_six_in_a_row_wins_for_white_and_loses_for_black() -> None:
    black = play_line(Board(GAME), "a1 a15 b1 c15 c1 e15 e1 g15 f1 i15 d1")
    white = play_line(Board(GAME), "a15 a1 c15 b1 e15 c1 g15 e1 i15 f1 k15 d1")
    assert black.winner == white.winner == WHITE
    assert str(black).endswith("white won (forbidden d1)")
    assert str(white).endswith("white won")


@pytest.mark.parametrize("line", [OPEN_CROSS, f"{OPEN_CROSS} h8", "a1 a15 b1 c15 c1 e15 e1 g15 f1 i15 d1"])
def test_a_board_with_forbidden_points_is_read_back_as_it_was(line: str) -> None:
    board = play_line(Board(GAME), line)
    parsed = Board.parse(str(board))
    assert parsed == board
    assert str(parsed) == str(board)
    assert (parsed.status, parsed.turn) == (board.status, board.turn)
    assert Board.parse(str(board).replace("!", ".")) == board, "marks may be left out"


def test_without_the_last_move_a_set_up_board_is_lost_only_by_an_overline() -> None:
    lost = play_line(Board(GAME), f"{OPEN_CROSS} h8")
    assert Board.from_stones(GAME, lost.stones, WHITE).status == ONGOING
    assert Board.from_stones(GAME, lost.stones, WHITE, last_move=112).status == WHITE_WON
    six = Board.from_stones(GAME, with_stones(list(range(6)), [100]), WHITE)
    assert (six.status, six.turn) == (WHITE_WON, WHITE)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("8 . . . . . X X !", "8 . . . . ! X X .", "e8 is marked as forbidden and is not"),
        ("black to move", "white won (forbidden h8)", "the last move 112 is no black stone"),
        ("black to move", "white won (forbidden z8)", "'z8' is no move"),
        ("black to move", "white won", "says 'white won' where it is 'black to move'"),
    ],
)
def test_a_text_that_marks_wrong_points_is_refused(old: str, new: str, message: str) -> None:
    text = str(play_line(Board(GAME), OPEN_CROSS))
    assert old in text
    with pytest.raises(UserError, match=re.escape(message)):
        Board.parse(text.replace(old, new))


@pytest.mark.parametrize("last_move", [0, 225, -2, True, None, "h8"])
def test_a_last_move_is_a_stone_of_the_other_side(last_move: object) -> None:
    with pytest.raises(BoardTextError, match="last move"):
        Board.from_stones(GAME, with_stones([112], []), WHITE, last_move)  # type: ignore[arg-type]
    assert Board.from_stones(GAME, with_stones([112], []), WHITE, NO_MOVE).status == ONGOING


@pytest.mark.parametrize(("size", "k"), [(15, 4), (15, 6), (4, 4)])
def test_renju_has_five_in_a_row(size: int, k: int) -> None:
    with pytest.raises(UserError, match="renju is played with 5 in a row"):
        make_game("gomoku", size, k, "renju")


def test_search_counts_a_forbidden_point_as_lost() -> None:
    board = play_line(Board("gomoku", 7, 5, "renju"), "d3 a1 d2 c1 c4 e1 b4 g1")
    search = BatchSearch(board.game, RolloutEvaluator(board.game, 1), SearchSettings(2.0, 0.0), 1, 600)
    search.set_root(0, board.positions, 0, 7)
    search.set_budget(0, 600)
    search.run(np.arange(1))
    statistics = search.statistics(0)
    (forbidden,) = board.forbidden_moves()
    assert statistics.values[forbidden] == -1
    assert 1 <= statistics.visits[forbidden] <= 4
