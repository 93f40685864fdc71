"""What seeds say about variants: means, intervals over seeds, verdicts.

The model is the one of an analysis of variance with one factor: each seed's Elo is its variant's mean plus
an error whose spread is the same for all variants. So the variance is pooled over variants (with three seeds
each a variant alone says next to nothing about its spread), and intervals use Student's t with
sum(n_v - 1) degrees of freedom. They hold all that differs from seed to seed, the luck of the matches
included. (Box, Hunter and Hunter, *Statistics for Experimenters*, 2nd ed., chapter 4.)
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
REFERENCE, BETTER, WORSE, UNDECIDED = "reference", "better", "worse", "can't tell"


class VariantStatistics(NamedTuple):
    """Of one variant; Elo. Intervals are NaN where no variant has two seeds."""

    seeds: int
    mean: float
    low: float
    high: float
    difference: float  #: of the means, to the reference
    difference_low: float
    difference_high: float
    p_value: float  #: of no difference, two-sided, corrected for all comparisons with the reference (Dunnett)
    verdict: str


class Pooled(NamedTuple):
    """The spread over seeds within variants."""

    deviation: float
    degrees: int


def pooled_deviation(samples: Sequence[Sequence[float]]) -> Pooled:
    """Root of the within-variant sum of squares over its degrees of freedom; NaN where those are 0."""
    degrees = sum(len(sample) - 1 for sample in samples)
    squares = sum(float(((np.asarray(sample) - np.mean(sample)) ** 2).sum()) for sample in samples)
    return Pooled(float(np.sqrt(squares / degrees)) if degrees else float("nan"), degrees)


def compare(
    samples: Mapping[str, Sequence[float]], reference: str, confidence: float = CONFIDENCE
) -> dict[str, VariantStatistics]:
    """Statistics of each variant's seeds (none of them empty) against those of `reference`.

    The verdict is `better` or `worse` where the interval of the difference leaves out 0.
    """
    deviation, degrees = pooled_deviation(list(samples.values()))
    width = float(stats.t.ppf(0.5 + confidence / 2, degrees)) if degrees else float("nan")
    base = samples[reference]
    p_values = _dunnett(samples, reference, degrees)
    table = {}
    for name, sample in samples.items():
        mean, half = float(np.mean(sample)), width * deviation / np.sqrt(len(sample))
        difference = mean - float(np.mean(base))
        reach = width * deviation * np.sqrt(1 / len(sample) + 1 / len(base))
        is_reference = name == reference
        low, high = (0.0, 0.0) if is_reference else (difference - reach, difference + reach)
        verdict = REFERENCE if is_reference else judge(low, high)
        table[name] = VariantStatistics(
            len(sample), mean, mean - half, mean + half, difference, low, high, p_values[name], verdict
        )
    return table


def judge(low: float, high: float) -> str:
    """What the interval of a difference says; NaN ends say nothing."""
    if low > 0:
        return BETTER
    return WORSE if high < 0 else UNDECIDED


def _dunnett(samples: Mapping[str, Sequence[float]], reference: str, degrees: int) -> dict[str, float]:
    """Dunnett's many-to-one test (JASA 50, 1955); NaN for the reference and without a spread."""
    names = [name for name in samples if name != reference]
    nothing = dict.fromkeys(samples, float("nan"))
    if not degrees or not names or not pooled_deviation(list(samples.values())).deviation > 0:
        return nothing
    found = stats.dunnett(
        *(np.asarray(samples[name], float) for name in names),
        control=np.asarray(samples[reference], float),
        rng=np.random.default_rng(0),
    )
    return nothing | dict(zip(names, (float(p) for p in np.atleast_1d(found.pvalue)), strict=True))
