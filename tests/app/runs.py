"""A small run on disk: real self-play records of rollouts, and tables with numbers made up for the test."""

import json
from pathlib import Path

from stonezero.files import write_text
from stonezero.games import Game
from stonezero.players.evaluators import RolloutEvaluator
from stonezero.records import write_shard
from stonezero.selfplay.games import SelfplayBatch
from stonezero.warmup import SEARCH, SELFPLAY

ELO = """player,generation,role,elo,low,high,games,score
g000,0,untrained,302.23,104.66,499.8,144,0.18
g001,1,accepted,876.11,633.09,1119.13,188,0.64
g002,2,champion,1082.78,840.1,1325.4,188,0.71
rollouts:sims=64,,anchor,444.35,280.0,608.7,72,0.41
random,,anchor,0.0,,240.0,72,0.02
"""
LOSSES = """generation,step,policy_loss,value_loss,held_out_policy_loss
g001,10,3.1,0.9,
g001,20,2.6,0.7,2.7
g002,10,2.4,0.6,
g002,20,2.2,0.55,2.45
"""
GATES = """generation,candidate,champion,accepted,verdict,reason,score,wins,draws,losses,\
distinct_pairs,llr,lower_bound,upper_bound
g001,g001,g000,True,accepted,sequential test,0.9,36,0,4,20,3.0,-2.9,2.9
g002,g002,g001,True,accepted,sequential test,0.7,28,0,12,20,3.0,-2.9,2.9
"""


def make_run(folder: Path, game: Game, games_per_generation: int = 4) -> Path:
    """`folder`/runs with two generations, and `folder`/reports; returns the run's folder."""
    runs = folder / "runs"
    for number in (1, 2):
        batch = SelfplayBatch(game, RolloutEvaluator(game, 4), SEARCH, SELFPLAY, (0, number), 4)
        records = sorted(batch.play(range(games_per_generation)), key=lambda record: record.game_id)
        write_shard(
            runs / f"g{number:03}" / "games" / "shard-00000.parquet", records, game.spec(), f"g{number:03}"
        )
    history = runs / "g002" / "history"
    write_text(history / "losses.csv", LOSSES)
    write_text(history / "gates.csv", GATES)
    write_text(history / "champions.json", json.dumps([]))
    write_text(folder / "reports" / "elo.csv", ELO)
    return runs
