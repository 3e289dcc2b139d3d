"""The smallest effect that would have been seen: by calculation, and as it was measured."""

import math
from functools import cache

import numpy as np
from scipy import optimize, stats

from gatebench.stats.estimate import LEVEL

POWER = 0.8
NODES = 120
"""Of the quadrature over the estimated spread."""

MEASURED: dict[tuple[int, int], tuple[int, int, int]] = {
    (5, 2): (41, 33, 32),
    (5, 4): (32, 22, 23),
    (10, 2): (22, 19, 15),
    (10, 4): (17, 14, 12),
    (20, 2): (14, 14, 10),
    (20, 4): (11, 10, 8),
}
"""(tasks, reps) → points at 80 % power for t, permutation and gain, measured on simulated jobs
with assumed variances: a rule of thumb for planning, not a property of any agent."""


def power(effect: float, se: float, df: float) -> float:
    """Power of the two-sided t test.

    ``E[Φ(δ − cS) + Φ(−δ − cS)]`` with ``δ = effect/se``, ``c = t(df)`` and ``S = χ(df)/√df``: the
    noncentral t's tails, integrated over the estimated spread, because scipy's noncentral t has
    no value in the far tail at one degree of freedom. Cohen, Statistical Power Analysis (1988) §2.
    """
    critical = float(stats.t.ppf((1 + LEVEL) / 2, df))
    quantiles, weights = _quadrature()
    spread = critical * stats.chi.ppf(quantiles, df) / math.sqrt(df)
    shift = abs(effect) / se
    tails = stats.norm.cdf(shift - spread) + stats.norm.cdf(-shift - spread)
    return float(weights @ tails)


@cache
def _quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Gauss–Legendre on (0, 1): where the spread's distribution is looked at, and the weights."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2


def t_mde(se: float, df: float) -> float | None:
    """The effect with 80 % power, in the unit of ``se``; ``None`` without a spread.

    Broken degrees of freedom are rounded down: a little too large an effect, never too small.
    """
    return se * _standard_mde(int(df)) if se > 0 and df >= 1 else None


@cache
def _standard_mde(df: int) -> float:
    """The noncentrality with 80 % power; at most some forty at one degree of freedom."""
    return float(optimize.brentq(lambda d: power(d, 1.0, df) - POWER, 0.0, 100.0))


def measured_points(tasks: int, reps: int) -> tuple[int, int, int] | None:
    """Points for t, permutation and gain at the nearest design that is not larger."""
    smaller = [design for design in MEASURED if design[0] <= tasks and design[1] <= reps]
    return MEASURED[max(smaller)] if smaller else None
