"""schemathesis: requests made from the OpenAPI description, and answers held to it."""

from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from stonezero.app.server import create_app
from tests.app.conftest import Settings

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)  #: as described, and not


@pytest.fixture(scope="module")
def app(settings: Settings) -> FastAPI:
    return create_app(settings(max_simulations=64, search_threads=1))


@pytest.fixture(scope="module")
def description(app: FastAPI) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.mark.parametrize(
    "label",
    [
        *("POST /move", "POST /analyse", "POST /tree", "POST /positions", "POST /game"),
        *("GET /game/{game_id}", "POST /game/{game_id}/play", "POST /game/{game_id}/reply"),
        *("POST /game/{game_id}/undo", "GET /models", "GET /health", "GET /metrics"),
        *("POST /import", "GET /training", "GET /training/games/{generation}", "POST /training/lookup"),
    ],
)
def test_answers_are_as_described_whatever_is_asked(description: Any, label: str) -> None:
    operation = {found.ok().label: found.ok() for found in description.get_all_operations()}[label]

    @settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        for mode in MODES if label.startswith("POST") else MODES[:1]:
            data.draw(operation.as_strategy(generation_mode=mode)).call_and_validate(checks=CHECKS)

    ask()


def test_every_request_has_an_example_that_works(app: FastAPI) -> None:
    from fastapi.testclient import TestClient

    with TestClient(app) as client:
        description = client.get("/openapi.json").json()
        for path in ("/move", "/analyse", "/tree", "/positions", "/game", "/training/lookup"):
            reference = description["paths"][path]["post"]["requestBody"]["content"]["application/json"][
                "schema"
            ]
            for example in description["components"]["schemas"][reference["$ref"].rsplit("/", 1)[1]][
                "examples"
            ]:
                assert client.post(path, json=example).status_code in (200, 201), example
