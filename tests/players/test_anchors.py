"""Anchors: greedy, minimax and the book against plain twins, documented evaluations, ties, strength."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from stonezero.arena.make_book import make_book
from stonezero.arena.matches import Match, play_matches
from stonezero.arena.openings import balanced_openings
from stonezero.arena.tables import points
from stonezero.config.schema import InferenceConfig
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.games.board import Board
from stonezero.games.notation import move_to_text, parse_move
from stonezero.players.book import BOOK_PLIES, FOLDER, BookPlayer, parse_book
from stonezero.players.evaluators import RolloutEvaluator
from stonezero.players.greedy import GreedyPlayer
from stonezero.players.minimax import MAX_DEPTH
from stonezero.players.players import parse_player
from stonezero.players.search_player import ROLLOUT_SETTINGS, SearchPlayer
from stonezero.players.settings import SearchSettings
from tests.reference.minimax import mobility, move_values, turns

INFERENCE = InferenceConfig(backend="numpy", precision="f32", max_batch=16, device="cpu")
SETTINGS = SearchSettings(c_puct=1.5, fpu_reduction=0.2)
ROW = np.zeros(1, np.int64)
BOARDS = [("othello", 4, 0), ("othello", 6, 0), ("gomoku", 5, 4), ("gomoku", 6, 5)]


def spec(text, game):
    return parse_player(text, game, INFERENCE, SETTINGS)


def choose(text, board, key=1):
    player = spec(text, board.game).open(board.game, 1)
    return int(player.choose(board.positions, ROW, np.array([key], np.uint64))[0])


def random_boards(name, size, k, count, seed=0):
    rng = np.random.default_rng(seed)
    boards = []
    while len(boards) < count:
        board = Board(name, size, k)
        for _ in range(rng.integers(0, size * size - 4)):
            if not board.is_over:
                board.play(int(rng.choice(board.legal_moves())))
        if not board.is_over:
            boards.append(board)
    return boards


@pytest.mark.parametrize(("name", "size", "k"), BOARDS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_minimax_plays_a_best_move_of_its_plain_twin(name, size, k, depth):
    for board in random_boards(name, size, k, 12 if depth < 3 else 4, seed=depth):
        if len(board.legal_moves()) > (16 if depth < 3 else 10):
            continue  # the twin tries more moves of Gomoku than the anchor does, and is slow
        values = move_values(board, depth)
        assert values[choose(f"minimax:depth={depth}", board)] == max(values.values()), str(board)


def test_minimax_breaks_ties_by_key_among_all_equal_moves():
    board = Board("othello", 8)
    values = move_values(board, 1)
    assert len(set(values.values())) == 1
    assert {choose("minimax:depth=1", board, key) for key in range(60)} == set(values)


@pytest.mark.parametrize("rules", ["freestyle", "standard"])
def test_minimax_wins_and_blocks_at_once(rules):
    board = Board("gomoku", 15, 5, rules)
    for move in ("h8", "h7", "h9", "a3", "h10", "a5", "h11"):
        board.play(move)
    assert choose("minimax:depth=2", board) == parse_move(board.game, "h12")
    board.play("o15")
    assert choose("minimax:depth=1", board) == parse_move(board.game, "h12")


def test_minimax_knows_that_six_win_nothing_under_standard_rules():
    board = Board("gomoku", 15, 5, "standard")
    for move in ("a1", "a15", "b1", "c15", "c1", "e15", "e1", "g15", "f1", "i15"):
        board.play(move)
    assert move_to_text(board.game, choose("minimax:depth=1", board)) != "d1"
    free = Board("gomoku", 15, 5)
    for move in board.moves:
        free.play(move)
    assert move_to_text(free.game, choose("minimax:depth=1", free)) == "d1"


def test_minimax_plays_the_same_from_the_cache_of_compiled_kernels():
    code = """
import numpy as np
from stonezero.games import make_game
from stonezero.players.minimax import MinimaxPlayer
for spec in (("othello", 8), ("gomoku", 15, 5)):
    game, row, key = make_game(*spec), np.zeros(1, np.int64), np.ones(1, np.uint64)
    print(spec[0], MinimaxPlayer("x", game, 3).choose(game.new_positions(1), row, key)[0])
