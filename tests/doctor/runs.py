"""Made-up runs: healthy ones, and the same with one disease each."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stonezero.doctor.facts import RunFacts
from stonezero.games.position import BLACK, BLACK_WON, DRAW, HISTORY, WHITE, WHITE_WON
from stonezero.records.schema import GameRecord, RecordTable, table_of_games

SIZE, K = 9, 9  # so long a row that random stones never come near it
SPEC = {"name": "gomoku", "size": SIZE, "k": K, "rules": "freestyle"}
GENERATIONS = 6


@dataclass(frozen=True)
class Play:
    """How the games of a run are played, searched and judged."""

    opens_alike: float = 0.05  #: share of games whose first moves are always the same
    visits: tuple[int, ...] = (30, 20, 10, 4)  #: of the move played and of others
    prior_entropy: float = 2.5
    honesty: float = 0.6  #: how much of the outcome a value knows at the end of a game
    noise: float = 0.15  #: of values
    black_wins: float = 0.55


def made_up_table(play: Play, num_games: int = 200, seed: int = 0) -> RecordTable:
    """`made_up_records` as a table."""
    return table_of_games(made_up_records(play, num_games, seed), SPEC)


def made_up_records(play: Play, num_games: int = 200, seed: int = 0) -> list[GameRecord]:
    """Games of random stones on 9x9; values drift from 0 towards the outcome."""
    rng = np.random.default_rng(seed)
    return [_game(play, number, rng) for number in range(num_games)]


def _game(play: Play, number: int, rng: np.random.Generator) -> GameRecord:
    plies = int(rng.integers(18, 30))
    moves = rng.permutation(SIZE * SIZE)[:plies]
    if rng.random() < play.opens_alike:
        rest = [move for move in moves if move not in (40, 41, 42, 43)]
        moves = np.array([40, 41, 42, 43, *rest])[:plies]
    plies = len(moves)
    black, draw = play.black_wins, 0.1 * (1 - play.black_wins)
    status = int(rng.choice([BLACK_WON, DRAW, WHITE_WON], p=[black, draw, 1 - black - draw]))
    turn = np.where(np.arange(plies) % 2 == 0, BLACK, WHITE).astype(np.int8)
    outcome = np.where(status == DRAW, 0, np.where(turn == status, 1, -1))
    value = play.honesty * outcome * np.arange(plies) / plies + rng.normal(0, play.noise, plies)
    visits = np.tile(np.array(play.visits, np.int32), plies)
    others = [(move + np.arange(len(play.visits)) * 7) % (SIZE * SIZE) for move in moves]
    return GameRecord(
        game_id=number,
        status=status,
        stones=_boards(moves, turn),
        turn=turn,
        ply=np.arange(plies, dtype=np.int16),
        passes=np.zeros(plies, np.int8),
        recent_moves=np.full((plies, HISTORY), -1, np.int16),
        move=moves.astype(np.int16),
        visit_moves=np.concatenate(others).astype(np.int16),
        visit_counts=visits,
        visit_offsets=(np.arange(plies + 1) * len(play.visits)).astype(np.int32),
        root_value=np.clip(value, -1, 1).astype(np.float32),
        prior_entropy=np.full(plies, play.prior_entropy, np.float32),
        is_opening=np.zeros(plies, bool),
        is_full_search=np.ones(plies, bool),
        is_resigned=np.zeros(plies, bool),
        is_solved=np.zeros(plies, bool),
    )


def _boards(moves: NDArray[np.int64], turn: NDArray[np.int8]) -> NDArray[np.int8]:
    boards = np.zeros((len(moves), SIZE * SIZE), np.int8)
    for ply in range(1, len(moves)):
        boards[ply] = boards[ply - 1]
        boards[ply, moves[ply - 1]] = turn[ply - 1]
    return boards


def made_up_losses(value_gap: float = 0.08) -> pd.DataFrame:
    """Two rows a generation; the held-out value loss is `value_gap` above that in training."""
    rows = []
    for number in range(1, GENERATIONS + 1):
        value, policy = 0.7 - 0.03 * number, 2.6 - 0.1 * number
        ends = {"train_policy_loss": policy, "train_value_loss": value}
        held_out = {"held_out_policy_loss": policy + 0.1, "held_out_value_loss": value * (1 + value_gap)}
        rows += [{"generation": f"g{number:03d}", "step": 0, "held_out_policy_loss": policy + 0.3}]
        rows += [{"generation": f"g{number:03d}", "step": 200} | ends | held_out]
    return pd.DataFrame(rows)


def made_up_gates(accepted: list[int]) -> pd.DataFrame:
    names = [f"g{number:03d}" for number in range(1, len(accepted) + 1)]
    return pd.DataFrame({"generation": names, "candidate": names, "accepted": accepted})


def healthy_run(seed: int = 0) -> RunFacts:
    """Varied games, honest values, a small gap, now and then a rejected candidate."""
    table = made_up_table(Play(), seed=seed)
    staleness = np.repeat(np.arange(5, dtype=np.int16), len(table))
    return RunFacts(
        "g006", table, made_up_losses(), made_up_gates([1, 1, 0, 1, 1, 0]), staleness, batch_size=128
    )


def mode_collapse() -> RunFacts:
    play = Play(opens_alike=0.9, visits=(62, 1, 1), prior_entropy=0.1)
    return replace(healthy_run(), table=made_up_table(play))


def overfit_value() -> RunFacts:
    """The value is sure of itself and as often wrong as right, and the losses show why."""
    table = made_up_table(Play(honesty=0.0))
    sure = np.where(np.random.default_rng(1).random(len(table)) < 0.5, 0.98, -0.98).astype(np.float32)
    return replace(healthy_run(), table=replace(table, root_value=sure), losses=made_up_losses(value_gap=1.4))


def dead_lock() -> RunFacts:
    return replace(healthy_run(), gates=made_up_gates([1, 0, 0, 0, 0, 0]))


def sign_error() -> RunFacts:
    run = healthy_run()
    assert run.table is not None
    return replace(run, table=replace(run.table, root_value=-run.table.root_value))


def constant_value() -> RunFacts:
    run = healthy_run()
    assert run.table is not None
    return replace(run, table=replace(run.table, root_value=np.full(len(run.table), 0.1, np.float32)))
