"""Trees as data: complete, consistent with the search's own figures, cut where asked."""

import json

import numpy as np
import pytest

from stonezero.games import make_game
from stonezero.games.board import Board
from stonezero.games.symmetry import position_hash
from stonezero.players.batch_search import BatchSearch
from stonezero.players.settings import SearchSettings
from stonezero.players.tree_json import TreeLimits, tree_data
from tests.reference.evaluators import HashEvaluator

GAMES = [make_game("gomoku", 5, 4), make_game("othello", 4)]


def searched(board, simulations=200):
    search = BatchSearch(board.game, HashEvaluator(board.game), SearchSettings(1.5, 0.2), 1, simulations)
    search.set_root(0, board.positions, 0, 0)
    search.set_budget(0, simulations)
    search.run(np.arange(1))
    return search


def played(game, node, nodes):
    """The board after the moves that lead to a node, by the checking `Board`."""
    moves = []
    while node["parent"] is not None:
        moves.append(node["move"])
        node = nodes[node["parent"]]
    board = Board(game)
    for move in reversed(moves):
        board.play(move)
    return board


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_node_is_the_position_after_its_moves(game):
    tree = json.loads(json.dumps(tree_data(searched(Board(game)), 0, TreeLimits(depth=60))))
    nodes = {node["id"]: node for node in tree["nodes"]}
    assert len(nodes) == tree["num_nodes"] > 100
    assert not tree["is_truncated"]
    for node in nodes.values():
        board = played(game, node, nodes)
        assert node["board"] == "".join(".XO"[stone] for stone in board.stones.ravel())
        assert node["is_terminal"] == board.is_over
        assert node["state_hash"] == f"{position_hash(board.stones.ravel(), board.turn):016x}"
        if not board.is_over:
            assert node["player"] == ("black", "white")[board.turn - 1]
            assert len(node["prior_policy"]) in (0, len(board.legal_moves()))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_figures_of_the_root_are_those_of_the_search(game):
    search = searched(Board(game))
    tree, statistics = tree_data(search, 0), search.statistics(0)
    root, *others = tree["nodes"]
    assert root["visit_count"] == 1 + statistics.visits.sum()
    assert root["q_value"] == pytest.approx(statistics.value)
    assert sum(root["prior_policy"].values()) == pytest.approx(1, abs=1e-5)  # float32 shares
    board = Board(game)
    by_move = {board._move_index(node["move"]): node for node in others if node["parent"] == root["id"]}
    assert set(by_move) == set(np.flatnonzero(statistics.visits))
    for move, node in by_move.items():
        assert node["visit_count"] == statistics.visits[move]
        assert node["prior"] == pytest.approx(float(statistics.priors[move]))
        assert node["edge_q_value"] == pytest.approx(float(statistics.values[move]), abs=1e-5)


def test_children_visits_add_up_and_come_in_order():
    tree = tree_data(searched(Board(GAMES[0])), 0, TreeLimits(depth=60))
    nodes = {node["id"]: node for node in tree["nodes"]}
    for node in nodes.values():
        visits = [nodes[child]["visit_count"] for child in node["children"]]
        assert visits == sorted(visits, reverse=True)
        if not node["is_terminal"]:
            assert node["visit_count"] == 1 + sum(visits)


def test_depth_visits_and_nodes_are_bounded():
    search = searched(Board(GAMES[0]))
    shallow = tree_data(search, 0, TreeLimits(depth=1))
    assert {node["depth"] for node in shallow["nodes"]} == {0, 1}
    busy = tree_data(search, 0, TreeLimits(depth=60, min_visits=5))
    assert min(node["visit_count"] for node in busy["nodes"]) >= 5
    few = tree_data(search, 0, TreeLimits(depth=60, max_nodes=7))
    assert len(few["nodes"]) == 7
    assert few["is_truncated"]
    ids = {node["id"] for node in few["nodes"]}
    assert all(child in ids for node in few["nodes"] for child in node["children"])


def test_a_root_that_was_not_searched_is_a_tree_of_one_node():
    tree = tree_data(searched(Board(GAMES[0]), simulations=1), 0, TreeLimits(depth=0))
    assert [node["children"] for node in tree["nodes"]] == [[]]
