"""GET /models, /health, /metrics: what is served, and how it goes."""

import time
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Depends, Response
from prometheus_client import CONTENT_TYPE_LATEST

from stonezero.app.answers import Health, ModelsAnswer
from stonezero.app.routes.common import PROBLEMS, ServiceOf, check_key
from stonezero.app.shelf import Model
from stonezero.games.catalogue import GOMOKU_SIZES, OTHELLO_SIZES
from stonezero.games.gomoku import RULE_CODES

router = APIRouter(tags=["status"])


@router.get(
    "/models", response_model=ModelsAnswer, dependencies=[Depends(check_key)], responses={401: PROBLEMS[401]}
)
async def models(service: ServiceOf) -> dict[str, Any]:
    """The models served, and the games there are."""
    settings = service.settings
    return {
        "models": [_entry(model, model.name == service.shelf.default) for model in service.shelf],
        "rules": {"gomoku": list(RULE_CODES), "othello": ["othello"]},
        "sizes": {"gomoku": list(GOMOKU_SIZES), "othello": list(OTHELLO_SIZES)},
        "simulations": settings.simulations,
        "max_simulations": settings.max_simulations,
        "temperature": settings.temperature,
    }


def _entry(model: Model, is_default: bool) -> dict[str, Any]:
    checkpoint = model.checkpoint
    return model.facts() | {
        "game": model.home.spec() if model.home else None,
        "any_size": checkpoint is None or checkpoint.network.heads == "pooled",
        "parameters": checkpoint.num_parameters if checkpoint else 0,
        "is_default": is_default,
    }


@router.get("/health", response_model=Health)
async def health(service: ServiceOf) -> dict[str, Any]:
    """Whether the service is up."""
    return {
        "status": "ok",
        "version": version("stonezero"),
        "uptime_seconds": round(time.monotonic() - service.started, 3),
        "models": len(list(service.shelf)),
        "pending": service.num_pending,
    }


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, 401: PROBLEMS[401]},
    dependencies=[Depends(check_key)],
)
async def metrics(service: ServiceOf) -> Response:
    """Figures for Prometheus."""
    return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)
