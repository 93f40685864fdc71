"""The elo-report stage: rate all players over all games and draw the report. It never plays.

reports/elo.csv          one row per player, generations first
reports/superiority.csv  the chance that the row's player is stronger than the column's
reports/elo.json         numbers for `dvc metrics`
reports/figures/         PNG
reports/report.html      everything on one page
"""

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig, OmegaConf

from stonezero.arena.history import History
from stonezero.config import RunPaths, generation_name
from stonezero.config import paths as default_paths
from stonezero.config.generations import section_of
from stonezero.doctor.checks import diagnose
from stonezero.doctor.loading import load_facts
from stonezero.doctor.values import calibrations
from stonezero.files import write_bytes, write_text
from stonezero.games import make_game
from stonezero.games.notation import describe
from stonezero.metrics import Metric
from stonezero.reporting.figures import figures
from stonezero.reporting.page import TIMES, Examined, interval, page, signed
from stonezero.reporting.render import png
from stonezero.reporting.summary import Summary, summarise

log = logging.getLogger(__name__)

REPORTS = Path("reports")
DECIMALS = 2


def run(
    params: DictConfig, gen: str, scratch: Path, paths: RunPaths = default_paths, reports: Path = REPORTS
) -> list[Metric]:
    """Write the report of all generations up to the last one; return ratings by generation.

    Takes seconds, so `scratch` stays unused.
    """
    history = History.load(paths.history(params.last))
    summary = summarise(history, params.elo.prior_games, params.elo.confidence)
    write_text(reports / "elo.csv", elo_table(summary).to_csv(index=False, lineterminator="\n"))
    superiority = summary.superiority.round(4).to_csv(index_label="player", lineterminator="\n")
    write_text(reports / "superiority.csv", superiority)
    write_text(reports / "elo.json", json.dumps(elo_figures(summary), indent=1) + "\n")
    drawn = figures(summary)
    shutil.rmtree(reports / "figures", ignore_errors=True)
    for figure in drawn:
        write_bytes(reports / "figures" / f"{figure.name}.png", png(figure))
    facts = load_facts(paths, params.last, section_of(params, params.last, "train").batch_size)
    examined = Examined(diagnose(facts), calibrations(facts))
    text = page(summary, drawn, title_of(params), shown_params(params), examined)
    write_text(reports / "report.html", text)
    champion = summary.player(summary.champion)
    log.info(
        "champion %s: %s Elo (%s) above %s, over %d distinct games; see %s",
        summary.champion,
        signed(champion["elo"]),
        interval(champion),
        summary.ratings.anchor,
        summary.ratings.num_games,
        reports / "report.html",
    )
    return metrics(summary)


def elo_table(summary: Summary) -> pd.DataFrame:
    """The standings, generations in their order and then anchors."""
    table = pd.concat([summary.nets, summary.anchors], ignore_index=True)
    table["generation"] = table["generation"].astype("Int64")
    return table.round(
        {"elo": DECIMALS, "low": DECIMALS, "high": DECIMALS, "score": 4, "incremental_elo": DECIMALS}
    )


def elo_figures(summary: Summary) -> dict[str, Any]:
    """Numbers alone; null where an interval has no end on that side."""
    champion, ratings = summary.player(summary.champion), summary.ratings
    table = elo_table(summary)
    return {
        "champion_generation": int(champion["generation"]),
        "champion_elo": round(champion["elo"], DECIMALS),
        "champion_elo_low": _number(champion["low"]),
        "champion_elo_high": _number(champion["high"]),
        "generations": len(summary.history.gates),
        "accepted": int(summary.history.gates["accepted"].sum()),
        "games": ratings.num_games,
        "duplicate_games": ratings.num_duplicates,
        "black_advantage_elo": round(ratings.black_advantage[0], DECIMALS),
        "draw_rate": round(ratings.draw_rate, 4),
        "elo": dict(zip(table["player"], table["elo"].tolist(), strict=True)),
    }


def _number(value: float) -> float | None:
    return round(float(value), DECIMALS) if np.isfinite(value) else None


def metrics(summary: Summary) -> list[Metric]:
    """Rating and interval of each generation, by its number."""
    return [
        (f"elo/{key}", int(row["generation"]), float(row[key]))
        for row in summary.nets.to_dict("records")
        for key in ("elo", "low", "high")
        if np.isfinite(row[key])
    ]


def title_of(params: DictConfig) -> str:
    """The game in words, as a title."""
    size = params.game.size
    text = describe(make_game(**params.game)).replace(f"{size}x{size}", f"{size}{TIMES}{size}")
    return text[0].upper() + text[1:]


def shown_params(params: DictConfig) -> dict[str, dict[str, Any]]:
    """The parameters by section; scalars under "run"."""
    plain = OmegaConf.to_container(params)
    assert isinstance(plain, dict)
    sections = {
        str(key): value for key, value in plain.items() if isinstance(value, dict) and key != "generations"
    }
    hidden = {"gen", "last", "plan", "generations"}
    scalars = {str(key): value for key, value in plain.items() if key not in {*sections, *hidden}}
    scalars["schedule"] = [
        f"{generation_name(change['start'])}: {key} = {value}"
        for change in scalars["schedule"]
        for key, value in change["set"].items()
    ]
    return {"run": scalars, **sections}
