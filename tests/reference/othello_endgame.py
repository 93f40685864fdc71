"""Exact Othello scores by plain minimax, cell by cell: the oracle for `stonezero.solvers.endgame`."""

from tests.reference.othello import OTHER, Board, legal_moves, play

Known = dict[tuple[frozenset[tuple[tuple[int, int], str]], str], int]


def final_score(board: Board, side: str, size: int) -> int:
    """Disc difference for `side`, empty points counted for the winner."""
    discs = list(board.values())
    lead = discs.count(side) - discs.count(OTHER[side])
    empties = size * size - len(discs)
    return lead + (lead > 0) * empties - (lead < 0) * empties


def score(board: Board, side: str, size: int, known: Known) -> int:
    """The score of `side`, to move, when both play their best; `known` remembers positions."""
    key = frozenset(board.items()), side
    if key not in known:
        scores = score_moves(board, side, size, known)
        known[key] = max(scores.values()) if scores else final_score(board, side, size)
    return known[key]


def score_moves(board: Board, side: str, size: int, known: Known) -> dict[tuple[int, int] | str, int]:
    """The score of each legal move, {} where the game is over."""
    return {
        move: -score(play(board, side, move), OTHER[side], size, known)
        for move in legal_moves(board, side, size)
    }
