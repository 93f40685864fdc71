"""Candidate moves of Gomoku against a definition in plain Python, and the moves that may never be hidden."""

import numpy as np
import pytest

from stonezero.games import make_game
from stonezero.games.candidates import CandidateLimits, mark_candidates, rules_of
from stonezero.players.batch_search import BatchSearch
from stonezero.players.settings import SearchSettings
from tests.reference.evaluators import HashEvaluator, StubEvaluator
from tests.reference.gomoku import lines_of, winners
from tests.search.test_search import play_moves, random_position, searched


def marked(game, positions, logits, limits):
    legal = np.zeros((1, game.num_actions), np.uint8)
    rows = np.zeros(1, np.int64)
    game.legal_moves(positions, rows, legal)
    candidates = np.zeros_like(legal)
    logits = np.asarray(logits, np.float32)[None]
    mark_candidates(positions, rules_of(game), limits, rows, legal, logits, candidates)
    return {int(move) for move in np.flatnonzero(candidates[0])}


def wins_at(game, stones, point, colour):
    board = [".XO"[stone] for stone in stones]
    board[point] = ".XO"[colour]
    return ".XO"[colour] in winners(board, lines_of(game.size), game.k, game.rules)


def plain_candidates(game, positions, logits, limits):
    """The definition at the head of games/candidates.py."""
    stones, ply = positions.stones[0], int(positions.ply[0])
    size = game.size
    legal = [point for point in range(size * size) if stones[point] == 0]
    kept = legal
    if ply >= limits.free_plies and (limits.radius or limits.max_children):
        if limits.radius and ply:
            occupied = [divmod(point, size) for point in range(size * size) if stones[point]]
            kept = [
                point
                for point in kept
                if min(max(abs(point // size - y), abs(point % size - x)) for y, x in occupied)
                <= limits.radius
            ]
        if limits.max_children:
            kept = sorted(kept, key=lambda point: (-logits[point], point))[: limits.max_children]
        decisive = [p for p in legal if wins_at(game, stones, p, 1) or wins_at(game, stones, p, 2)]
        kept = {*kept, *decisive}
    if ply < limits.centre_ban_plies:
        middle = {(size - 1) // 2, size // 2}
        kept = [point for point in kept if not {point // size, point % size} <= middle]
    return set(kept) or set(legal)


@pytest.mark.parametrize("rules", ["freestyle", "standard"])
@pytest.mark.parametrize(
    "limits",
    [
        CandidateLimits(radius=1),
        CandidateLimits(radius=2, free_plies=3),
        CandidateLimits(max_children=4),
        CandidateLimits(radius=2, max_children=3),
        CandidateLimits(centre_ban_plies=4),
        CandidateLimits(radius=1, max_children=2, free_plies=2, centre_ban_plies=30),
    ],
    ids=str,
)
def test_candidates_are_those_of_the_definition(limits, rules):
    game = make_game("gomoku", 6, 4, rules)
    rng = np.random.default_rng(0)
    for plies in range(24):
        positions = random_position(game, rng, plies)
        logits = rng.normal(size=36).astype(np.float32)
        stones = positions.stones.copy()
        assert marked(game, positions, logits, limits) == plain_candidates(game, positions, logits, limits)
        assert (positions.stones == stones).all()


def test_a_move_that_wins_and_one_that_saves_are_never_hidden():
    game = make_game("gomoku", 6, 4)
    logits = np.zeros(36)
    logits[[3, 34]] = -100.0
    positions = play_moves(game, [0, 31, 1, 32, 2, 33])  # black wins at 3; white would win at 34 and 30
    assert {3, 34, 30} <= marked(game, positions, logits, CandidateLimits(radius=1, max_children=1))


def test_a_full_neighbourhood_leaves_all_legal_moves():
    game = make_game("gomoku", 3, 3)
    positions = play_moves(game, [0, 1, 2, 3, 5, 6, 7, 8])  # only the centre is empty
    assert marked(game, positions, np.zeros(9), CandidateLimits(centre_ban_plies=9)) == {4}


def test_the_centre_of_an_even_board_is_four_points():
    game = make_game("gomoku", 6, 4)
    kept = marked(game, game.new_positions(1), np.zeros(36), CandidateLimits(centre_ban_plies=1))
    assert set(range(36)) - kept == {14, 15, 20, 21}


def test_a_search_visits_candidates_only():
    game = make_game("gomoku", 9, 5)
    limits = CandidateLimits(radius=1, max_children=6, free_plies=1)
    positions = play_moves(game, [40])
    settings = SearchSettings(1.5, 0.2, limits=limits)
    search = searched(game, HashEvaluator(game), positions, 200, settings)
    priors = search.statistics(0).priors
    near = {40 + 9 * y + x for y in (-1, 0, 1) for x in (-1, 0, 1)} - {40}
    assert set(np.flatnonzero(priors)) <= near
    assert (priors > 0).sum() == 6
    assert priors.sum() == pytest.approx(1, abs=1e-6)
    assert search.statistics(0).visits.sum() == 200


def test_pruned_search_still_finds_a_win_with_a_tiny_prior():
    game = make_game("gomoku", 6, 4)
    logits = np.zeros(36)
    logits[3] = -2.0
    settings = SearchSettings(1.5, 0.0, limits=CandidateLimits(radius=1, max_children=2))
    search = BatchSearch(game, StubEvaluator(logits), settings, 1, 400)
    search.set_root(0, play_moves(game, [0, 30, 1, 31, 2, 33]), 0, 0)
    search.set_budget(0, 400)
    search.run(np.arange(1))
    assert search.statistics(0).visits.argmax() == 3
