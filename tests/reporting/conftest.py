"""A made-up history: games drawn from known strengths, losses and health that look real."""

import numpy as np
import pandas as pd
import pytest

from stonezero.arena.history import Champion, History
from stonezero.games import BLACK_WON, DRAW, WHITE_WON

ANCHORS = {"random": 0.0, "rollouts:sims=64": 420.0}


def made_up_history(num_generations: int, seed: int = 0) -> History:
    """Strengths rise from 150 Elo and level off; every fourth candidate is rejected."""
    rng = np.random.default_rng(seed)
    strength = dict(ANCHORS) | {
        f"g{i:03d}": 150 + 650 * (1 - 0.6**i) - (60 if i % 4 == 3 else 0) for i in range(num_generations + 1)
    }
    history = History(*(pd.DataFrame() for _ in range(4)), champions=[Champion("g000", "runs/g000/c", "0")])

    def games(first: str, second: str, pairs: int, kind: str) -> pd.DataFrame:
        rows = []
        for pair in range(pairs):
            for black, white in ((first, second), (second, first)):
                lead = (strength[black] - strength[white] + 40) * np.log(10) / 400
                weights = np.exp([lead / 2, -0.7, -lead / 2])
                status = rng.choice([BLACK_WON, DRAW, WHITE_WON], p=weights / weights.sum())
                rows.append((pair, pair, black, white, status, 17, f"{rng.integers(2**60)}", kind))
        columns = ["pair", "opening", "black", "white", "status", "plies", "moves", "kind"]
        return pd.DataFrame(rows, columns=columns)

    for number in range(1, num_generations + 1):
        gen, champion = f"g{number:03d}", history.champions[-1].generation
        accepted = number % 4 != 3
        played = [games(gen, champion, 32, "gate")]
        rated = [gen, *(["g000"] if number == 1 else [])]
        played += [games(player, anchor, 10, "anchor") for player in rated for anchor in ANCHORS]
        played += [games(gen, entry.generation, 10, "archive") for entry in history.champions[-3:-1]]
        gate = {
            "candidate": gen, "champion": champion, "accepted": int(accepted),
            "score": 0.65 if accepted else 0.49, "wins": 38, "draws": 7, "losses": 19,
            "pairs": 32, "distinct_pairs": 32, "distinct_games": 64,
            "llr": 3.12 if accepted else -2.95, "lower_bound": -2.944439, "upper_bound": 2.944439,
            "verdict": "accepted" if accepted else "rejected",
            "reason": "at least 70 Elo better" if accepted else "at most 0 Elo better: LLR -2.95 <= -2.94",
        }  # fmt: skip
        steps = np.arange(0, 161, 20)
        fall = 3.3 * np.exp(-0.25 * (number - 1 + steps / 160)) + 0.9
        losses = pd.DataFrame(
            {"step": steps, "lr": 0.002, "train_policy_loss": fall + rng.normal(0, 0.03, 9)}
        )
        losses["train_value_loss"] = 0.45 * losses["train_policy_loss"]
        losses["held_out_policy_loss"] = np.where(steps % 80 == 0, fall + 0.05 + 0.01 * number, np.nan)
        losses["held_out_value_loss"] = 0.47 * losses["held_out_policy_loss"]
        health = {
            "games": 256, "positions": 4200, "mean_plies": 13 + 6 * (1 - 0.8**number), "black_win_rate": 0.56,
            "white_win_rate": 0.34, "draw_rate": 0.1, "distinct_games": 256 - number,
            "random_opening_games": 60, "opening_entropy": 6.2 - 0.1 * number,
            "root_entropy": 1.9 - 0.07 * number,
        }  # fmt: skip
        history = history.extended(
            gen,
            matches=pd.concat(played, ignore_index=True),
            gates=pd.DataFrame([gate]),
            losses=losses,
            health=pd.DataFrame([health]),
        )
        if accepted:
            history.champions.append(Champion(gen, f"runs/{gen}/c", "0"))
    return history


@pytest.fixture(scope="session")
def history() -> History:
    return made_up_history(6)
