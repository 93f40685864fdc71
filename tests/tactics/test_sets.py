"""The shipped test sets: their number and variety, and each kind's claims against plain oracles."""

from dataclasses import replace

import numpy as np
import pytest

from stonezero.games import make_game
from stonezero.games.notation import describe
from stonezero.games.position import BLACK, EMPTY
from stonezero.players.book import canonical_form
from stonezero.tactics.make import GAMES, POSITIONS
from stonezero.tactics.sets import TacticsFileError, TacticsSet, parse_set, sets_of, text_of
from tests.reference import othello_endgame
from tests.reference.othello import Board as PlainOthello
from tests.reference.threats import Judge, placed
from tests.tactics.common import SETS, first_of, plain_board, set_id, sets_called

SMALL = {"gomoku-15-5-renju-false_shape": 65, "gomoku-15-5-freestyle-edge": 55}
"""Sets that have fewer than POSITIONS positions, and how many."""

SIDES = " XO"


def judge_of(tactics: TacticsSet) -> Judge:
    spec = tactics.game.spec()
    return Judge(int(spec["size"]), int(spec["k"]), str(spec["rules"]))


def asked(tactics: TacticsSet, count: int) -> list[tuple[list[str], str, list[int], int]]:
    """Board, side to move, answers and number of some positions of a set."""
    some = first_of(tactics, count)
    positions = some.positions()
    return [
        (plain_board(positions, i), SIDES[positions.turn[i]], found.answers, found.number)
        for i, found in enumerate(some.found)
    ]


@pytest.mark.parametrize("tactics", SETS, ids=set_id)
def test_sets_are_full_distinct_and_leave_something_to_get_wrong(tactics: TacticsSet) -> None:
    assert len(tactics) == SMALL.get(set_id(tactics), POSITIONS)
    positions = tactics.positions()
    keys = {canonical_form(tactics.game, positions, row).key for row in range(len(tactics))}
    assert len(keys) == len(tactics)
    legal = np.zeros((len(tactics), tactics.game.num_actions), np.uint8)
    tactics.game.legal_moves(positions, np.arange(len(tactics)), legal)
    answers = np.array([len(found.answers) for found in tactics.found])
    assert (answers >= 1).all()
    assert (answers * 3 <= legal.sum(axis=1)).all()


def test_all_kinds_of_the_games_are_there() -> None:
    kinds = {describe(make_game(*spec)): [s.kind.name for s in sets_of(make_game(*spec))] for spec in GAMES}
    gomoku = ["win_in_1", "block_in_1", "four_three", "double_three"]
    assert kinds["gomoku 6x6, 4 in a row, freestyle"] == [*gomoku, "trap"]
    assert kinds["gomoku 15x15, 5 in a row, freestyle"] == [*gomoku, "edge", "trap"]
    for rules in ("standard", "renju"):
        assert "false_shape" in kinds[f"gomoku 15x15, 5 in a row, {rules}"]
    for size in (6, 8):
        expected = ["corner_grab", "corner_gift", "forced_pass", "parity"]
        assert kinds[f"othello {size}x{size}"] == expected


@pytest.mark.parametrize("tactics", sets_called("win_in_1"), ids=set_id)
def test_wins_in_1_are_all_moves_that_make_a_row(tactics: TacticsSet) -> None:
    judge = judge_of(tactics)
    for board, side, answers, number in asked(tactics, 25):
        empty = [point for point, cell in enumerate(board) if cell == "."]
        assert answers == [point for point in empty if judge.wins_at(board, point, side)]
        assert number == 1


@pytest.mark.parametrize("tactics", sets_called("block_in_1"), ids=set_id)
def test_blocks_in_1_are_the_only_point_where_the_other_side_makes_a_row(tactics: TacticsSet) -> None:
    judge = judge_of(tactics)
    for board, side, answers, _ in asked(tactics, 25):
        other = "XO".replace(side, "")
        empty = [point for point, cell in enumerate(board) if cell == "."]
        assert not judge.winning_points(board, side)
        assert answers == [point for point in empty if judge.wins_at(board, point, other)]
        assert not judge.is_forbidden(board, answers[0], side)
        assert not judge.wins_by_fours(placed(board, answers[0], side), other, 1)


def test_blocks_in_1_lie_on_all_edges_and_on_both_diagonals() -> None:
    for tactics in sets_called("block_in_1"):
        size = tactics.game.size
        rows, columns = np.divmod([found.answers[0] for found in tactics.found], size)
        for line in (rows, columns):
            assert {0, size - 1} <= set(line.tolist())


@pytest.mark.parametrize("tactics", sets_called("four_three"), ids=set_id)
def test_every_answer_of_a_four_three_wins_against_every_reply(tactics: TacticsSet) -> None:
    judge = judge_of(tactics)
    for board, side, answers, _ in asked(tactics, 8):
        other = "XO".replace(side, "")
        assert judge.wins_by_fours(board, other, 8), "something else than winning would do"
        assert not judge.winning_points(board, side)
        assert any(judge.wins_with(board, side, move, 0, 2) for move in answers)


