"""POST /move, /analyse, /tree, /positions: one position, or all positions of a game."""

from functools import partial
from typing import Any

import numpy as np
from fastapi import APIRouter, Depends
from numpy.typing import NDArray
from starlette.concurrency import run_in_threadpool

from stonezero.app.answers import Analysis, MoveAnswer, PositionsAnswer, TreeAnswer
from stonezero.app.findings import Findings, choice_weights, line_findings, move_findings
from stonezero.app.positions import game_wanted, placed, read_position, state_of
from stonezero.app.requests import AnalyseRequest, Choice, MoveRequest, PositionsRequest, TreeRequest
from stonezero.app.routes.common import BUSY, CONFLICT, NOT_FOUND, PROBLEMS, ServiceOf, check_key
from stonezero.app.service import Searched, Service, random_number
from stonezero.games import Game
from stonezero.games.board import Board
from stonezero.players.tree_json import TreeLimits, tree_data

MOST_CANDIDATES = 10

router = APIRouter(tags=["search"], dependencies=[Depends(check_key)], responses=PROBLEMS | NOT_FOUND)


@router.post("/move", response_model=MoveAnswer, responses=CONFLICT | BUSY)
async def move(request: MoveRequest, service: ServiceOf) -> dict[str, Any]:
    """Pick a move in a position."""
    searched = await service.search_request(request, move_findings)
    index = chosen_move(searched.found, request, service)
    answer = move_answer(searched, index)
    service.log_answer("move", searched, answer)
    return answer | {"model": service.model_facts(searched.model, searched.board.game)}


def chosen_move(found: Findings, choice: Choice, service: Service) -> int:
    """A move by the temperature asked for."""
    temperature = service.settings.temperature if choice.temperature is None else choice.temperature
    weights = choice_weights(found.root, choice.choose_by, temperature)
    cumulative = np.cumsum(weights)
    move = int(np.searchsorted(cumulative, random_number(choice.seed) * cumulative[-1], side="right"))
    return min(move, int(np.flatnonzero(weights)[-1]))


def move_answer(searched: Searched, index: int) -> dict[str, Any]:
    """The move chosen, as `MoveAnswer` without the model."""
    found: Findings = searched.found
    return placed(searched.board.game, index) | {
        "probability": int(found.root.visits[index]) / max(found.num_simulations, 1),
        "prior": float(found.root.priors[index]),
        "value": found.root.value,
        "simulations": found.num_simulations,
        "seconds": round(searched.seconds, 4),
    }


@router.post("/analyse", response_model=Analysis, responses=CONFLICT | BUSY)
async def analyse(request: AnalyseRequest, service: ServiceOf) -> dict[str, Any]:
    """Visits, priors, values, best lines and heatmaps of a position."""
    harvest = partial(line_findings, num_lines=request.lines, length=request.line_length)
    searched = await service.search_request(request, harvest)
    service.log_answer("analyse", searched, {"value": searched.found.root.value})
    return analysis(searched) | {"model": service.model_facts(searched.model, searched.board.game)}


def analysis(searched: Searched) -> dict[str, Any]:
    """A search as `Analysis` without the model."""
    board, found = searched.board, searched.found
    root = found.root
    return {
        "value": root.value,
        "current_player": board.turn,
        "ply": board.ply,
        "simulations": found.num_simulations,
        "seconds": round(searched.seconds, 4),
        "candidates": [_candidate(board.game, found, move) for move in _candidates(board, found)],
        "lines": [
            {
                "moves": [placed(board.game, move) for move in line.moves],
                "visits": line.visits,
                "q": float(root.values[line.moves[0]]),
            }
            for line in found.lines
        ],
        "heatmaps": {
            "prior": _grid(board.game, root.priors),
            "visits": _grid(board.game, root.visits / max(found.num_simulations, 1)),
            "q": _grid(board.game, root.values, root.visits > 0),
        },
    }


def _candidates(board: Board, found: Findings) -> list[int]:
    """All visited moves, the most visited first, and the likeliest others up to MOST_CANDIDATES."""
    legal = np.array(board.legal_moves())
    ordered = legal[np.lexsort((-found.root.priors[legal], -found.root.visits[legal]))]
    num_visited = int((found.root.visits[legal] > 0).sum())
    return [int(move) for move in ordered[: max(num_visited, MOST_CANDIDATES)]]


def _candidate(game: Game, found: Findings, move: int) -> dict[str, Any]:
    visits = int(found.root.visits[move])
    return placed(game, move) | {
        "visits": visits,
        "prior": float(found.root.priors[move]),
        "q": float(found.root.values[move]) if visits else None,
    }


def _grid(game: Game, by_move: NDArray[Any], known: NDArray[np.bool_] | None = None) -> list[list[Any]]:
    """[y][x] of numbers by move, without the pass; None where they are not known."""
    size = game.size
    points: list[Any] = by_move[: game.num_points].astype(np.float64).round(5).tolist()
    if known is not None:
        points = [value if known[move] else None for move, value in enumerate(points)]
    return [points[row * size : (row + 1) * size] for row in range(size)]


@router.post("/tree", response_model=TreeAnswer, responses=CONFLICT | BUSY)
async def tree(request: TreeRequest, service: ServiceOf) -> dict[str, Any]:
    """The search tree of a position, down to a depth and a number of visits."""
    limits = TreeLimits(request.depth, request.min_visits, request.max_nodes)
    searched = await service.search_request(request, partial(tree_data, limits=limits))
    nodes = searched.found["nodes"]
    service.log_answer("tree", searched, {"nodes": len(nodes)})
    return searched.found | {
        "simulations": max(nodes[0]["visit_count"] - 1, 0),
        "seconds": round(searched.seconds, 4),
        "model": service.model_facts(searched.model, searched.board.game),
    }


@router.post("/positions", response_model=PositionsAnswer)
async def positions(request: PositionsRequest, service: ServiceOf) -> dict[str, Any]:
    """Every position of a game, the start first; of a board, that position alone. No search."""
    return await run_in_threadpool(_positions, request, service)


def _positions(request: PositionsRequest, service: Service) -> dict[str, Any]:
    game = game_wanted(request.game, service.shelf.named(request.model))
    board = read_position(request, game)
    moves = board.moves
    states = [state_of(board)]
    while board.moves:
        board.undo()
        states.append(state_of(board))
    return {
        "game": game.spec(),
        "moves": [placed(game, move) for move in moves],
        "states": states[::-1],
    }