"""
    expected = choose(
        "minimax:depth=3", Board("othello", 8)
    )  # kernels that call themselves crash when cached
    choose("minimax:depth=3", Board("gomoku", 15, 5))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == f"othello {expected}\ngomoku 112\n", done.stderr


def test_minimax_opens_in_the_centre_of_an_empty_gomoku_board():
    assert move_to_text(make_game("gomoku", 15, 5), choose("minimax:depth=4", Board("gomoku", 15, 5))) == "h8"


@pytest.mark.parametrize(("name", "size", "k"), BOARDS)
def test_greedy_scores_are_those_of_a_plain_count(name, size, k):
    game = make_game(name, size, k)
    steps = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]
    for board in random_boards(name, size, k, 15):
        scores = GreedyPlayer(game).scores(board.positions, ROW)[0]
        stones, side = board.stones, board.turn
        for move in range(game.num_actions):
            if move not in board.legal_moves():
                assert scores[move] == -1
            elif move == game.num_points:
                assert scores[move] == 0
            elif name == "othello":
                y, x = divmod(move, size)
                assert scores[move] == sum(turns(stones, y, x, dy, dx, side) for dy, dx in steps)
            else:
                own, blocked = (longest(stones, move, colour, k) for colour in (side, 3 - side))
                assert scores[move] == max(2 * own + 1, 2 * blocked)


def longest(stones, move, colour, k):
    size, best = len(stones), 0
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            y, x = move // size + sign * dy, move % size + sign * dx
            while 0 <= y < size and 0 <= x < size and stones[y, x] == colour:
                y, x, length = y + sign * dy, x + sign * dx, length + 1
        best = max(best, min(length, k))
    return best


def test_greedy_draws_among_ties():
    board = Board("othello", 8)
    assert {choose("greedy", board, key) for key in range(60)} == set(board.legal_moves())


def test_mobility_of_the_twin_is_that_of_the_board():
    for board in random_boards("othello", 6, 0, 10):
        moves = board.legal_moves()
        expected = 0 if moves == [board.game.pass_move] else len(moves)
        assert mobility(board.stones, board.turn) == expected


@pytest.mark.parametrize(("name", "size", "k"), [("othello", 6, 0), ("gomoku", 7, 5)])
def test_each_anchor_is_stronger_than_the_one_before(name, size, k, monkeypatch):
    monkeypatch.setenv("STONEZERO_WORKERS", "1")
    game = make_game(name, size, k)
    ladder = [spec(text, game) for text in ("random", "greedy", "minimax:depth=3")]
    openings = balanced_openings(game, 2, 20, seed=1)
    for weak, strong in pairwise(ladder):
        (table,) = play_matches(game, [Match(strong, weak, openings, range(20), seed=2)], 64)
        assert points(table, strong.name).mean() > 0.6, (weak.name, strong.name)


def test_a_book_is_made_the_same_twice_and_answers_up_to_symmetry():
    game = make_game("othello", 4)
    text = make_book(game, plies=3, simulations=50)
    assert text == make_book(game, plies=3, simulations=50)
    search = SearchPlayer("x", game, RolloutEvaluator(game, 1), ROLLOUT_SETTINGS, 5, 0.0, 1)
    player = BookPlayer(parse_book(game, text), search, game)
    answers = set()
    for first in Board(game).legal_moves():
        board = Board(game)
        board.play(first)
        reply = int(player.choose(board.positions, ROW, np.array([1], np.uint64))[0])
        board.play(reply)
        answers.add(tuple(sorted(board.score)))
    assert len(answers) == 1


def test_every_book_that_ships_holds_legal_moves_only():
    from stonezero.players import book

    folder = book.files("stonezero.players") / FOLDER
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".txt"))
    assert "othello-8.txt" in names
    for name in names:
        stem, _, rules = name.removesuffix(".txt").partition("-k")
        game_name, _, size = stem.partition("-")
        k, _, rule_set = rules.partition("-")
        game = make_game(game_name, int(size), int(k or 0), rule_set)
        lines = [line for line in (folder / name).read_text().splitlines() if not line.startswith("#")]
        assert len(lines) > 50
        for line in lines:
            moves, _, answer = line.partition(":")
            board = Board(game)
            for move in [*moves.split(), answer]:
                board.play(move)
            assert len(board.moves) <= BOOK_PLIES


def test_book_rollouts_need_a_book():
    with pytest.raises(UserError, match="no opening book for gomoku 5x5"):
        spec("book+rollouts", make_game("gomoku", 5, 4))
    assert spec("book+rollouts:sims=9", make_game("othello", 6)).simulations == 9


@pytest.mark.parametrize("name", ["othello", "gomoku"])
def test_a_depth_out_of_range_is_refused(name):
    game = make_game(name, 6, 4 if name == "gomoku" else 0)
    with pytest.raises(UserError, match="at most"):
        spec(f"minimax:depth={MAX_DEPTH[name] + 1}", game)
    with pytest.raises(UserError, match="at least 1"):
        spec("minimax:depth=0", game)


def test_digests_tell_players_apart_and_stay():
    game = make_game("othello", 6)
    digests = {
        spec(text, game).digest() for text in ("random", "greedy", "minimax:depth=1", "minimax:depth=2")
    }
    assert len(digests) == 4
    assert spec("greedy", game).digest() == spec("greedy", game).digest()
