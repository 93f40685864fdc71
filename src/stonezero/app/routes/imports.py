"""POST /import: a file of games of another program, as moves that /positions and /analyse take."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query
from starlette.concurrency import run_in_threadpool

from stonezero.app.answers import ImportAnswer
from stonezero.app.positions import STATUS_NAMES
from stonezero.app.problems import ProblemError
from stonezero.app.routes.common import PROBLEMS, check_key
from stonezero.records.formats.catalogue import Reading, format_of, format_of_text, read_data
from stonezero.records.formats.game_text import GameText
from stonezero.records.formats.transcript import decoded

MOST_GAMES = 500  #: of one file; the page shows a list of them
MOST_REFUSALS = 20

router = APIRouter(tags=["records"], dependencies=[Depends(check_key)], responses=PROBLEMS)


@router.post("/import", response_model=ImportAnswer)
async def import_games(
    data: Annotated[bytes, Body(media_type="application/octet-stream", description="the file")],
    name: Annotated[
        str, Query(max_length=300, description="its name, whose extension says the format; else the content")
    ] = "",
) -> dict[str, Any]:
    """Read SGF, PSQ, REC, GGF, WTHOR or position text. What cannot be read is named, the rest is given."""
    return await run_in_threadpool(_import, data, name)


def _import(data: bytes, name: str) -> dict[str, Any]:
    kind = format_of(Path(name)) or format_of_text(decoded(data))
    reading = read_data(data, kind)
    if not reading.games:
        reasons = [refusal.reason for refusal in reading.refusals]
        raise ProblemError(422, reasons[0] if reasons else "the file holds no game")
    return {"format": kind.name, **_answer(reading)}


def _answer(reading: Reading) -> dict[str, Any]:
    refused = [f"game {refusal.number}: {refusal.reason}" for refusal in reading.refusals[:MOST_REFUSALS]]
    return {
        "games": [_game(item.number, item.game) for item in reading.games[:MOST_GAMES]],
        "num_games": len(reading.games),
        "refused": refused,
        "num_refused": len(reading.refusals),
    }


def _game(number: int, game: GameText) -> dict[str, Any]:
    size, start = game.game.size, game.start
    return {
        "number": number,
        "title": _title(game),
        "game": game.game.spec(),
        "moves": list(game.moves),
        "status": STATUS_NAMES[game.status],
        "ending": game.ending,
        "board": None if start is None else start.stones.reshape(size, size).tolist(),
        "current_player": None if start is None else start.turn,
        "facts": dict(game.facts),
    }


def _title(game: GameText) -> str:
    """Who played, where the file says so."""
    names = [game.facts.get(side, "") for side in ("black", "white")]
    return " - ".join(name or "?" for name in names) if any(names) else "game"
