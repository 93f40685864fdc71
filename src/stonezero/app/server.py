"""The FastAPI application, and `stonezero serve` that runs it."""

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from stonezero.app.guards import Guards
from stonezero.app.problems import ProblemError, sentence_of
from stonezero.app.routes import games, imports, search, status, training
from stonezero.app.service import Service
from stonezero.app.settings import ServeConfig
from stonezero.errors import UserError
from stonezero.games.board import GameOverError

STATIC = Path(__file__).with_name("static")
API_KEY = "STONEZERO_API_KEY"
DESCRIPTION = """Moves, analyses, search trees and games of Gomoku and Othello.

A position is a list of moves or a grid `board[y][x]` (0 empty, 1 black, 2 white) with `current_player`.
Values are for the side to move, from -1 (lost) to 1 (won)."""
UNREADABLE = "the body cannot be read as JSON"
PAGES = {"/": "index.html", "/docs": "docs.html", "/redoc": "redoc.html"}


def create_app(settings: ServeConfig, api_key: str = "") -> FastAPI:
    """The application with its service, whose models are loaded here."""
    service = Service(settings, api_key)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await service.warm_up()
        yield
        await service.stop()

    app = FastAPI(
        title="stonezero",
        version=version("stonezero"),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.add_middleware(Guards, service=service)
    for router in (search.router, games.router, imports.router, training.router, status.router):
        app.include_router(router)
    for path, name in PAGES.items():
        app.add_api_route(path, _page(name), include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _handle_errors(app)
    return app


def _page(name: str) -> Any:
    async def page() -> FileResponse:
        return FileResponse(STATIC / name)

    return page


def _handle_errors(app: FastAPI) -> None:
    """Every error as `{"detail": one sentence}`."""

    @app.exception_handler(ProblemError)
    async def problem(_: Request, error: ProblemError) -> JSONResponse:
        return JSONResponse(error.body(), error.status, error.headers())

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"detail": sentence_of(error.errors())}, 422)

    @app.exception_handler(GameOverError)
    async def over(_: Request, error: GameOverError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 409)

    @app.exception_handler(UserError)
    async def refused(_: Request, error: UserError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 422)

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        detail = UNREADABLE if error.status_code == 400 else str(error.detail)
        return JSONResponse({"detail": detail}, error.status_code, error.headers)


def serve(settings: ServeConfig) -> None:
    """Run until SIGINT or SIGTERM; then answer what is under way and stop."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    app = create_app(settings, os.environ.get(API_KEY, ""))
    print(f"stonezero serves http://{settings.host}:{settings.port} (API description: /docs)", flush=True)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
    )
