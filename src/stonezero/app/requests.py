"""What a client may send, field by field. What the fields say together is checked in positions."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

LARGEST_SIZE = 20
MOST_MOVES = 800
LARGEST_SEED = 2**53 - 1  #: largest integer that JavaScript's numbers hold exactly


def _integer(value: Any) -> Any:
    """True and 1.0 equal 1, and would pass for a literal 1."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be 1 (black) or 2 (white)")
    return value


Side = Annotated[Literal[1, 2], BeforeValidator(_integer, json_schema_input_type=Literal[1, 2])]
Point = Annotated[int, Field(ge=0, le=2)]
Row = Annotated[list[Point], Field(min_length=3, max_length=LARGEST_SIZE)]
MoveText = Annotated[str, Field(max_length=8)]
MoveIndex = Annotated[int, Field(ge=0, le=LARGEST_SIZE**2)]


def _move(value: Any) -> Any:
    is_index = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_SIZE**2
    if not is_index and not (isinstance(value, str) and len(value) <= 8 and value.isascii()):
        raise ValueError("must be a move's text, like h8 or pass, or its index")
    return value


Move = Annotated[MoveText | MoveIndex, BeforeValidator(_move, json_schema_input_type=MoveText | MoveIndex)]


class Strict(BaseModel):
    """No field but those named, no value of another type: true, 1.0 and "1" are no integers."""

    model_config = ConfigDict(strict=True, extra="forbid", protected_namespaces=())


class GameChoice(Strict):
    """A game on one board under one rule set."""

    name: Literal["gomoku", "othello"]
    size: Annotated[int, Field(ge=3, le=LARGEST_SIZE, description="gomoku 3..20; othello 4, 6, 8 or 10")]
    k: Annotated[
        int | None,
        Field(ge=0, le=LARGEST_SIZE, description="stones in a row that win; gomoku: 5 if left out"),
    ] = None
    rules: Annotated[
        str,
        Field(
            max_length=20, description="gomoku: freestyle (the default), standard or renju; othello: othello"
        ),
    ] = ""


class PositionRequest(Strict):
    """A position: `moves` from the start, or a `board` with the side to move, or moves from there."""

    game: Annotated[GameChoice | None, Field(description="the model's own game if left out")] = None
    model: Annotated[str | None, Field(max_length=100, description="a name of GET /models")] = None
    moves: Annotated[
        list[Move] | None,
        Field(
            max_length=MOST_MOVES, description="moves from the start, or from the board where one is given"
        ),
    ] = None
    board: Annotated[
        list[Row] | None,
        Field(
            min_length=3,
            max_length=LARGEST_SIZE,
            description="board[y][x], y from the top: 0 empty, 1 black, 2 white",
        ),
    ] = None
    current_player: Annotated[
        Side | None, Field(description="side to move on the board: 1 black, 2 white")
    ] = None


class SearchRequest(PositionRequest):
    """A position to be searched."""

    simulations: Annotated[int | None, Field(ge=1, le=1_000_000, description="visits of the search")] = None
    time_limit_seconds: Annotated[
        float | None, Field(gt=0, le=3600, allow_inf_nan=False, description="the search ends by then")
    ] = None


EMPTY_THREE = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
THREE: dict[str, Any] = {"name": "gomoku", "size": 3, "k": 3}
GRID_EXAMPLE: dict[str, Any] = {
    "game": THREE,
    "model": "rollouts",
    "board": EMPTY_THREE,
    "current_player": 2,
    "simulations": 50,
}
MOVES_EXAMPLE: dict[str, Any] = {
    "game": {"name": "othello", "size": 6},
    "model": "rollouts",
    "moves": ["c2", "b2"],
    "simulations": 50,
}
NEW_GAME_EXAMPLE: dict[str, Any] = {"game": THREE, "model": "rollouts", "simulations": 50}


class Choice(Strict):
    """How a move is picked after the search."""

    temperature: Annotated[
        float | None, Field(ge=0, le=10, allow_inf_nan=False, description="0 plays the best; 1 varies a lot")
    ] = None
    choose_by: Annotated[
        Literal["visits", "prior"],
        Field(description="visits: by search; prior: by what the net finds natural, like a person"),
    ] = "visits"
    seed: Annotated[int | None, Field(ge=0, le=LARGEST_SEED, description="of the variation")] = None


class MoveRequest(SearchRequest, Choice):
    """A position in which a move is wanted."""

    model_config = ConfigDict(json_schema_extra={"examples": [GRID_EXAMPLE, MOVES_EXAMPLE]})


class AnalyseRequest(SearchRequest):
    """A position to be looked into."""

    model_config = ConfigDict(json_schema_extra={"examples": [GRID_EXAMPLE | {"lines": 2}]})
    lines: Annotated[int, Field(ge=0, le=20, description="best lines wanted")] = 3
    line_length: Annotated[int, Field(ge=1, le=50, description="most moves of a line")] = 10


class TreeRequest(SearchRequest):
    """A position whose search tree is wanted."""

    model_config = ConfigDict(json_schema_extra={"examples": [GRID_EXAMPLE | {"depth": 2, "min_visits": 2}]})
    depth: Annotated[int, Field(ge=0, le=50, description="plies below the root")] = 3
    min_visits: Annotated[int, Field(ge=1, le=1_000_000, description="nodes with fewer are left out")] = 1
    max_nodes: Annotated[int, Field(ge=1, le=10_000, description="more are left out, the deepest first")] = (
        2000
    )


class PositionsRequest(PositionRequest):
    """A game of which every position is wanted."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{key: MOVES_EXAMPLE[key] for key in ("game", "moves")}]}
    )


class LookupRequest(PositionRequest):
    """A position to be looked up in the training records."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"game": THREE, "model": "rollouts", "moves": []}]}
    )


class NewGameRequest(Strict):
    """A game to be played move by move, kept by the service."""

    model_config = ConfigDict(json_schema_extra={"examples": [NEW_GAME_EXAMPLE]})
    game: GameChoice | None = None
    model: Annotated[str | None, Field(max_length=100)] = None
    moves: Annotated[list[Move], Field(max_length=MOST_MOVES, description="played already")] = []
    simulations: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    time_limit_seconds: Annotated[float | None, Field(gt=0, le=3600, allow_inf_nan=False)] = None


Ply = Annotated[int, Field(ge=0, le=10_000, description="the ply that the client sees: 409 if it is stale")]


class PlayRequest(Strict):
    """A move of the client in a session."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ply": 0, "move": "b2"}]})
    ply: Ply
    move: Move


class ReplyRequest(Choice):
    """The model is to move in a session."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ply": 1}]})
    ply: Ply
    simulations: Annotated[int | None, Field(ge=1, le=1_000_000)] = None


class UndoRequest(Strict):
    """Take moves back in a session."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ply": 2, "moves": 2}]})
    ply: Ply
    moves: Annotated[int, Field(ge=1, le=MOST_MOVES, description="how many")] = 1
