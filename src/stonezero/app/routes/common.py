"""What the routes have in common: the service of a request, the API key, and how problems are documented."""

import hmac
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from stonezero.app.answers import ProblemAnswer
from stonezero.app.problems import ProblemError
from stonezero.app.service import Service

key_header = APIKeyHeader(
    name="X-API-Key", auto_error=False, description="Needed where STONEZERO_API_KEY is set for the service."
)

PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": ProblemAnswer, "description": "The body cannot be read."},
    401: {"model": ProblemAnswer, "description": "The API key is missing or wrong."},
    413: {"model": ProblemAnswer, "description": "The body is too long."},
    422: {"model": ProblemAnswer, "description": "A field is wrong, or fields contradict each other."},
}
NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": ProblemAnswer, "description": "There is no such model or game."}
}
CONFLICT: dict[int | str, dict[str, Any]] = {
    409: {"model": ProblemAnswer, "description": "The game is over, or has moved on."}
}
BUSY: dict[int | str, dict[str, Any]] = {
    503: {
        "model": ProblemAnswer,
        "description": "Too many requests wait, or time ran out.",
        "headers": {"Retry-After": {"description": "seconds", "schema": {"type": "string"}}},
    }
}


def service_of(request: Request) -> Service:
    """The service that a request reached."""
    service: Service = request.app.state.service
    return service


ServiceOf = Annotated[Service, Depends(service_of)]


def check_key(service: ServiceOf, key: Annotated[str | None, Security(key_header)] = None) -> None:
    """Raise ProblemError (401) where the service wants a key and the request has another or none."""
    wanted = service.api_key
    if wanted and not hmac.compare_digest((key or "").encode(), wanted.encode()):
        raise ProblemError(401, "the header X-API-Key is missing or wrong")
