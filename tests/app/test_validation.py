"""Whatever is wrong with a request is a 4xx with one clear sentence."""

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.conftest import OTHELLO6, TICTACTOE

FREE = [[0] * 3 for _ in range(3)]
FLOATING = [[0] * 6 for _ in range(6)]
FLOATING[2][2] = FLOATING[3][3] = 2
FLOATING[2][3] = FLOATING[3][2] = 1
FLOATING[0][0] = 1
NO_CENTRE = [[0] * 6 for _ in range(6)]
NO_CENTRE[0][0] = 1
BOTH_WON = [[1, 1, 1], [2, 2, 2], [0, 0, 0]]

FAULTS: dict[str, tuple[dict[str, Any], int, str]] = {
    "nothing": ({}, 422, "give moves or a board"),
    "occupied on the board": (
        {"moves": ["a3"], "board": [[1, 0, 0], *FREE[1:]], "current_player": 2},
        422,
        r"moves\[0\]",
    ),
    "no side": ({"board": FREE}, 422, "current_player is missing"),
    "wrong shape": ({"board": [*FREE[:2], [0, 0]], "current_player": 1}, 422, r"board\[2\]"),
    "wrong size": ({"board": [[0] * 4] * 4, "current_player": 1}, 422, "must have 3 rows of 3 points"),
    "ragged": ({"board": [[0] * 3, [0] * 4, [0] * 3], "current_player": 1}, 422, "3 rows of 3 to 4"),
    "no rows": ({"board": [], "current_player": 1}, 422, "board must"),
    "unknown side": ({"board": FREE, "current_player": 3}, 422, "must be 1"),
    "side zero": ({"board": FREE, "current_player": 0}, 422, "must be 1"),
    "side a text": ({"board": FREE, "current_player": "1"}, 422, r"must be 1 \(black\)"),
    "side a bool": ({"board": FREE, "current_player": True}, 422, "not true"),
    "side a float": ({"board": FREE, "current_player": 1.0}, 422, "not 1.0"),
    "bool as point": (
        {"board": [[True, 0, 0], *FREE[1:]], "current_player": 2},
        422,
        r"board\[0\]\[0\].*not true",
    ),
    "float as point": ({"board": [[1.0, 0, 0], *FREE[1:]], "current_player": 2}, 422, r"board\[0\]\[0\]"),
    "NaN as point": ({"board": [[float("nan"), 0, 0], *FREE[1:]], "current_player": 2}, 422, "not NaN"),
    "three as point": ({"board": [[3, 0, 0], *FREE[1:]], "current_player": 2}, 422, "must be 0"),
    "null as point": ({"board": [[None, 0, 0], *FREE[1:]], "current_player": 2}, 422, "not null"),
    "too many black stones": (
        {"board": [[1, 1, 0], *FREE[1:]], "current_player": 2},
        422,
        "2 black and 0 white",
    ),
    "the wrong side to move": ({"board": [[1, 0, 0], *FREE[1:]], "current_player": 1}, 422, "black begins"),
    "two winners": ({"board": BOTH_WON, "current_player": 1}, 422, "both sides have 3 in a row"),
    "floating disc": (
        {"game": OTHELLO6, "model": "othello6", "board": FLOATING, "current_player": 1},
        422,
        r"\[0\]\[0\]",
    ),
    "no centre": (
        {"game": OTHELLO6, "model": "othello6", "board": NO_CENTRE, "current_player": 1},
        422,
        "centre",
    ),
    "occupied": ({"moves": ["b2", "b2"]}, 422, r"moves\[1\]: b2 is not legal"),
    "off the board": ({"moves": ["d4"]}, 422, "'d4' is no move"),
    "index off the board": ({"moves": [9]}, 422, "9 is no move"),
    "negative index": ({"moves": [-1]}, 422, "must be a move"),
    "bool as move": ({"moves": [True]}, 422, "must be a move"),
    "surrogate as move": ({"moves": ["\ud800"]}, 422, "must be a move"),
    "pass in gomoku": ({"moves": ["pass"]}, 422, "no move"),
    "needless pass": ({"game": OTHELLO6, "model": "othello6", "moves": ["pass"]}, 422, "pass is not legal"),
    "moves contradict the side": ({"moves": ["b2"], "current_player": 1}, 422, r"white \(2\) is to move"),
    "finished game": ({"moves": ["a1", "b1", "a2", "b2", "a3"]}, 409, "the game is over: black won"),
    "move after the end": ({"moves": ["a1", "b1", "a2", "b2", "a3", "b3"]}, 422, "after the end"),
    "finished board": ({"board": [[1, 1, 1], [2, 2, 0], [0, 0, 0]], "current_player": 2}, 409, "over"),
    "unknown game": ({"game": {"name": "chess", "size": 8}, "moves": []}, 422, "'gomoku' or 'othello'"),
    "odd othello": ({"game": {"name": "othello", "size": 7}, "moves": []}, 422, "4, 6, 8 or 10"),
    "unknown rules": ({"game": TICTACTOE | {"rules": "x"}, "moves": []}, 422, "no rules 'x'"),
    "too big": ({"game": {"name": "gomoku", "size": 21}, "moves": []}, 422, "game.size must"),
    "k too long": ({"game": {"name": "gomoku", "size": 3, "k": 4}, "moves": []}, 422, "needs k from 3 to 3"),
    "model of another game": ({"game": OTHELLO6, "moves": []}, 422, "plays gomoku 3x3"),
    "model of other rules": ({"game": TICTACTOE | {"rules": "standard"}, "moves": []}, 422, "plays gomoku"),
    "no game for a model of all": ({"model": "rollouts", "moves": []}, 422, "game is missing"),
    "unknown model": ({"model": "x", "moves": []}, 404, "there is no model 'x'"),
    "model elsewhere": ({"model": "../../etc/passwd", "moves": []}, 404, "there is no model"),
    "model by absolute path": ({"model": "/etc/passwd", "moves": []}, 404, "there is no model"),
    "unknown field": ({"moves": [], "sims": 5}, 422, "there is no field sims"),
    "no simulations": ({"moves": [], "simulations": 0}, 422, "simulations must"),
    "too many simulations": ({"moves": [], "simulations": 1601}, 422, "at most 1600"),
    "simulations as text": ({"moves": [], "simulations": "10"}, 422, "simulations must"),
    "no time": ({"moves": [], "time_limit_seconds": 0}, 422, "time_limit_seconds must"),
    "endless time": ({"moves": [], "time_limit_seconds": float("inf")}, 422, "time_limit_seconds must"),
    "too much time": ({"moves": [], "time_limit_seconds": 60}, 422, "at most 2.5 s"),
    "negative temperature": ({"moves": [], "temperature": -0.1}, 422, "temperature must"),
    "temperature NaN": ({"moves": [], "temperature": float("nan")}, 422, "temperature must"),
}


