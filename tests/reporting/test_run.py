"""The elo-report stage on a made-up history: its files, their determinism, and tables that lack something."""

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from omegaconf import OmegaConf

from stonezero.arena.history import History
from stonezero.config import RunPaths
from stonezero.errors import UserError
from stonezero.files import digest
from stonezero.games import BLACK_WON, WHITE_WON
from stonezero.records import write_shard
from stonezero.reporting.run import run
from tests.doctor.runs import SPEC, Play, made_up_records

PARAMS = {
    "experiment": "quick", "ablation": "none", "seed": 1, "iterations": 6, "last": "g006",
    "game": {"name": "gomoku", "size": 6, "k": 4, "rules": "freestyle"},
    "train": {"batch_size": 128}, "generations": {},
    "elo": {"prior_games": 2.0, "confidence": 0.95},
    "schedule": [{"start": 3, "set": {"train.lr": 0.0005}}],
}  # fmt: skip


def report(folder: Path, history: History) -> Path:
    """The folder of the report made from `history`."""
    paths = RunPaths(folder / "runs")
    history.save(paths.history("g006"))
    run(OmegaConf.create(PARAMS), "g006", folder, paths, folder / "reports")
    return folder / "reports"


@pytest.fixture(scope="module")
def reports(tmp_path_factory, history) -> Path:
    return report(tmp_path_factory.mktemp("report"), history)


@pytest.fixture(scope="module")
def html(reports: Path) -> str:
    return (reports / "report.html").read_text(encoding="utf-8")


def test_all_files_are_written(reports):
    names = {path.relative_to(reports).as_posix() for path in reports.rglob("*") if path.is_file()}
    figures = {f"figures/{name}.png" for name in ("elo", "scores", "losses", "health")}
    assert names == {"elo.csv", "superiority.csv", "elo.json", "report.html"} | figures


def test_same_history_same_bytes(reports, tmp_path, history):
    assert digest(report(tmp_path, history)) == digest(reports)


def test_table_has_generations_in_order_then_anchors(reports):
    table = pd.read_csv(reports / "elo.csv")
    assert table["player"].tolist() == [*(f"g{i:03d}" for i in range(7)), "rollouts:sims=64", "random"]
    assert table["generation"].tolist()[:7] == list(range(7))
    assert table.set_index("player").loc["g003", "role"] == "rejected"
    assert table.set_index("player").loc["g006", "role"] == "champion"
    assert table.set_index("player").loc["random", "elo"] == 0


def test_incremental_elo_is_a_column_and_sums_to_1200_a_player(reports):
    table = pd.read_csv(reports / "elo.csv").set_index("player")
    assert table["incremental_elo"].mean() == pytest.approx(1200, abs=0.01)
    assert table["incremental_elo"].idxmin() == "random"


def test_superiority_is_a_table_of_chances_in_the_order_of_the_ratings(reports):
    table = pd.read_csv(reports / "superiority.csv", index_col="player")
    ratings = pd.read_csv(reports / "elo.csv").set_index("player")["elo"]
    assert list(table.columns) == list(table.index) == list(ratings.index)
    assert np.allclose(table + table.T, 1)
    assert (np.diag(table) == 0.5).all()
    assert (table.loc["g006"] > 0.5).equals(ratings < ratings["g006"])
    assert table.loc["g006", "random"] > 0.999


def test_json_holds_numbers_alone(reports):
    figures = json.loads((reports / "elo.json").read_text())
    values = [*figures.pop("elo").values(), *figures.values()]
    assert all(isinstance(value, int | float) for value in values)
    assert figures["champion_generation"] == 6


def test_page_needs_nothing_from_elsewhere(html):
    links = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"url\((?!#)|@import|<script", html)


def test_page_names_models_and_rebuild_command(html):
    for text in (
        "Davidson",
        "pentanomial GSPRT",
        "dvc repro elo-report",
        "g003: train.lr = 0.0005",
        "Gomoku 6\N{MULTIPLICATION SIGN}6",
    ):
        assert text in html


def test_drawings_are_well_formed_with_ids_of_their_own_and_theme_colours(html):
    drawings = re.findall(r'<svg class="(?:wide|narrow)".*?</svg>', html, flags=re.DOTALL)
    assert len(drawings) == 8
    ids = [name for drawing in drawings for name in re.findall(r'\bid="([^"]*)"', drawing)]
    assert len(ids) == len(set(ids))
    for drawing in drawings:
        ElementTree.fromstring(drawing)
        used = set(re.findall(r'(?:href="#|url\(#)([^")]*)', drawing))
        assert used <= set(re.findall(r'\bid="([^"]*)"', drawing))
        assert "var(--series-1)" in drawing
        assert not set(re.findall(r"#[0-9a-f]{6}\b", drawing)) - {"#000000", "#ffffff"}


def test_the_least_history_reports_with_one_sided_intervals(tmp_path, history):
    """One generation, neither losses nor health, and an anchor that lost everything."""
    matches = history.matches[history.matches["generation"] == "g001"].copy()
    matches.loc[matches["black"] == "random", "status"] = WHITE_WON
    matches.loc[matches["white"] == "random", "status"] = BLACK_WON
    gates = history.gates[history.gates["generation"] == "g001"]
    least = History(matches, gates, pd.DataFrame(), pd.DataFrame(), history.champions[:2])
    folder = report(tmp_path, least)
    assert {path.stem for path in (folder / "figures").iterdir()} == {"elo", "scores"}
    figures = json.loads((folder / "elo.json").read_text())
    assert figures["champion_elo_high"] is None
    assert np.isfinite(figures["champion_elo_low"])
    html = (folder / "report.html").read_text()
    assert "above +" in html
    assert "Self-play</h2>" not in html
    assert "nan" not in html.lower()


def test_page_has_the_doctors_findings_and_the_reliability_curve(tmp_path, history):
    """Rejected once in six generations, and games that open alike."""
    records = made_up_records(Play(opens_alike=0.9))
    write_shard(tmp_path / "runs/g006/games/shard-00000.parquet", records, SPEC, "g006")
    html = (report(tmp_path, history) / "report.html").read_text()
    assert "Doctor</h2>" in html
    assert re.search(r"opening diversity</td><td[^>]*>alarm</td><td>9\d%</td>", html)
    assert re.search(r"gate streak</td><td[^>]*>ok</td><td>0</td>", html)
    assert "Advice: raise selfplay.random_opening_share" in html
    assert html.count('<td class="text">ending</td>') == 1
    assert digest(report(tmp_path / "again", history)) != digest(tmp_path / "reports")  # no games there
    shutil.copytree(tmp_path / "runs", tmp_path / "again" / "runs", dirs_exist_ok=True)
    assert digest(report(tmp_path / "again", history)) == digest(tmp_path / "reports")


def test_no_games_is_a_clear_error(tmp_path):
    empty = History(*(pd.DataFrame() for _ in range(4)), champions=[])
    with pytest.raises(UserError, match="nothing to report"):
        report(tmp_path, empty)
