"""AlphaZero for stone games: Gomoku and Othello learnt from zero."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stonezero.games.board import Board

__all__ = ["Board"]


def __getattr__(name: str) -> Any:
    """Import `Board`, and with it numba, only when it is asked for; formats when a record is read."""
    if name == "Board":
        from stonezero.games.board import Board

        Board.record_reader = staticmethod(_read_board)
        return Board
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _read_board(record: Any, number: int, **hints: Any) -> "Board":
    from stonezero.records.formats.boards import read_board

    return read_board(record, number, **hints)
