"""Requests into boards, and boards into what a page shows."""

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stonezero.app.problems import ProblemError
from stonezero.app.requests import GameChoice, Move, PositionRequest
from stonezero.app.shelf import Model
from stonezero.errors import UserError
from stonezero.games import BLACK, BLACK_WON, DRAW, EMPTY, ONGOING, WHITE, WHITE_WON, Game, make_game
from stonezero.games.board import SIDE_NAMES, Board
from stonezero.games.notation import describe, move_to_text

STATUS_NAMES = {ONGOING: "ongoing", BLACK_WON: "black_won", WHITE_WON: "white_won", DRAW: "draw"}
DEFAULT_K = 5
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
NEIGHBOURS = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]


def game_wanted(choice: GameChoice | None, model: Model) -> Game:
    """The game of a request: the one it names, or the model's own."""
    if choice is None:
        if model.home is None:
            raise ProblemError(422, f"game is missing: the model {model.name} plays several")
        return model.home
    k = choice.k
    if k is None:
        k = min(DEFAULT_K, choice.size) if choice.name == "gomoku" else 0
    return make_game(choice.name, choice.size, k, choice.rules)


def read_position(request: PositionRequest, game: Game) -> Board:
    """The board a request describes; UserError or ProblemError where it describes none that can arise."""
    if request.moves is None and request.board is None:
        raise ProblemError(422, "give moves or a board")
    if request.board is None:
        board = play_moves(Board(game), request.moves or [])
        if request.current_player is not None and not board.is_over and request.current_player != board.turn:
            raise ProblemError(
                422,
                f"current_player is {request.current_player}, but after these moves "
                f"{SIDE_NAMES[board.turn]} ({board.turn}) is to move",
            )
        return board
    if request.current_player is None:
        raise ProblemError(422, "current_player is missing: a board needs the side to move")
    return play_moves(read_grid(game, request.board, request.current_player), request.moves or [])


def play_moves(board: Board, moves: list[Move]) -> Board:
    """`board` after these moves; the message names the first that is wrong."""
    for number, move in enumerate(moves):
        try:
            board.play(move)
        except UserError as error:
            raise ProblemError(422, f"moves[{number}]: {error}") from error
    return board


def read_grid(game: Game, rows: list[list[int]], turn: int) -> Board:
    """A board from board[y][x]; ProblemError or UserError for a position that no game reaches."""
    size = game.size
    lengths = {len(row) for row in rows}
    if len(rows) != size or lengths != {size}:
        raise ProblemError(
            422, f"board must have {size} rows of {size} points for {describe(game)}, not {_shape(rows)}"
        )
    stones = np.array(rows, np.int8)
    board = Board.from_stones(game, stones, turn)
    if game.name == "gomoku":
        _check_stone_counts(board, turn)
    else:
        _check_connected(stones)
    return board


def _shape(rows: list[list[int]]) -> str:
    lengths = sorted({len(row) for row in rows})
    width = str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
    return f"{len(rows)} rows of {width}"


def _check_stone_counts(board: Board, turn: int) -> None:
    """Gomoku's sides take turns, and Black begins."""
    black, white = board.score
    is_possible = black - white in (0, 1) if board.is_over else black - white == (0 if turn == BLACK else 1)
    if not is_possible:
        raise ProblemError(
            422,
            f"{black} black and {white} white stones cannot be with {SIDE_NAMES[turn]} to move: "
            "black begins and the sides take turns",
        )


def _check_connected(stones: NDArray[np.int8]) -> None:
    """Each Othello disc was put beside another: all hang together with the four in the centre."""
    size = len(stones)
    reached = np.zeros_like(stones, np.bool_)
    reached[size // 2, size // 2] = True
    waiting = deque([(size // 2, size // 2)])
    while waiting:
        y, x = waiting.popleft()
        for dy, dx in NEIGHBOURS:
            row, column = y + dy, x + dx
            if 0 <= row < size and 0 <= column < size and stones[row, column] and not reached[row, column]:
                reached[row, column] = True
                waiting.append((row, column))
    floating = np.argwhere((stones != EMPTY) & ~reached)
    if len(floating):
        y, x = (int(number) for number in floating[0])
        raise ProblemError(422, f"board[{y}][{x}] has a disc that hangs together with none of the others")


def check_searchable(board: Board) -> None:
    """Raise ProblemError (409) where the game is over: there is nothing to search."""
    if board.is_over:
        raise ProblemError(409, f"the game is over: {STATUS_NAMES[board.status].replace('_', ' ')}")


def placed(game: Game, move: int) -> dict[str, Any]:
    """A move as answers show it."""
    y, x = divmod(move, game.size)
    is_pass = move == game.num_points
    return {
        "x": None if is_pass else x,
        "y": None if is_pass else y,
        "move": move_to_text(game, move),
        "index": move,
    }


def state_of(board: Board) -> dict[str, Any]:
    """A position as a page shows it: see `answers.State`."""
    game, legal = board.game, board.legal_moves()
    black, white = board.score
    return {
        "game": game.spec(),
        "board": board.stones.tolist(),
        "current_player": board.turn,
        "ply": board.ply,
        "status": STATUS_NAMES[board.status],
        "legal": legal,
        "must_pass": game.has_pass and legal == [game.pass_move],
        "last_move": placed(game, board.moves[-1]) if board.moves else None,
        "winning_line": winning_line(board),
        "forbidden": game.forbidden_moves(board.positions, 0),
        "score": {"black": black, "white": white},
    }


def winning_line(board: Board) -> list[int]:
    """The winner's stones in rows that win, as points in rising order; none in Othello."""
    if board.winner is None or board.game.name != "gomoku":
        return []
    size, stones = board.game.size, board.stones
    points: set[int] = set()
    for y, x in np.argwhere(stones == board.winner):
        for step in DIRECTIONS:
            run = _run(stones, int(y), int(x), step)
            if _wins(board, len(run)):
                points.update(row * size + column for row, column in run)
    return sorted(points)


def _wins(board: Board, length: int) -> bool:
    """Whether a row of this length, not part of a longer one, wins for the winner."""
    spec = board.game.spec()
    longer_wins = spec["rules"] == "freestyle" or (spec["rules"] == "renju" and board.winner == WHITE)
    return length == spec["k"] or (length > int(spec["k"]) and longer_wins)


def _run(stones: NDArray[np.int8], y: int, x: int, step: tuple[int, int]) -> list[tuple[int, int]]:
    """The row that begins with the stone on (y, x), as (y, x) of its stones; empty where it begins before."""
    size, colour, run = len(stones), stones[y, x], []
    dy, dx = step
    if 0 <= y - dy < size and 0 <= x - dx < size and stones[y - dy, x - dx] == colour:
        return []
    while 0 <= y < size and 0 <= x < size and stones[y, x] == colour:
        run.append((y, x))
        y, x = y + dy, x + dx
    return run
