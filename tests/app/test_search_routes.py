"""/move, /analyse, /tree, /positions: what they answer."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from stonezero import Board
from tests.app.conftest import OTHELLO6, TICTACTOE

BOARD = [[0, 0, 2], [0, 1, 0], [0, 0, 0]]
WIN_IN_ONE = {"game": TICTACTOE, "board": [[1, 1, 0], [2, 2, 0], [0, 0, 0]], "current_player": 1}
LOSS_IN_ONE = {"game": TICTACTOE, "board": [[1, 1, 0], [2, 0, 0], [0, 0, 0]], "current_player": 2}
FORCED_PASS = {
    "game": {"name": "othello", "size": 4},
    "model": "rollouts",
    "board": [[1, 1, 2, 0], [1, 1, 2, 2], [2, 1, 2, 2], [1, 1, 1, 1]],
    "current_player": 2,
}  # white turns no disc from d1, black does


def post(client: TestClient, path: str, **body: Any) -> dict[str, Any]:
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def test_move_answers_a_grid_with_x_y_text_probability_value_and_the_model(client: TestClient) -> None:
    answer = post(client, "/move", board=BOARD, current_player=1)
    assert BOARD[answer["y"]][answer["x"]] == 0
    assert answer["move"] == "abc"[answer["x"]] + "321"[answer["y"]]
    assert answer["index"] == 3 * answer["y"] + answer["x"]
    assert 0 < answer["probability"] <= 1
    assert -1 <= answer["value"] <= 1
    assert answer["simulations"] == 16
    assert answer["model"]["name"] == "tictactoe"
    assert len(answer["model"]["digest"]) == 64
    assert answer["model"]["version"] == "g000"
    assert answer["model"]["game"] == {"name": "gomoku", "size": 3, "k": 3, "rules": "freestyle"}


def test_a_grid_and_the_moves_that_lead_to_it_get_the_same_answer(client: TestClient) -> None:
    by_grid = post(client, "/move", board=BOARD, current_player=1, temperature=0)
    by_moves = post(client, "/move", moves=["b2", "c3"], temperature=0)
    by_index = post(client, "/move", moves=[4, 2], temperature=0)
    for key in ("index", "probability", "value", "prior"):
        assert by_grid[key] == by_moves[key] == by_index[key]


@pytest.mark.parametrize("model", ["tictactoe", "rollouts"])
def test_both_sides_win_at_once_and_block(client: TestClient, model: str) -> None:
    win = post(client, "/move", **WIN_IN_ONE, model=model, simulations=200, temperature=0)
    block = post(client, "/move", **LOSS_IN_ONE, model=model, simulations=200, temperature=0)
    assert (win["x"], win["y"]) == (2, 0)
    assert (block["x"], block["y"]) == (2, 0)
    assert win["value"] > 0.5


def test_a_seed_repeats_the_choice_and_prior_plays_without_regard_to_visits(client: TestClient) -> None:
    seeds = [post(client, "/move", moves=[], temperature=1, seed=s)["index"] for s in (*range(8), 0)]
    assert seeds[0] == seeds[-1]
    assert len(set(seeds)) > 1
    body = WIN_IN_ONE | {"model": "rollouts", "simulations": 200, "choose_by": "prior", "temperature": 1}
    assert len({post(client, "/move", **body, seed=seed)["index"] for seed in range(12)}) > 1


def test_a_forced_pass_is_answered_as_pass_with_no_coordinates(client: TestClient) -> None:
    answer = post(client, "/move", **FORCED_PASS, simulations=1, temperature=1)
    assert (answer["x"], answer["y"], answer["move"], answer["probability"]) == (None, None, "pass", 1.0)


def test_analyse_gives_visits_priors_values_lines_and_heatmaps_that_agree(client: TestClient) -> None:
    answer = post(client, "/analyse", moves=["b2", "c3"], simulations=100, lines=2, line_length=4)
    candidates = answer["candidates"]
    assert len(candidates) == 7
    assert sum(candidate["visits"] for candidate in candidates) == 100 == answer["simulations"]
    assert sum(candidate["prior"] for candidate in candidates) == pytest.approx(1, abs=1e-5)  # float32
    for candidate in candidates:
        x, y = candidate["x"], candidate["y"]
        maps = answer["heatmaps"]
        assert maps["visits"][y][x] == pytest.approx(candidate["visits"] / 100, abs=1e-5)
        assert maps["prior"][y][x] == pytest.approx(candidate["prior"], abs=1e-5)
        assert maps["q"][y][x] == (
            None if candidate["q"] is None else pytest.approx(candidate["q"], abs=1e-5)
        )
    assert answer["heatmaps"]["q"][0][2] is None  # occupied
    assert [line["moves"][0]["move"] for line in answer["lines"]] == [c["move"] for c in candidates[:2]]
    for line in answer["lines"]:
        board = Board("gomoku", 3, 3)
        for move in ["b2", "c3", *(move["move"] for move in line["moves"])]:
            board.play(move)  # raises where it is illegal
        assert len(line["moves"]) <= 4


def test_tree_obeys_depth_and_minimum_visits(client: TestClient) -> None:
    whole = post(client, "/tree", moves=[], simulations=60, depth=50)
    assert len(whole["nodes"]) == whole["num_nodes"] == 61 - _repeats(whole)
    part = post(client, "/tree", moves=[], simulations=60, depth=2, min_visits=4)
    assert max(node["depth"] for node in part["nodes"]) <= 2
    assert min(node["visit_count"] for node in part["nodes"]) >= 4
    ids = {node["id"] for node in part["nodes"]}
    assert all(child in ids for node in part["nodes"] for child in node["children"])
    assert {"state_hash", "q_value", "prior_policy", "children"} <= part["nodes"][0].keys()


def _repeats(tree: dict[str, Any]) -> int:
    """Simulations that ended in a finished node met before."""
    return sum(node["visit_count"] - 1 for node in tree["nodes"] if node["is_terminal"])


def test_positions_lists_every_state_of_a_game(client: TestClient) -> None:
    answer = post(client, "/positions", game=TICTACTOE, moves=["a1", "b1", "a2", "b2", "a3"])
    states = answer["states"]
    assert [state["ply"] for state in states] == list(range(6))
    assert states[0]["last_move"] is None
    assert states[-1]["status"] == "black_won"
    assert states[-1]["winning_line"] == [0, 3, 6]
    assert states[-1]["legal"] == []
    assert answer["moves"][1] == {"x": 1, "y": 2, "move": "b1", "index": 7}


def test_moves_may_follow_a_board(client: TestClient) -> None:
    answer = post(client, "/positions", board=BOARD, current_player=1, moves=["a1", "b1"])
    assert [state["ply"] for state in answer["states"]] == [2, 3, 4]
    assert answer["states"][-1]["board"] == [[0, 0, 2], [0, 1, 0], [1, 2, 0]]


def test_othello_scores_and_passes_show_in_states(client: TestClient) -> None:
    answer = post(client, "/positions", game=OTHELLO6, moves=["c2"], model="othello6")
    assert answer["states"][0]["score"] == {"black": 2, "white": 2}
    assert answer["states"][1]["score"]["black"] > 2
    state = post(client, "/positions", **FORCED_PASS)["states"][0]
    assert state["must_pass"] is True
