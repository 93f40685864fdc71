"""Ratings and budgets of all cells as two tables: one row per generation of a cell, one per variant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stonezero.ablation.cells import FAILED, Outcome
from stonezero.ablation.grid import Grid
from stonezero.ablation.results import CellResult
from stonezero.ablation.statistics import VariantStatistics, compare, pooled_deviation
from stonezero.arena.rating import Ratings


@dataclass(frozen=True)
class Summary:
    """A grid, run and rated."""

    grid: Grid
    ratings: Ratings
    points: pd.DataFrame  #: variant, seed, generation, evaluations and seconds so far, elo, champion
    variants: pd.DataFrame  #: variant, seeds, evaluations, seconds and the fields of VariantStatistics
    deviation: float  #: Elo between seeds of one variant, pooled
    degrees: int  #: of freedom
    failures: dict[str, str]  #: titles of failed cells, and why
    extra: tuple[str, ...]  #: further columns of `variants`


def summarise(
    grid: Grid,
    results: Sequence[CellResult],
    outcomes: Mapping[str, Outcome],
    ratings: Ratings,
    names: Mapping[str, list[str]],
) -> Summary:
    """Arrange what was measured. `names` are the players of each cell, by generation."""
    elo = dict(zip(ratings.names, ratings.elo.tolist(), strict=True))
    points = pd.concat(
        [_points(result, names[result.cell.name], elo) for result in results], ignore_index=True
    )
    finals = points.groupby(["variant", "seed"], sort=False).last().reset_index()
    samples = {v: finals.loc[finals["variant"] == v, "elo"].tolist() for v in grid.variants}
    samples = {variant: sample for variant, sample in samples.items() if sample}
    reference = grid.reference if grid.reference in samples else next(iter(samples))
    compared = compare(samples, reference)
    deviation, degrees = pooled_deviation(list(samples.values()))
    failures = {
        cell.title: outcomes[cell.name].reason for cell in grid.cells if outcomes[cell.name].state == FAILED
    }
    variants = _variants(finals, compared)
    held_out = _held_out(results)
    if len(held_out):
        variants = variants.merge(held_out.reset_index(), on="variant", how="left")
    return Summary(
        grid, ratings, points, variants, deviation, degrees, failures, tuple(str(c) for c in held_out)
    )


def _held_out(results: Sequence[CellResult]) -> pd.DataFrame:
    """Means over seeds of the last held-out figures, by variant, where all cells had the same records."""
    rows = [
        {
            "variant": result.cell.variant,
            **{key.partition("/")[2]: v for key, _, v in training if key.startswith("held_out/")},
        }
        for result in results
        if len(result.generations) == 1 and (training := result.generations[0].metrics.get("train"))
    ]
    return pd.DataFrame(rows).groupby("variant").mean() if rows else pd.DataFrame()


def _points(result: CellResult, names: list[str], elo: Mapping[str, float]) -> pd.DataFrame:
    generations = result.generations
    return pd.DataFrame(
        {
            "variant": result.cell.variant,
            "seed": result.cell.seed,
            "generation": [generation.generation for generation in generations],
            "evaluations": np.cumsum([generation.evaluations for generation in generations]),
            "seconds": np.cumsum(result.seconds),
            "elo": [elo[name] for name in names],
            "champion": names,
        }
    )


def _variants(finals: pd.DataFrame, compared: Mapping[str, VariantStatistics]) -> pd.DataFrame:
    means = finals.groupby("variant")[["evaluations", "seconds"]].mean()
    rows = [
        {"variant": variant, **means.loc[variant].to_dict(), **statistics._asdict()}
        for variant, statistics in compared.items()
    ]
    return pd.DataFrame(rows)