def post(client: TestClient, path: str, body: Any) -> tuple[int, str]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(path, content=text, headers={"Content-Type": "application/json"})
    return response.status_code, response.json().get("detail", "")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_position_gets_one_clear_sentence(client: TestClient, fault: str) -> None:
    body, status, words = FAULTS[fault]
    answered, detail = post(client, "/move", body)
    assert answered == status, detail
    assert re.search(words, detail), detail
    assert "\n" not in detail
    assert len(detail) < 300


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"3",
        b"[" * 50_000,
        b'{"moves": [' + b"9" * 6000 + b"]}",
        b'{"moves": NaN}',
    ],
)
def test_bodies_that_are_no_request_are_refused(client: TestClient, body: bytes) -> None:
    status, detail = post(client, "/move", body)
    assert status in (400, 422)
    assert detail


def test_a_body_beyond_the_limit_is_refused_with_or_without_its_length_announced(client: TestClient) -> None:
    assert post(client, "/move", b" " * 300_000)[0] == 413

    def chunks() -> Any:
        for _ in range(30):
            yield b" " * 10_000

    assert client.post("/move", content=chunks()).status_code == 413


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["board", "moves", "current_player", "game", "model", "simulations", "temperature", "x"]
)


REQUESTS = st.dictionaries(FIELDS, JSON | st.just([]) | st.just(FREE) | st.just(1), max_size=5)


@pytest.mark.slow
@settings(max_examples=2000)
@given(REQUESTS)
def test_two_thousand_random_requests_never_fail(client: TestClient, body: dict[str, Any]) -> None:
    assert post(client, "/move", body)[0] in (200, 404, 409, 422)


@given(REQUESTS)
def test_random_requests_never_fail_on_our_side(client: TestClient, body: dict[str, Any]) -> None:
    for path in ("/move", "/positions"):
        assert post(client, path, body)[0] in (200, 404, 409, 422)
