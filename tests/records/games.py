"""Records without self-play: random games, with visits and values drawn at random."""

import numpy as np

from stonezero.games import ONGOING, Game
from stonezero.records import GameRecord

SIMULATIONS = 32


def random_records(game: Game, num_games: int, seed: int = 0, opening_plies: int = 1) -> list[GameRecord]:
    """Finished games whose first `opening_plies` moves count as a random opening."""
    return [random_record(game, game_id, np.random.default_rng([seed, game_id]), opening_plies)
            for game_id in range(num_games)]  # fmt: skip


def random_record(game: Game, game_id: int, rng: np.random.Generator, opening_plies: int = 1) -> GameRecord:
    positions = game.new_positions(game.max_plies + 1)
    legal = np.zeros((1, game.num_actions), np.uint8)
    moves, visits = [], []
    while positions.status[len(moves)] == ONGOING:
        row = np.array([len(moves)])
        game.legal_moves(positions, row, legal)
        allowed = np.flatnonzero(legal[0])
        visits.append(np.zeros(game.num_actions, np.int32))
        if len(moves) >= opening_plies:
            visits[-1][allowed] = rng.multinomial(SIMULATIONS, rng.dirichlet(np.full(len(allowed), 0.3)))
        moves.append(int(rng.choice(allowed)))
        game.play(positions, row, np.array(moves[-1:], np.int16), row + 1, legal)
    return record_of(game_id, positions, moves, visits, opening_plies, rng)


def record_of(game_id, positions, moves, visits, opening_plies, rng) -> GameRecord:  # type: ignore[no-untyped-def]
    """The record of a game whose positions are the rows of `positions` and whose visits are dense."""
    num_plies = len(moves)
    visited = [np.flatnonzero(row) for row in visits]
    is_opening = np.arange(num_plies) < opening_plies
    value = np.where(is_opening, np.nan, rng.uniform(-1, 1, num_plies)).astype(np.float32)
    return GameRecord(
        game_id=game_id,
        status=int(positions.status[num_plies]),
        stones=positions.stones[:num_plies],
        turn=positions.turn[:num_plies],
        ply=positions.ply[:num_plies],
        passes=positions.passes[:num_plies],
        recent_moves=positions.recent_moves[:num_plies],
        move=np.array(moves, np.int16),
        visit_moves=np.concatenate(visited).astype(np.int16),
        visit_counts=np.concatenate([row[places] for row, places in zip(visits, visited, strict=True)]),
        visit_offsets=np.cumsum([0, *(len(places) for places in visited)]).astype(np.int32),
        root_value=value,
        prior_entropy=np.abs(value),
        is_opening=is_opening,
        is_full_search=~is_opening,
        is_resigned=np.zeros(num_plies, bool),
        is_solved=np.zeros(num_plies, bool),
    )
