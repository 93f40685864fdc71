"""Measures of training, window and gates. None where the tables do not tell."""

import numpy as np
import pandas as pd

from stonezero.doctor.facts import RunFacts
from stonezero.doctor.rows import SETTLED_GENERATIONS, searched
from stonezero.selfplay.health import visit_entropies


def value_gap(facts: RunFacts) -> float | None:
    """How much higher the value loss is on held-out positions than in training, as a share of the latter."""
    return _gap(facts.last_losses, "value_loss")


def policy_gap(facts: RunFacts) -> float | None:
    """The same of the policy loss."""
    return _gap(facts.last_losses, "policy_loss")


def prior_visit_divergence(facts: RunFacts) -> float | None:
    """KL divergence of the visits from the prior, nats: the held-out cross entropy less the visits' entropy.

    The losses are over the window, the entropy over its newest games.
    """
    held_out = _last(facts.last_losses, "held_out_policy_loss")
    if facts.table is None or held_out is None or len(facts.gates) < SETTLED_GENERATIONS:
        return None
    rows = searched(facts.table) & facts.table.is_full_search
    return held_out - float(visit_entropies(facts.table)[rows].mean()) if rows.any() else None


def rejections_in_a_row(facts: RunFacts) -> float | None:
    """How many of the newest candidates in a row were rejected."""
    if facts.gates.empty:
        return None
    accepted = np.flatnonzero(facts.gates["accepted"].to_numpy())
    return float(len(facts.gates) - 1 - accepted[-1] if len(accepted) else len(facts.gates))


def mean_staleness(facts: RunFacts) -> float | None:
    """Mean age of the window's positions, in generations."""
    return None if facts.staleness is None or not len(facts.staleness) else float(facts.staleness.mean())


def sample_reuse(facts: RunFacts) -> float | None:
    """Samples that training drew for each new position."""
    steps = _last(facts.last_losses, "step")
    new = int((facts.staleness == 0).sum()) if facts.staleness is not None else 0
    return None if steps is None or not new else steps * facts.batch_size / new


def _gap(losses: pd.DataFrame, name: str) -> float | None:
    train, held_out = _last(losses, f"train_{name}"), _last(losses, f"held_out_{name}")
    return None if train is None or held_out is None or train <= 0 else held_out / train - 1


def _last(losses: pd.DataFrame, column: str) -> float | None:
    """The last entry of a column."""
    entries = losses[column].dropna() if column in losses else pd.Series(dtype=float)
    return float(entries.iloc[-1]) if len(entries) else None
