"""Input planes against their definitions, from the whole history of a game."""

import numpy as np
import pytest

from stonezero.errors import UserError
from stonezero.games import BLACK, Game, make_game
from stonezero.games.planes import PLANES, plane_codes, write_planes
from tests.games.common import RandomPlay, game_id

GAMES = [
    make_game("gomoku", 4, 4),
    make_game("gomoku", 9, 5),
    make_game("othello", 4),
    make_game("othello", 8),
]


def possible_planes(game: Game) -> list[str]:
    return [
        name
        for name in PLANES
        if name != "forbidden"
        and not (game.name == "othello" and "_frame_" in name)
        and not (game.name == "gomoku" and name == "consecutive_passes")
    ]


def expected_plane(
    name: str, game: Game, history: list[np.ndarray], moves: list[int], legal: np.ndarray
) -> np.ndarray:
    """The plane's definition; history[t] are the stones before ply t."""
    own = 1 if len(moves) % 2 == 0 else 2
    side = own if name.startswith("own") else 3 - own
    plane = np.zeros(game.num_points, np.float32)
    if name in ("own", "opponent"):
        plane[history[-1] == side] = 1
    elif "_frame_" in name:
        age = int(name[-1])
        if age < len(history):
            plane[history[-1 - age] == side] = 1
    elif "_recent_" in name or name == "last_move":
        of_side = moves[::-1] if name == "last_move" else moves[::-1][(1 if side == own else 0) :: 2]
        age = 1 if name == "last_move" else int(name[-1])
        if age <= len(of_side) and of_side[age - 1] < game.num_points:
            plane[of_side[age - 1]] = 1
    elif name == "empty":
        plane[history[-1] == 0] = 1
    elif name == "legal":
        plane[:] = legal[: game.num_points]
    elif name == "consecutive_passes":
        plane[:] = 1 if moves and moves[-1] == game.pass_move else 0
    else:
        plane[:] = 1 if name == "ones" or own == BLACK else 0
    return plane


@pytest.mark.parametrize("game", GAMES, ids=game_id)
def test_every_plane_equals_its_definition_all_game_long(game: Game) -> None:
    play, names = RandomPlay(game, 4, seed=50), possible_planes(game)
    codes = plane_codes(names, game)
    histories = [[stones.copy()] for stones in play.positions.stones]
    moves: list[list[int]] = [[] for _ in histories]
    while len(play.live):
        for row, move in zip(*play.step(), strict=True):
            histories[row].append(play.positions.stones[row].copy())
            moves[row].append(int(move))
        rows = np.array([3, 0, 2, 1])
        out = np.full((4, len(names), game.num_points), np.nan, np.float32)
        write_planes(play.positions, rows, play.legal[rows], codes, out)
        for row, planes in zip(rows, out, strict=True):
            for name, plane in zip(names, planes, strict=True):
                expected = expected_plane(name, game, histories[row], moves[row], play.legal[row])
                assert (plane == expected).all(), name


@pytest.mark.parametrize(
    ("game", "names", "message"),
    [
        (GAMES[1], [], "at least one"),
        (GAMES[1], ["own", "oponent"], "no input plane 'oponent'"),
        (GAMES[1], ["consecutive_passes"], "gomoku has no input plane"),
        (GAMES[3], ["own_frame_1"], "othello has no input plane"),
        (GAMES[1], ["forbidden"], "gomoku has no input plane"),
    ],
)
def test_planes_that_cannot_be_are_refused(game: Game, names: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        plane_codes(names, game)


def test_plane_codes_are_all_different() -> None:
    assert len(set(PLANES.values())) == len(PLANES)


def test_the_forbidden_plane_has_blacks_forbidden_points_and_leaves_the_stones() -> None:
    game = make_game("gomoku", 9, 5, "renju")
    positions = game.new_positions(200)
    rng = np.random.default_rng(0)
    positions.stones[:] = rng.choice([0, 0, 1, 1, 2], positions.stones.shape)
    before, rows = positions.stones.copy(), np.arange(200)
    out = np.full((200, 1, 81), np.nan, np.float32)
    legal = np.zeros((200, 81), np.uint8)
    write_planes(positions, rows, legal, plane_codes(["forbidden"], game), out)
    assert (positions.stones == before).all()
    for row in rows:
        assert np.flatnonzero(out[row, 0]).tolist() == game.forbidden_moves(positions, int(row))
    assert out.sum() > 100
