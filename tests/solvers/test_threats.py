"""Wins by threats: every claim against brute force, against every defence, and on published positions."""

import re
from pathlib import Path

import numpy as np
import pytest

from stonezero import Board
from stonezero.errors import UserError
from stonezero.games import BLACK, EMPTY, NO_MOVE, WHITE, Game, Positions, make_game
from stonezero.games.notation import move_to_text, parse_move
from stonezero.solvers.threats import (
    ThreatResult,
    ThreatSolver,
    fours,
    must_blocks,
    solve_threats,
    threes,
    windows,
)
from stonezero.solvers.threats import solver as solver_module
from tests.games.common import game_id, play_line
from tests.reference import brute_force

DATA = Path(__file__).parent / "data"
RULES = {"0": "freestyle", "1": "standard", "4": "renju"}
FREESTYLE = make_game("gomoku", 15, 5)
SMALL_GAMES = [
    make_game("gomoku", 4, 3),
    make_game("gomoku", 4, 3, "standard"),
    make_game("gomoku", 5, 4),
    make_game("gomoku", 5, 4, "standard"),
    make_game("gomoku", 6, 5, "standard"),
    make_game("gomoku", 6, 5, "renju"),
]


def cases(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text().splitlines()
    return [[field.strip() for field in line.split("|")] for line in lines if not line.startswith("#")]


def board_of(size: str, rule: str, moves: str) -> Board:
    board = Board("gomoku", int(size), 5, RULES[rule])
    for move in moves.split():
        x, y = (int(number) for number in move.split(","))
        board.play(y * board.game.size + x)
    return board


def set_up(game: Game, black: str, white: str, turn: int) -> Board:
    stones = np.zeros(game.num_points, np.int8)
    stones[[parse_move(game, word) for word in black.split()]] = BLACK
    stones[[parse_move(game, word) for word in white.split()]] = WHITE
    return Board.from_stones(game, stones, turn)


def texts(game: Game, moves: list[int] | None) -> list[str]:
    assert moves is not None
    return [move_to_text(game, move) for move in moves]


def wins_along(board: Board, result: ThreatResult) -> bool:
    """Whether the line is legal and ends with a win of the side to move."""
    end = board.copy()
    for move in result.line:
        end.play(move)
    return end.winner == board.turn


def beats_every_defence(board: Board, depth: int) -> bool:
    """Play the win out; at each turn every legal reply must leave a proven win, the toughest is played."""
    attacker, game = board.turn, board.copy()
    while not game.is_over:
        game.play(solve_threats(game, depth).line[0])
        toughest, length = -1, -1
        for reply in game.legal_moves():
            game.play(reply)
            result = solve_threats(game, depth)
            if not (result.is_win or game.winner == attacker):
                return False
            if len(result.line) > length:
                toughest, length = reply, len(result.line)
            game.undo()
        if not game.is_over:
            game.play(toughest)
    return game.winner == attacker


def small_positions(game: Game, num_empty: int, num_positions: int, seed: int) -> list[Board]:
    """Random positions with so many empty points, nobody having won."""
    rng, boards = np.random.default_rng(seed), []
    while len(boards) < num_positions:
        order = rng.permutation(game.num_points)
        stones = np.zeros(game.num_points, np.int8)
        num_stones = game.num_points - num_empty
        stones[order[:num_stones]] = 1 + np.arange(num_stones) % 2
        try:
            board = Board.from_stones(game, stones, BLACK if num_stones % 2 == 0 else WHITE)
        except UserError:
            continue
        if not board.is_over:
            boards.append(board)
    return boards


def value_of(board: Board) -> int:
    """The exact value for the side to move."""
    if board.is_over:
        return 0 if board.is_draw else (1 if board.winner == board.turn else -1)
    spec = board.game.spec()
    cells = "".join(".XO"[stone] for stone in board.stones.ravel())
    rules = str(spec["rules"])
    return brute_force.value(cells, " XO"[board.turn], board.game.size, int(spec["k"]), rules)


def assert_claims_are_true(game: Game, num_empty: int, num_positions: int, seed: int) -> tuple[int, int]:
    """Compare with brute force; returns how many wins are claimed and how many exist."""
    claimed = existing = 0
    for board in small_positions(game, num_empty, num_positions, seed):
        value, result = value_of(board), solve_threats(board)
        if result.is_win:
            assert value == 1, str(board)
            assert wins_along(board, result), str(board)
        blocks = must_blocks(board)
        for move in board.legal_moves() if blocks is not None else []:
            if move not in blocks:
                after = board.copy()
                after.play(move)
                assert value < 1 or not result.is_win or result.line[0] != move
                assert value_of(after) * (1 if after.turn != board.turn else -1) == 1 or wins_at_once(board)
        claimed, existing = claimed + result.is_win, existing + (value == 1)
    return claimed, existing


def wins_at_once(board: Board) -> bool:
    return len(solve_threats(board).line) == 1


@pytest.mark.parametrize("game", SMALL_GAMES, ids=game_id)
def test_on_small_boards_wins_are_wins_and_moves_that_do_not_block_lose(game: Game) -> None:
    claimed, existing = assert_claims_are_true(game, 7, 25, seed=50)
    assert claimed >= existing / 2 > 0


@pytest.mark.slow
@pytest.mark.parametrize("game", SMALL_GAMES, ids=game_id)
def test_on_small_boards_no_claim_of_many_is_wrong(game: Game) -> None:
    claimed, existing = assert_claims_are_true(game, 8, 200, seed=51)
    assert claimed >= existing / 2 > 10


@pytest.mark.parametrize("case", cases("fours.txt"), ids=lambda case: case[2][:8])
def test_published_wins_by_fours_are_found(case: list[str]) -> None:
    game = make_game("gomoku", 15, 5, "renju")
    black, white = (re.sub(r"\s+", " ", side) for side in case[1:])
    board = set_up(game, black, white, BLACK)
    result = solve_threats(board, depth=0, nodes=1000)
    assert result.is_win
    assert wins_along(board, result)
    assert beats_every_defence(board, depth=0)


def test_wins_claimed_in_positions_of_a_strong_engine_hold_against_every_defence() -> None:
    found = []
    for head, moves, *_ in cases("forced_wins.txt"):
        board = board_of(*head.split(), moves)
        result = solve_threats(board, depth=4, nodes=60_000)
        if result.is_win:
            found.append(board)
            assert wins_along(board, result)
    assert len(found) >= 8, "of 33"
    assert beats_every_defence(found[0], depth=4)


@pytest.mark.slow
def test_every_win_claimed_in_positions_of_a_strong_engine_holds_against_every_defence() -> None:
    found = 0
    for head, moves, *_ in cases("forced_wins.txt"):
        board = board_of(*head.split(), moves)
        if solve_threats(board, depth=4).is_win:
            found += 1
            assert beats_every_defence(board, depth=4)
    assert found >= 9, "of 33"


def test_an_open_three_wins_and_is_blocked_only_next_to_it() -> None:
    black, white = "g8 h8 i8", "a1 a15 o1"
    assert solve_threats(set_up(FREESTYLE, black, white, BLACK), depth=0).is_win
    threatened = set_up(FREESTYLE, black, white, WHITE)
    assert sorted(texts(FREESTYLE, must_blocks(threatened))) == ["f8", "j8"]
    confined = set_up(FREESTYLE, black, "a1 a15 k8", WHITE)
    assert sorted(texts(FREESTYLE, must_blocks(confined))) == ["e8", "f8", "j8"]
    assert must_blocks(set_up(FREESTYLE, "g8 h8", white, WHITE), depth=0) is None


def test_a_four_of_ones_own_is_among_the_blocks() -> None:
    board = set_up(FREESTYLE, "g8 h8 i8", "a1 b1 c1", WHITE)
    assert sorted(texts(FREESTYLE, must_blocks(board))) == ["d1", "e1", "f8", "j8"]


def test_the_winning_move_is_the_only_block_of_a_side_that_wins_at_once() -> None:
    board = set_up(FREESTYLE, "g8 h8 i8", "a1 b1 c1 d1", WHITE)
    assert texts(FREESTYLE, must_blocks(board)) == ["e1"]
    assert texts(FREESTYLE, solve_threats(board).line) == ["e1"]


def test_two_fours_that_cannot_be_met_leave_no_block() -> None:
    assert must_blocks(set_up(FREESTYLE, "g8 h8 i8 j8", "a1 c1 a15", WHITE)) == []


def test_two_points_that_the_other_side_wins_on_are_never_counted_as_one() -> None:
    black, white = "b5 d5 e4 b3 d3 c2 d2 a1 d1", "a5 c5 a4 c4 c3 e3 b2 e1"  # d4 wins twice, b1 once
    board = set_up(make_game("gomoku", 5, 4), black, white, WHITE)
    assert value_of(board) == -1
    assert not solve_threats(board).is_win
    assert must_blocks(board) == []


def test_white_wins_where_the_only_reply_is_forbidden() -> None:
    black, white = "h7 h6 g8 f8 c3", "d4 e5 f6 a15"
    renju = set_up(make_game("gomoku", 15, 5, "renju"), black, white, WHITE)
    result = solve_threats(renju, depth=0)
    assert texts(renju.game, result.line) == ["g7", "h8"]
    assert wins_along(renju, result)
    assert not solve_threats(set_up(FREESTYLE, black, white, WHITE), depth=0).is_win


def test_under_renju_black_may_not_win_by_forbidden_fours() -> None:
    black, white = "h6 h7 h9 e8 f8 g8", "a1 c1 e1 a15 d8"
    assert solve_threats(set_up(FREESTYLE, black, white, BLACK), depth=0).line[0] == 112
    renju = set_up(make_game("gomoku", 15, 5, "renju"), black, white, BLACK)
    assert 112 in renju.forbidden_moves()
    result = solve_threats(renju, depth=0)
    assert not result.is_win or (result.line[0] != 112 and wins_along(renju, result))


def test_six_in_a_row_is_no_win_where_only_five_is() -> None:
    line = "a1 b1 c1 e1 f1"  # d1 would make six
    for rules, wins in (("freestyle", True), ("standard", False)):
        board = set_up(make_game("gomoku", 15, 5, rules), line, "a15 c15 e15 g15", BLACK)
        assert (len(solve_threats(board, depth=0).line) == 1) == wins


def test_the_first_move_of_4_in_a_row_on_6x6_is_found_after_two_stones() -> None:
    board = play_line(Board("gomoku", 6, 4), "c3 a1 c4 a6")
    assert wins_along(board, solve_threats(board))


def test_the_node_limit_is_kept_and_told() -> None:
    board = board_of("15", "0", "8,4 8,9 9,10 8,8 7,7 9,8 7,8")
    result = solve_threats(board, depth=4, nodes=500)
    assert (result.is_win, result.was_cut_off) == (False, True)
    assert 500 <= result.nodes < 800
    assert not solve_threats(Board(FREESTYLE)).was_cut_off


def test_batches_and_used_solvers_answer_as_fresh_ones() -> None:
    boards = [board_of(*head.split(), moves) for head, moves, *_ in cases("forced_wins.txt")]
    boards = [board for board in boards if board.game == FREESTYLE]
    positions = Positions._make(
        np.concatenate(fields) for fields in zip(*(board.positions for board in boards), strict=True)
    )
    used = ThreatSolver(FREESTYLE, 3, 2000)
    moves = used.prove(positions, np.arange(len(boards)))
    for row, board in enumerate(boards):
        fresh = ThreatSolver(FREESTYLE, 3, 2000)
        result = fresh.solve(board.positions, 0)
        assert used.solve(positions, row) == result
        assert moves[row] == (result.line[0] if result.is_win else NO_MOVE)
        assert used.must_blocks(positions, row) == fresh.must_blocks(board.positions, 0)


def test_a_finished_game_has_no_win_and_no_block() -> None:
    over = play_line(Board("gomoku", 3, 3), "a1 a2 b1 b2 c1")
    assert solve_threats(over) == ThreatResult(False, [], 0, False)
    assert must_blocks(over) is None
    assert ThreatSolver(over.game).prove(over.positions, np.zeros(1, np.int64)).tolist() == [NO_MOVE]


def test_the_solver_leaves_the_board_as_it_was() -> None:
    board = board_of("9", "0", "1,3 3,6 7,3 5,1 4,3 4,4 3,5 5,4 6,2")
    before = str(board)
    assert solve_threats(board).is_win
    assert must_blocks(board) is None or before == str(board)
    assert (board.stones == EMPTY).sum() == 72


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((make_game("othello", 8),), "searched for in gomoku, not in othello 8x8"),
        ((FREESTYLE, 11), "depth of a threat search is a number from 0 to 10, not 11"),
        ((FREESTYLE, -1), "depth"),
        ((FREESTYLE, True), "depth"),
        ((FREESTYLE, 2, 0), "nodes of a threat search is a number from 1"),
        ((FREESTYLE, 2, 1.5), "nodes"),
    ],
)
def test_impossible_searches_are_refused_in_one_sentence(arguments: tuple, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(UserError, match=message) as caught:
        ThreatSolver(*arguments)
    assert "\n" not in str(caught.value)


def test_each_kernel_is_compiled_once_for_all_boards_and_rules() -> None:
    for game in (*SMALL_GAMES, FREESTYLE):
        solver, positions = ThreatSolver(game, 1, 50), game.new_positions(1)
        solver.solve(positions, 0)
        solver.must_blocks(positions, 0)
        solver.prove(positions, np.zeros(1, np.int64))
    kernels = {
        name: kernel
        for module in (windows, fours, threes, solver_module)
        for name, kernel in vars(module).items()
        if hasattr(kernel, "signatures") and name != "judge_black"
    }
    assert len(kernels) > 15
    assert {name for name, kernel in kernels.items() if len(kernel.signatures) > 1} == set()
