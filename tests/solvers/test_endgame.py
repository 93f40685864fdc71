"""The endgame solver against plain minimax, published scores, and positions that cannot be."""

from pathlib import Path

import numpy as np
import pytest

from stonezero import Board
from stonezero.games import BLACK, EMPTY, WHITE, make_game
from stonezero.games.notation import move_to_text
from stonezero.games.othello_bits import pack_discs
from stonezero.games.position import NO_MOVE
from stonezero.jit import kernel
from stonezero.solvers.endgame import NO_SCORE, EndgameError, EndgameSolver
from stonezero.solvers.endgame.stability import stable_discs
from tests.games.common import RandomPlay
from tests.reference import othello_endgame as twin

DATA = Path(__file__).parent / "data"
SIDES = {"X": BLACK, "O": WHITE}
FEINSTEINS_GAME = (
    "c2 b4 c5 d2 e4 e3 d1 c1 b1 d5 d6 f4 b3 b2 f3 f2 e2 b6 a4 c6 a6 a2 b5 a5 e6 e5 a3 a1 f5 f6 pass e1 f1"
)


def rows_of(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text().splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


def stones_of(text: str) -> np.ndarray:
    return np.array(["-XO".index(symbol) for symbol in text], np.int8)


def ffo(first: int, last: int) -> list[list[str]]:
    return [row for row in rows_of("ffo.txt") if first <= int(row[0]) <= last]


@pytest.fixture(scope="module")
def solver() -> EndgameSolver:
    return EndgameSolver(make_game("othello", 8))


def late_positions(size: int, num_games: int, num_empties: int) -> list[tuple[np.ndarray, int]]:
    """Positions of random games with at most so many empty points, the ends of games included."""
    play = RandomPlay(make_game("othello", size), num_games, seed=size)
    found = []
    while True:
        for row in range(num_games):
            stones = play.positions.stones[row]
            if np.count_nonzero(stones == EMPTY) <= num_empties and len(found) < 40 * num_games:
                found.append((stones.copy(), int(play.positions.turn[row])))
        if not len(play.live):
            return found
        play.step()


@pytest.mark.parametrize(("size", "num_games", "num_empties"), [(4, 30, 8), (6, 20, 6), (8, 25, 6)])
def test_scores_outcomes_and_moves_equal_plain_minimax(size: int, num_games: int, num_empties: int) -> None:
    game = make_game("othello", size)
    solver = EndgameSolver(game)
    num_passes = num_over = 0
    known: twin.Known = {}
    for stones, side in late_positions(size, num_games, num_empties):
        mover = " XO"[side]
        board = {divmod(int(p), size): " XO"[stones[p]] for p in np.flatnonzero(stones)}
        wanted = {
            game.pass_move if isinstance(move, str) else move[0] * size + move[1]: score
            for move, score in twin.score_moves(board, mover, size, known).items()
        }
        found, outcome = solver.solve(stones, side), solver.outcome(stones, side)
        scores = solver.score_moves(stones, side)
        assert {int(move): int(scores[move]) for move in np.flatnonzero(scores != NO_SCORE)} == wanted
        assert found.score == twin.score(board, mover, size, known)
        assert outcome.score == np.sign(found.score)
        if wanted:
            assert wanted[found.move] == found.score
            assert np.sign(wanted[outcome.move]) == outcome.score
        else:
            assert (found.move, outcome.move) == (NO_MOVE, NO_MOVE)
        num_passes += game.pass_move in wanted
        num_over += not wanted
    assert num_passes > 2
    assert num_over > 2


def test_4x4_is_solved_from_the_start_and_white_wins_by_10() -> None:
    board = Board("othello", 4)
    solver = EndgameSolver(board.game)
    while not board.is_over:
        found = solver.solve(board.positions.stones[0], board.turn)
        assert found.score == (-10 if board.turn == BLACK else 10)
        board.play(found.move)
    black, white = board.score
    assert white - black + np.count_nonzero(board.stones == EMPTY) == 10


def test_every_position_of_a_perfect_6x6_game_is_worth_four_to_white() -> None:
    game = make_game("othello", 6)
    solver, board = EndgameSolver(game), Board(game)
    num_solved = 0
    for move in FEINSTEINS_GAME.split():
        board.play(move)
        if np.count_nonzero(board.stones == EMPTY) <= 18 and not board.is_over:
            score = solver.solve(board.positions.stones[0], board.turn).score
            assert score == (-4 if board.turn == BLACK else 4), move
            num_solved += 1
    assert num_solved == 19  # the forced pass leads to one more
    assert solver.solve(board.positions.stones[0], board.turn) == (
        4 * (1 if board.turn == WHITE else -1),
        -1,
        0,
    )


@pytest.mark.parametrize(("text", "side", "score"), rows_of("endings6x6.txt"))
def test_6x6_endings_have_their_scores(text: str, side: str, score: str) -> None:
    solver = EndgameSolver(make_game("othello", 6))
    stones = stones_of(text)
    assert solver.solve(stones, SIDES[side]).score == int(score)
    assert solver.outcome(stones, SIDES[side]).score == np.sign(int(score))


@pytest.mark.parametrize("row", ffo(1, 30), ids=lambda row: f"ffo{row[0]}")
def test_ffo_endings_have_their_scores_and_moves(solver: EndgameSolver, row: list[str]) -> None:
    _, text, side, num_empties, score, *moves = row
    stones = stones_of(text)
    assert np.count_nonzero(stones == EMPTY) == int(num_empties)
    found = solver.solve(stones, SIDES[side])
    assert found.score == int(score)
    assert move_to_text(solver.game, found.move) in moves


@pytest.mark.slow
@pytest.mark.parametrize("row", ffo(40, 44), ids=lambda row: f"ffo{row[0]}")
def test_long_ffo_endings_have_their_scores_and_moves(solver: EndgameSolver, row: list[str]) -> None:
    _, text, side, _, score, *moves = row
    found = solver.solve(stones_of(text), SIDES[side])
    assert found.score == int(score)
    assert f"{move_to_text(solver.game, found.move)}:{found.score:+d}" in moves


@pytest.mark.slow
def test_every_move_of_ffo_40_has_its_score(solver: EndgameSolver) -> None:
    _, text, side, _, _, *moves = ffo(40, 40)[0]
    scores = solver.score_moves(stones_of(text), SIDES[side])
    texts = [
        f"{move_to_text(solver.game, int(m))}:{scores[m]:+d}" for m in np.flatnonzero(scores != NO_SCORE)
    ]
    assert sorted(texts) == sorted(moves)


def test_an_answer_does_not_depend_on_what_was_solved_before(solver: EndgameSolver) -> None:
    rows = ffo(1, 8)
    positions = [(stones_of(row[1]), SIDES[row[2]]) for row in rows]
    forwards = [solver.solve(*position) for position in positions]
    backwards = [solver.solve(*position) for position in reversed(positions)]
    fresh = [EndgameSolver(solver.game).solve(*position) for position in positions]
    assert forwards == backwards[::-1] == fresh


@kernel
def words(stones, row, size, side):  # type: ignore[no-untyped-def]
    """own, opponent, and the stable discs of own."""
    own, opponent = pack_discs(stones, row, size, side), pack_discs(stones, row, size, 3 - side)
    playable = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
    return own, stable_discs(own, playable & ~(own | opponent), playable)


def test_stable_discs_are_never_turned_and_corners_are_stable() -> None:
    play = RandomPlay(make_game("othello", 8), 60, seed=3)
    corners = 0x8100_0000_0000_0081
    stable = {(row, side): 0 for row in range(60) for side in (BLACK, WHITE)}
    while len(play.live):
        play.step()
        for row, side in stable:
            own, firm = words(play.positions.stones, row, 8, side)
            assert not stable[row, side] & ~own
            assert not own & corners & ~firm
            stable[row, side] |= firm
    assert sum(word.bit_count() for word in stable.values()) > 60 * 40


@pytest.mark.parametrize(
    ("own", "opponent", "needle"),
    [
        (0x18, 0x08, "both sides have a disc on d1"),
        (1 << 12, 1 << 60, "1 discs lie outside the 6x6 board"),
        (0, 0, "there is no disc on the 6x6 board"),
    ],
)
def test_an_impossible_position_is_refused_in_one_sentence(own: int, opponent: int, needle: str) -> None:
    with pytest.raises(EndgameError, match=needle) as caught:
        EndgameSolver(make_game("othello", 6)).solve_discs(own, opponent)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("stones", "side", "needle"),
    [
        (np.zeros(37, np.int8), BLACK, "an array of 36 points"),
        (np.full(36, 3, np.int8), BLACK, "an array of 36 points"),
        (np.zeros(36, np.int8), BLACK, "there is no disc"),
        (np.ones(36, np.int8), 3, "the side to move is"),
    ],
)
def test_stones_that_are_no_position_are_refused(stones: np.ndarray, side: int, needle: str) -> None:
    with pytest.raises(EndgameError, match=needle):
        EndgameSolver(make_game("othello", 6)).solve(stones, side)


@pytest.mark.parametrize("spec", [("othello", 10, 0), ("gomoku", 6, 4)])
def test_other_games_and_boards_are_refused(spec: tuple[str, int, int]) -> None:
    with pytest.raises(EndgameError, match="takes Othello on 4x4, 6x6 and 8x8, not"):
        EndgameSolver(make_game(*spec))
