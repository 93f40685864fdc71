"""The loss table: as CSV, as one line, as figures."""

import csv
import io

from stonezero.metrics import Metric
from stonezero.training.evaluation import HELD_OUT_COLUMNS
from stonezero.training.objective import STEP_COLUMNS
from stonezero.training.trainer import Row

COLUMNS = ["step", "lr", *(f"train_{name}" for name in STEP_COLUMNS)]
COLUMNS += ["held_out_loss", *(f"held_out_{name}" for name in HELD_OUT_COLUMNS)]
"""Of every table; losses of auxiliary heads come after them."""


def columns_of(rows: list[Row]) -> list[str]:
    """COLUMNS and what else there is."""
    return COLUMNS + sorted({name for row in rows for name in row} - set(COLUMNS))


def to_csv(rows: list[Row]) -> str:
    """The loss table as CSV text; empty fields where nothing was measured."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = columns_of(rows)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([f"{row[name]:.7g}" if name in row else "" for name in columns])
    return text.getvalue()


def summary(rows: list[Row]) -> str:
    """One line on the last row of the loss table."""
    last = rows[-1]
    names = [name for name in ("train_loss", "held_out_loss", "held_out_policy_top1", "held_out_value_sign")
             if name in last]  # fmt: skip
    return ", ".join(
        [f"{last['step']} steps", *(f"{name.replace('_', ' ')} {last[name]:.3f}" for name in names)]
    )


def metrics(rows: list[Row]) -> list[Metric]:
    """The loss table as figures named `train/loss`, `held_out/loss`, ..."""
    figures: list[Metric] = [("train/steps", 0, rows[-1]["step"])]
    for row in rows:
        for name in columns_of(rows)[1:]:
            if name in row:
                key = name.replace("train_", "train/").replace("held_out_", "held_out/")
                figures.append((key if "/" in key else f"train/{key}", int(row["step"]), row[name]))
    return figures
