"""AlphaZero for stone games: Gomoku and Othello learnt from zero."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stonezero.games.board import Board

__all__ = ["Board"]


def __getattr__(name: str) -> Any:
    """Import `Board`, and with it numba, only when it is asked for."""
    if name == "Board":
        from stonezero.games.board import Board

        return Board
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