def check_threats_are_real(tactics: TacticsSet, count: int) -> None:
    """Two wrong answers of some positions lose against every reply; right ones don't lose at once."""
    judge, rng = judge_of(tactics), np.random.default_rng(0)
    quick = [case for case in asked(tactics, len(tactics)) if case[3] <= 6]
    assert quick
    for board, side, answers, _ in quick[:count]:
        other = "XO".replace(side, "")
        assert not judge.winning_points(board, side)
        for move in answers:
            assert not judge.wins_by_fours(placed(board, move, side), other, 2)
        wrong = [point for point, cell in enumerate(board) if cell == "." and point not in answers]
        for move in rng.choice(wrong, 2, replace=False).tolist():
            after = placed(board, move, side)
            assert judge.is_forbidden(board, move, side) or any(
                judge.wins(after, other, threes, 6) for threes in (0, 1, 2)
            )


THREATS = sets_called("double_three", "edge", "trap")


@pytest.mark.parametrize("tactics", [s for s in THREATS if s.game.size == 6], ids=set_id)
def test_wrong_answers_to_a_threat_lose_and_right_ones_do_not_at_once(tactics: TacticsSet) -> None:
    check_threats_are_real(tactics, 3)


@pytest.mark.slow
@pytest.mark.parametrize("tactics", [s for s in THREATS if s.game.size > 6], ids=set_id)
def test_wrong_answers_to_a_threat_lose_on_large_boards_too(tactics: TacticsSet) -> None:
    check_threats_are_real(tactics, 1)


@pytest.mark.parametrize("tactics", sets_called("false_shape"), ids=set_id)
def test_false_shapes_have_answers_that_freestyle_would_not_single_out(tactics: TacticsSet) -> None:
    judge, free = judge_of(tactics), Judge(15, 5, "freestyle")
    rows = tricks = 0
    for board, side, answers, number in asked(tactics, 40):
        other = "XO".replace(side, "")
        own, theirs = judge.winning_points(board, side), judge.winning_points(board, other)
        freely = free.winning_points(board, side), free.winning_points(board, other)
        if own:
            assert (number, answers) == (1, own)
            assert set(freely[0]) > set(own)
        elif theirs:
            assert (number, answers) == (2, theirs)
            assert freely[0] or set(freely[1]) > set(theirs)
        elif side == "O":
            assert any(judge.wins_with(board, side, move, 0, 2) for move in answers)
            assert not any(free.wins_with(board, side, move, 0, 2) for move in answers)
            tricks += 1
        rows += bool(own or theirs)
    assert rows >= 10
    assert tricks >= 5 or tactics.game.spec()["rules"] == "standard"


def test_false_shapes_of_renju_never_ask_for_a_forbidden_point() -> None:
    (tactics,) = (s for s in sets_called("false_shape") if s.game.spec()["rules"] == "renju")
    judge = judge_of(tactics)
    asked_black = [case for case in asked(tactics, 100) if case[1] == "X" and case[3] > 2]
    assert len(asked_black) >= 5
    for board, side, answers, _ in asked_black:
        assert not any(judge.is_forbidden(board, move, side) for move in answers)


@pytest.mark.parametrize("tactics", [s for s in SETS if s.game.name == "othello"], ids=set_id)
def test_answers_of_endings_are_all_moves_that_keep_the_outcome(tactics: TacticsSet) -> None:
    positions, size = tactics.positions(), tactics.game.size
    empties = (positions.stones == EMPTY).sum(axis=1)
    known: othello_endgame.Known = {}
    short = np.flatnonzero(empties <= 6)[:8]
    assert len(short) == 8
    for row in short:
        board: PlainOthello = {
            divmod(int(point), size): "X" if positions.stones[row, point] == BLACK else "O"
            for point in np.flatnonzero(positions.stones[row])
        }
        scores = othello_endgame.score_moves(board, SIDES[positions.turn[row]], size, known)
        best = max(scores.values())
        right = [move for move, score in scores.items() if np.sign(score) == np.sign(best)]
        found = tactics.found[row]
        assert found.number == best
        assert sorted(y * size + x for y, x in right if not isinstance((y, x), str)) == found.answers


def test_a_set_is_read_as_it_was_written() -> None:
    tactics = SETS[0]
    again = parse_set(text_of(tactics, "once more"), tactics.game, "here")
    assert (again.kind, again.game, again.moves) == (tactics.kind, tactics.game, tactics.moves)
    assert again.found == tactics.found


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a1 b1", "line 4: 'a1 b1' is no line like"),
        ("a1 a1: b1 3", "line 4: a1 is not legal"),
        ("a1: a1 3", "line 4: the answers a1 are not all legal"),
        ("a1: z9 3", "line 4: "),
    ],
)
def test_a_bad_line_is_named(line: str, reason: str) -> None:
    game = make_game("gomoku", 6, 4)
    head = text_of(replace(SETS[0], moves=[], found=[]), "")
    text = "\n".join([*head.splitlines()[:3], line])
    with pytest.raises(TacticsFileError) as error:
        parse_set(text, game, "here")
    assert reason in str(error.value)


def test_a_set_of_another_game_is_refused() -> None:
    text = text_of(SETS[0], "")
    with pytest.raises(TacticsFileError, match="begins with the lines"):
        parse_set(text, make_game("gomoku", 7, 4), "here")
