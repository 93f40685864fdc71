"""Many requests at once, limits of time and queue, keys, figures, models, and the end."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray

from stonezero.app.engines import EnginePool
from stonezero.app.findings import move_findings
from stonezero.app.metrics import Metrics
from stonezero.app.problems import ProblemError
from stonezero.app.searching import SearchOrder
from stonezero.app.server import create_app
from stonezero.app.shelf import Shelf
from stonezero.errors import UserError
from stonezero.games import make_game
from stonezero.games.board import Board
from stonezero.players.batch_search import BatchSearch
from tests.app.conftest import TICTACTOE, Settings

BIG = {"name": "gomoku", "size": 15}
LONG_SEARCH = {"game": BIG, "model": "rollouts", "moves": [], "simulations": 1600}


class SlowSearch(BatchSearch):
    """Searches one simulation in ten milliseconds, however fast or busy the machine."""

    def wave(self, slots: NDArray[np.int64]) -> None:
        time.sleep(0.01)
        super().wave(slots)


@pytest.fixture
def _slow_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stonezero.app.engines.BatchSearch", SlowSearch)


def test_requests_at_once_share_waves_and_get_the_answers_they_get_alone(settings: Settings) -> None:
    bodies = [{"moves": [first], "simulations": 200, "temperature": 0} for first in range(9)] * 3
    with TestClient(create_app(settings(search_threads=1))) as client:
        alone = [client.post("/move", json=body).json() for body in bodies[:9]] * 3
        with ThreadPoolExecutor(len(bodies)) as pool:
            together = list(pool.map(lambda body: client.post("/move", json=body).json(), bodies))
        figures = client.get("/metrics").text
    for one, other in zip(alone, together, strict=True):
        assert {k: one[k] for k in one if k != "seconds"} == {k: other[k] for k in other if k != "seconds"}
    waves = float(figures.split("stonezero_wave_size_count ")[1].split()[0])
    members = float(figures.split("stonezero_wave_size_sum ")[1].split()[0])
    assert members > waves  # some waves had more than one member


@pytest.mark.usefixtures("_slow_searches")
def test_a_search_ends_at_its_time_limit_with_the_best_so_far(settings: Settings) -> None:
    with TestClient(create_app(settings())) as client:
        answer = client.post("/move", json=LONG_SEARCH | {"time_limit_seconds": 0.2}).json()
    assert 0 < answer["simulations"] <= 20
    assert 0 < answer["probability"] <= 1


def test_even_no_time_at_all_gives_a_legal_move(client: TestClient) -> None:
    body = LONG_SEARCH | {"moves": ["h8"], "time_limit_seconds": 1e-9}
    answer = client.post("/move", json=body).json()
    assert answer["move"] != "h8"
    assert answer["simulations"] <= 1


@pytest.mark.usefixtures("_slow_searches")
def test_health_answers_while_a_search_runs(settings: Settings) -> None:
    body = LONG_SEARCH | {"time_limit_seconds": 1}
    with TestClient(create_app(settings())) as client:
        thread = threading.Thread(target=client.post, args=("/move",), kwargs={"json": body})
        thread.start()
        seen = []
        while thread.is_alive():
            seen.append(client.get("/health").json()["pending"])
        thread.join()
    assert seen.count(1) > 1


@pytest.mark.usefixtures("_slow_searches")
def test_a_full_queue_is_503_with_retry_after(settings: Settings) -> None:
    body = LONG_SEARCH | {"time_limit_seconds": 1}
    with TestClient(create_app(settings(max_pending=2))) as client, ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(lambda _: client.post("/move", json=body), range(8)))
    refused = [response for response in responses if response.status_code == 503]
    assert {response.status_code for response in responses} == {200, 503}
    assert all(response.headers["Retry-After"] == "1" for response in refused)
    assert "try again" in refused[0].json()["detail"]


@pytest.mark.usefixtures("_slow_searches")
def test_an_answer_that_takes_too_long_is_503(settings: Settings) -> None:
    limits = {"search_seconds": 0.5, "max_search_seconds": 0.5, "response_seconds": 2.0}
    with TestClient(create_app(settings(slots=1, search_threads=1, **limits))) as client:
        client.post("/move", json=LONG_SEARCH | {"simulations": 1})
        with ThreadPoolExecutor(8) as pool:
            responses = pool.map(lambda _: client.post("/move", json=LONG_SEARCH), range(8))
            codes = {response.status_code for response in responses}
        lives_on = client.post("/move", json=LONG_SEARCH | {"simulations": 1})
    assert codes == {200, 503}
    assert lives_on.status_code == 200


def test_stopping_finishes_what_is_under_way_and_ends_the_threads(settings: Settings) -> None:
    made = settings(search_threads=2)
    pool = EnginePool(made, Metrics())
    model = Shelf.load(made).named("rollouts")
    game = make_game("gomoku", 15, 5)
    orders = [SearchOrder(Board(game).positions, 400, 5.0, move_findings) for _ in range(4)]
    for order in orders:
        pool.submit(model, game, order)
    assert pool.stop(10.0)
    assert [order.future.result(0).num_simulations for order in orders] == [400] * 4


def test_the_engine_unused_for_longest_makes_room_and_busy_ones_stay(settings: Settings) -> None:
    made = settings(max_engines=1, search_threads=1)
    pool = EnginePool(made, Metrics())
    model = Shelf.load(made).named("rollouts")
    small, big = make_game("gomoku", 3, 3), make_game("gomoku", 15, 5)
    slow = SearchOrder(Board(big).positions, 1600, 2.0, move_findings)
    pool.submit(model, big, slow)
    quick = SearchOrder(Board(small).positions, 4, 2.0, move_findings)
    with pytest.raises(ProblemError, match="all engines are busy"):
        pool.submit(model, small, quick)
    slow.future.result(10)
    while True:
        try:
            pool.submit(model, small, quick)
            break
        except ProblemError:
            time.sleep(0.01)  # the thread notes the end just after it hands the result over
    assert quick.future.result(10).num_simulations == 4
    assert pool.stop(10.0)


def test_a_failing_search_fails_its_requests_alone(settings: Settings) -> None:
    def broken(search: object, slot: int) -> None:
        raise RuntimeError("broken harvest")

    pool = EnginePool(settings(search_threads=1), Metrics())
    model, game = Shelf.load(settings()).named("rollouts"), make_game("gomoku", 3, 3)
    bad = SearchOrder(Board(game).positions, 4, 1.0, broken)
    good = SearchOrder(Board(game).positions, 4, 1.0, move_findings)
    pool.submit(model, game, bad)
    pool.submit(model, game, good)
    with pytest.raises(RuntimeError, match="broken harvest"):
        bad.future.result(10)
    assert good.future.result(10).num_simulations == 4
    assert pool.stop(10.0)


def test_an_api_key_guards_everything_but_health_and_pages(settings: Settings) -> None:
    with TestClient(create_app(settings(), api_key="secret")) as client:
        assert client.post("/move", json={"moves": []}).status_code == 401
        assert (
            client.post("/move", json={"moves": []}, headers={"X-API-Key": b"s\xe9cret"}).status_code == 401
        )
        key = {"X-API-Key": "secret"}
        assert client.post("/move", json={"moves": []}, headers=key).status_code == 200
        assert client.get("/models").status_code == 401
        assert client.get("/metrics").status_code == 401
        assert [client.get(path).status_code for path in ("/health", "/", "/docs", "/redoc")] == [200] * 4


def test_models_are_listed_with_version_digest_and_game(client: TestClient) -> None:
    answer = client.get("/models").json()
    assert [model["name"] for model in answer["models"]] == ["othello6", "tictactoe", "rollouts"]
    net = answer["models"][1]
    assert net["is_default"]
    assert net["any_size"]
    assert len(net["digest"]) == 64
    assert net["game"]["k"] == 3


def test_a_damaged_net_is_left_out_and_logged(
    tmp_path: Path, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "broken.safetensors").write_bytes(b"nonsense")
    shelf = Shelf.load(settings(models=tmp_path, default_model="''"))
    assert [model.name for model in shelf] == ["rollouts"]
    assert "broken.safetensors" in caplog.text
    with pytest.raises(UserError, match="no default_model 'x'"):
        Shelf.load(settings(models=tmp_path, default_model="x"))


def test_a_pooled_net_plays_another_board_size(client: TestClient) -> None:
    body = {"game": TICTACTOE | {"size": 5}, "model": "tictactoe", "moves": []}
    answer = client.post("/move", json=body)
    assert answer.status_code == 200
    assert answer.json()["model"]["game"]["size"] == 5


def test_the_log_names_model_digest_game_and_board(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        digest = client.post("/move", json={"moves": ["b2"]}).json()["model"]["digest"]
    assert any(digest in line and "3/1X1/3" in line for line in caplog.messages)


def test_pages_forbid_other_hosts(client: TestClient) -> None:
    assert "default-src 'self'" in client.get("/").headers["Content-Security-Policy"]
    for path in ("/", "/docs", "/redoc"):
        page = client.get(path).text
        assert "http://" not in page
        assert "https://" not in page
