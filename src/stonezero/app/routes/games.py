"""/game: sessions played move by move. A client says at which ply it believes the game to be."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.concurrency import run_in_threadpool

from stonezero.app.answers import GameAnswer
from stonezero.app.findings import move_findings
from stonezero.app.positions import check_searchable, game_wanted, play_moves, state_of
from stonezero.app.requests import NewGameRequest, PlayRequest, ReplyRequest, UndoRequest
from stonezero.app.routes.common import BUSY, CONFLICT, NOT_FOUND, PROBLEMS, ServiceOf, check_key
from stonezero.app.routes.search import chosen_move, move_answer
from stonezero.app.service import Limits, Service
from stonezero.app.sessions import PlayedMove, Session
from stonezero.games.board import Board

router = APIRouter(
    prefix="/game", tags=["game"], dependencies=[Depends(check_key)], responses=PROBLEMS | NOT_FOUND
)


@router.post("", response_model=GameAnswer, status_code=201)
async def begin(request: NewGameRequest, service: ServiceOf) -> dict[str, Any]:
    """Begin a game; `moves` are played already."""
    board = await run_in_threadpool(_board, request, service)
    model = service.shelf.named(request.model)
    service.check_limits(Limits(request.simulations, request.time_limit_seconds))
    session = service.sessions.open(board, model, request.simulations, request.time_limit_seconds)
    return _answer(session, service)


def _board(request: NewGameRequest, service: Service) -> Board:
    model = service.shelf.named(request.model)
    game = game_wanted(request.game, model)
    model.check_plays(game)
    return play_moves(Board(game), request.moves)


@router.get("/{game_id}", response_model=GameAnswer)
async def history(
    game_id: str,
    service: ServiceOf,
    distributions: Annotated[bool, Query(description="with every move's share of visits")] = False,
) -> dict[str, Any]:
    """A game's position and history."""
    return _answer(service.sessions[game_id], service, distributions)


@router.post("/{game_id}/play", response_model=GameAnswer, responses=CONFLICT)
async def play(game_id: str, request: PlayRequest, service: ServiceOf) -> dict[str, Any]:
    """Play the client's move."""
    session = service.sessions[game_id]
    async with session.lock:
        session.check_ply(request.ply)
        trial = session.board.copy()
        trial.play(request.move)
        session.play(PlayedMove(trial.moves[-1], session.board.turn, "client"))
    return _answer(session, service)


@router.post("/{game_id}/reply", response_model=GameAnswer, responses=CONFLICT | BUSY)
async def reply(game_id: str, request: ReplyRequest, service: ServiceOf) -> dict[str, Any]:
    """Let the model move for the side to move, whichever that is."""
    session = service.sessions[game_id]
    async with session.lock:
        session.check_ply(request.ply)
        check_searchable(session.board)
        simulations = session.simulations if request.simulations is None else request.simulations
        limits = Limits(simulations, session.seconds)
        searched = await service.search(session.model, session.board.copy(), limits, move_findings)
        move = chosen_move(searched.found, request, service)
        answer = move_answer(searched, move)
        service.log_answer("reply", searched, answer | {"id": session.id})
        session.play(
            PlayedMove(
                move,
                session.board.turn,
                "model",
                answer["value"],
                answer["probability"],
                searched.found.root.visits,
            )
        )
    return _answer(session, service)


@router.post("/{game_id}/undo", response_model=GameAnswer, responses=CONFLICT)
async def undo(game_id: str, request: UndoRequest, service: ServiceOf) -> dict[str, Any]:
    """Take moves back."""
    session = service.sessions[game_id]
    async with session.lock:
        session.check_ply(request.ply)
        session.undo(request.moves)
    return _answer(session, service)


def _answer(session: Session, service: Service, with_distributions: bool = False) -> dict[str, Any]:
    return {
        "id": session.id,
        "state": state_of(session.board),
        "history": session.moves_so_far(with_distributions),
        "model": service.model_facts(session.model, session.board.game),
    }
