"""/import and /training: files of other programs, and the run on disk."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from stonezero import Board
from stonezero.app.server import create_app
from stonezero.app.training_run import TrainingRun
from stonezero.games import make_game
from stonezero.games.symmetry import NUM_SYMMETRIES, transform_move
from stonezero.records import read_shard
from tests.app.conftest import TICTACTOE, Settings
from tests.app.runs import make_run

GAME = make_game("gomoku", 3, 3)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("run"), GAME)


@pytest.fixture(scope="module")
def client_of_run(settings: Settings, run: Path) -> Iterator[TestClient]:
    with TestClient(create_app(settings(run=run))) as client:
        yield client


@pytest.mark.parametrize(
    ("name", "text", "kind", "moves"),
    [
        ("a.sgf", "(;GM[4]FF[4]SZ[3]KM[3]PB[Ann]PW[Bo];B[aa];W[ba];B[ab])", "sgf", [0, 1, 3]),
        ("", "(;GM[4]SZ[3];B[aa])", "sgf", [0]),
        ("b.psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n-1\n", "psq", [112, 128]),
        (
            "c.ggf",
            "(;GM[Othello]PB[a]PW[b]TY[8]BO[8 " + "-" * 27 + "O*------*O" + "-" * 27 + " *]B[d3]W[c3];)",
            "ggf",
            [19, 18],
        ),
        ("", "f5d6", "text", [37, 43]),
    ],
)
def test_files_of_other_programs_become_moves(
    client: TestClient, name: str, text: str, kind: str, moves: list[int]
) -> None:
    answer = client.post("/import", params={"name": name}, content=text.encode())
    assert answer.status_code == 200, answer.text
    assert answer.json()["format"] == kind
    game = answer.json()["games"][0]
    assert game["moves"] == moves
    body = {"game": game["game"], "model": "rollouts", "moves": moves}
    assert client.post("/positions", json=body).json()["states"][-1]["ply"] == len(moves)


def test_a_position_set_up_is_a_board_that_positions_takes(client: TestClient) -> None:
    game = client.post("/import", content=b"(;GM[4]SZ[3]AB[aa]PL[W];W[ba])").json()["games"][0]
    assert game["board"] == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    body = {key: game[key] for key in ("board", "current_player", "moves")}
    states = client.post("/positions", json=body | {"game": TICTACTOE}).json()["states"]
    assert states[-1]["board"] == [[1, 2, 0], [0, 0, 0], [0, 0, 0]]


def test_a_file_without_a_readable_game_is_refused_with_its_place(client: TestClient) -> None:
    for data in (b"(;GM[4]SZ[3];B[zz])", b"\xff\x00", b"", b"(;" * 1000):
        answer = client.post("/import", content=data)
        assert answer.status_code == 422
        assert "\n" not in answer.json()["detail"]


@given(
    st.binary(max_size=200),
    st.sampled_from(["", "x.sgf", "x.psq", "x.rec", "x.ggf", "x.wtb", "x.parquet", "\0"]),
)
def test_random_files_never_fail_on_our_side(client: TestClient, data: bytes, name: str) -> None:
    assert client.post("/import", params={"name": name}, content=data).status_code in (200, 422)


def test_training_lists_ratings_losses_gates_and_generations(client_of_run: TestClient) -> None:
    answer = client_of_run.get("/training").json()
    assert [row["player"] for row in answer["elo"]][:3] == ["g000", "g001", "g002"]
    assert answer["elo"][-1]["low"] is None
    assert [row["total_step"] for row in answer["losses"]] == [10, 20, 30, 40]
    assert [gate["accepted"] for gate in answer["gates"]] == [True, True]
    assert answer["generations"] == ["g001", "g002"]


def test_a_run_that_has_not_begun_is_empty_not_an_error(client: TestClient) -> None:
    answer = client.get("/training").json()
    assert (answer["elo"], answer["losses"], answer["gates"], answer["generations"]) == ([], [], [], [])


def test_recorded_games_replay_to_their_results(client_of_run: TestClient) -> None:
    answer = client_of_run.get("/training/games/g002").json()
    assert [game["game_id"] for game in answer["games"]] == [3, 2, 1, 0]
    for game in answer["games"]:
        body = {"game": answer["game"], "moves": game["moves"]}
        assert client_of_run.post("/positions", json=body).json()["states"][-1]["status"] == game["status"]


@pytest.mark.parametrize("name", ["g999", "g002%2F..%2Fg001", "gXYZ"])
def test_unknown_generations_are_not_found(client_of_run: TestClient, name: str) -> None:
    assert client_of_run.get(f"/training/games/{name}").status_code == 404


def test_a_position_is_counted_under_all_symmetries(run: Path) -> None:
    tables = [read_shard(path) for path in sorted(run.glob("*/games/*.parquet"))]
    played = [
        (*tuple(row), turn) for table in tables for row, turn in zip(table.stones, table.turn, strict=True)
    ]
    for first in range(9):
        boards = []
        for symmetry in range(NUM_SYMMETRIES):
            board = Board(GAME)
            board.play(transform_move(first, symmetry, 3))
            boards.append((*board.stones.ravel(), board.turn))
        expected = sum(position in boards for position in played)
        board = Board(GAME)
        board.play(first)
        found = TrainingRun(run).occurrences(board)
        assert found.positions == expected == found.won + found.drawn + found.lost
        assert found.searched == len(played)
    assert np.sum([len(table) for table in tables]) == len(played)


def test_looking_up_a_position_of_another_game_says_so(client_of_run: TestClient) -> None:
    body = {"game": {"name": "othello", "size": 4}, "model": "rollouts", "moves": []}
    answer = client_of_run.post("/training/lookup", json=body)
    assert answer.status_code == 409
    assert "records of" in answer.json()["detail"]
