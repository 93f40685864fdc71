"""Intervals of shares that were measured."""

import math

from scipy.special import ndtri


def wilson_interval(right: float, trials: float, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a share of independent trials (Wilson, JASA 22, 1927); neither need be whole."""
    z = float(ndtri(0.5 + confidence / 2))
    share = right / trials
    centre = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    scale = 1 + z * z / trials
    return max((centre - half) / scale, 0.0), min((centre + half) / scale, 1.0)
