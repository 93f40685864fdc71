"""What the service answers, field by field."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Grid = list[list[float]]


class Answer(BaseModel):
    model_config = ConfigDict(protected_namespaces=())


class ProblemAnswer(Answer):
    """Why a request was not answered."""

    detail: str = Field(description="one sentence")
    state: dict[str, Any] | None = Field(None, description="of the game session, where the client's is stale")


class ModelFacts(Answer):
    """Which model answered."""

    name: str
    version: str = Field(description="the generation that made it")
    digest: str | None = Field(description="SHA-256 of the checkpoint; null for rollouts")
    game: dict[str, str | int] = Field(description="the game that was played")


class PlacedMove(Answer):
    """A move; x and y count from the upper left corner and are null for a pass."""

    x: int | None
    y: int | None
    move: str
    index: int


class State(Answer):
    """A position as a page shows it."""

    game: dict[str, str | int]
    board: list[list[int]] = Field(description="board[y][x]: 0 empty, 1 black, 2 white")
    current_player: int = Field(description="side to move: 1 black, 2 white")
    ply: int
    status: str = Field(description="ongoing, black_won, white_won or draw")
    legal: list[int] = Field(description="indices of legal moves: y * size + x, size * size for a pass")
    must_pass: bool
    last_move: PlacedMove | None
    winning_line: list[int] = Field(description="indices of the stones that won")
    forbidden: list[int] = Field(description="indices by which the side to move loses at once (renju)")
    score: dict[str, int]


class MoveAnswer(PlacedMove):
    """The move chosen."""

    probability: float = Field(description="the move's share of the search's visits")
    prior: float = Field(description="the net's own probability of it")
    value: float = Field(description="expected result for the side to move, -1 lost .. 1 won")
    simulations: int
    seconds: float
    model: ModelFacts


class Candidate(PlacedMove):
    """What the search thinks of a move."""

    visits: int
    prior: float
    q: float | None = Field(description="mean value for the side to move; null where unvisited")


class LineAnswer(Answer):
    """A principal variation."""

    moves: list[PlacedMove]
    visits: int
    q: float


class Heatmaps(Answer):
    """By point, [y][x]; 0 where there is nothing."""

    prior: Grid
    visits: Grid = Field(description="shares of all visits")
    q: list[list[float | None]] = Field(description="null where unvisited")


class Analysis(Answer):
    """What the search thinks of a position."""

    value: float = Field(description="for the side to move")
    current_player: int
    ply: int
    simulations: int
    seconds: float
    candidates: list[Candidate] = Field(description="the most visited first; at least the most likely ten")
    lines: list[LineAnswer]
    heatmaps: Heatmaps
    model: ModelFacts


class TreeAnswer(Answer):
    """A search tree as a flat list of nodes; see docs/deployment.md."""

    game: dict[str, str | int]
    num_nodes: int = Field(description="of the whole tree")
    is_truncated: bool
    nodes: list[dict[str, Any]]
    simulations: int
    seconds: float
    model: ModelFacts


class PositionsAnswer(Answer):
    """All positions of a game, the start first."""

    game: dict[str, str | int]
    moves: list[PlacedMove]
    states: list[State]


class ModelEntry(Answer):
    """One model on the shelf."""

    name: str
    version: str
    digest: str | None
    game: dict[str, str | int] | None = Field(description="it was made for; null: plays all")
    any_size: bool = Field(description="whether it plays the game on other board sizes, too")
    parameters: int
    is_default: bool


class ModelsAnswer(Answer):
    models: list[ModelEntry]
    rules: dict[str, list[str]] = Field(description="rule sets of each game")
    sizes: dict[str, list[int]]
    simulations: int
    max_simulations: int
    temperature: float


class Health(Answer):
    status: str
    version: str
    uptime_seconds: float
    models: int
    pending: int


class HistoryMove(PlacedMove):
    """One move of a session."""

    player: int
    by: str = Field(description="client or model")
    value: float | None = Field(None, description="for the side that moved; null for the client's moves")
    probability: float | None = None
    distribution: dict[str, float] | None = Field(
        None, description="share of visits of each move, on request"
    )


class GameAnswer(Answer):
    """A session: its position and its moves."""

    id: str
    state: State
    history: list[HistoryMove]
    model: ModelFacts


class TrainingAnswer(Answer):
    """A training run so far; tables as lists of rows."""

    elo: list[dict[str, Any]]
    losses: list[dict[str, Any]]
    gates: list[dict[str, Any]]
    generations: list[str] = Field(description="with records, oldest first")
    mlflow_url: str


class RecordedGame(Answer):
    game_id: int
    moves: list[int]
    status: str


class TrainingGames(Answer):
    """Self-play games, the newest first."""

    game: dict[str, str | int]
    games: list[RecordedGame]


class LookupAnswer(Answer):
    """How often a position, up to symmetry, was recorded; results for the side to move."""

    positions: int
    won: int
    drawn: int
    lost: int
    searched: int = Field(description="recorded positions compared")
    is_complete: bool = Field(description="false where time ran out")


class ImportedGame(Answer):
    """A game that was read; `board` and `current_player` where it starts from a position set up."""

    number: int
    title: str
    game: dict[str, str | int]
    moves: list[int]
    status: str
    ending: str
    board: list[list[int]] | None
    current_player: int | None
    facts: dict[str, str]


class ImportAnswer(Answer):
    """Games of a file, and why others were refused; long lists are cut."""

    format: str
    games: list[ImportedGame]
    num_games: int
    refused: list[str]
    num_refused: int
