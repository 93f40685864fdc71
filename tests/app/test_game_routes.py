"""/game: sessions move by move."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from stonezero.app.server import create_app
from tests.app.conftest import TICTACTOE, Settings


def begin(client: TestClient, **body: Any) -> dict[str, Any]:
    response = client.post("/game", json={"game": TICTACTOE} | body)
    assert response.status_code == 201, response.text
    answer: dict[str, Any] = response.json()
    return answer


def play(client: TestClient, game: dict[str, Any], what: str, **body: Any) -> Any:
    return client.post(f"/game/{game['id']}/{what}", json=body)


def test_a_game_is_played_to_its_end_and_its_history_kept(client: TestClient) -> None:
    game = begin(client)
    while game["state"]["status"] == "ongoing":
        state = game["state"]
        if state["current_player"] == 1:
            game = play(client, game, "play", ply=state["ply"], move=state["legal"][0]).json()
        else:
            game = play(client, game, "reply", ply=state["ply"]).json()
    assert len(game["history"]) == game["state"]["ply"]
    assert [move["by"] for move in game["history"]][:3] == ["client", "model", "client"]
    assert play(client, game, "reply", ply=game["state"]["ply"]).status_code == 409
    assert play(client, game, "play", ply=game["state"]["ply"], move=8).status_code == 409


def test_the_model_opens_where_the_client_is_second(client: TestClient) -> None:
    game = play(client, begin(client), "reply", ply=0).json()
    assert game["history"][0]["by"] == "model"
    assert game["history"][0]["player"] == 1
    assert -1 <= game["history"][0]["value"] <= 1


def test_distributions_come_on_request_and_sum_to_one(client: TestClient) -> None:
    game = play(client, begin(client), "reply", ply=0).json()
    assert game["history"][0]["distribution"] is None
    shown = client.get(f"/game/{game['id']}", params={"distributions": True}).json()
    assert sum(shown["history"][0]["distribution"].values()) == pytest.approx(1)


def test_a_move_on_a_stale_board_is_refused_with_the_current_state(client: TestClient) -> None:
    game = begin(client)
    assert play(client, game, "play", ply=0, move="b2").status_code == 200
    second = play(client, game, "play", ply=0, move="a1")
    assert second.status_code == 409
    assert second.json()["state"]["board"][1][1] == 1
    assert second.json()["state"]["ply"] == 1


def test_an_illegal_move_changes_nothing(client: TestClient) -> None:
    game = play(client, begin(client), "play", ply=0, move="b2").json()
    for move in ("b2", "d1", "pass", 99):
        assert play(client, game, "play", ply=1, move=move).status_code == 422
    assert client.get(f"/game/{game['id']}").json() == game


def test_undo_takes_moves_back_and_no_more_than_there_are(client: TestClient) -> None:
    game = begin(client, moves=["b2", "a1", "c3"])
    undone = play(client, game, "undo", ply=3, moves=2).json()
    assert [move["move"] for move in undone["history"]] == ["b2"]
    assert undone["state"]["current_player"] == 2
    assert play(client, game, "undo", ply=1, moves=2).status_code == 409
    assert play(client, game, "undo", ply=1).json()["state"]["board"] == [[0] * 3] * 3


def test_the_oldest_game_makes_room(settings: Settings) -> None:
    with TestClient(create_app(settings(max_games=2))) as client:
        games = [begin(client) for _ in range(3)]
        codes = [client.get(f"/game/{game['id']}").status_code for game in games]
    assert codes == [404, 200, 200]


def test_limits_beyond_the_settings_are_refused_at_once(client: TestClient) -> None:
    assert client.post("/game", json={"game": TICTACTOE, "simulations": 5000}).status_code == 422
    assert client.post("/game", json={"game": TICTACTOE, "moves": ["b2", "b2"]}).status_code == 422
    assert client.get("/game/unknown").status_code == 404
