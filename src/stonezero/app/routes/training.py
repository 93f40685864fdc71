"""/training: the run that the page follows."""

from typing import Any

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool

from stonezero.app.answers import LookupAnswer, TrainingAnswer, TrainingGames
from stonezero.app.positions import game_wanted, read_position
from stonezero.app.requests import LookupRequest
from stonezero.app.routes.common import CONFLICT, NOT_FOUND, PROBLEMS, ServiceOf, check_key
from stonezero.app.service import Service

MOST_GAMES = 100

router = APIRouter(
    prefix="/training", tags=["training"], dependencies=[Depends(check_key)], responses=PROBLEMS
)


@router.get("", response_model=TrainingAnswer)
async def training(service: ServiceOf) -> dict[str, Any]:
    """Ratings, losses and gates of the run so far."""
    return await run_in_threadpool(_training, service)


def _training(service: Service) -> dict[str, Any]:
    run = service.training
    return {
        "elo": run.elo(),
        "losses": run.losses(),
        "gates": run.gates(),
        "generations": run.generations(),
        "mlflow_url": service.settings.mlflow_url,
    }


@router.get("/games/{generation}", response_model=TrainingGames, responses=NOT_FOUND)
async def games(generation: str, service: ServiceOf) -> dict[str, Any]:
    """The newest self-play games of a generation."""
    game, found = await run_in_threadpool(service.training.games, generation, MOST_GAMES)
    return {"game": game, "games": found}


@router.post("/lookup", response_model=LookupAnswer, responses=NOT_FOUND | CONFLICT)
async def lookup(request: LookupRequest, service: ServiceOf) -> dict[str, Any]:
    """How often a position, up to symmetry, occurs in the run's records."""
    return await run_in_threadpool(_lookup, request, service)


def _lookup(request: LookupRequest, service: Service) -> dict[str, Any]:
    game = game_wanted(request.game, service.shelf.named(request.model))
    return service.training.occurrences(read_position(request, game))._asdict()
