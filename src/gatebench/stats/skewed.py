"""Student's t where the tasks' figures are skewed, as costs are."""

import math
from collections.abc import Sequence

import numpy as np

from gatebench.stats.estimate import Interval

STRAIGHT = 1e-6
"""A skewness below this is none."""


def skewness(figures: Sequence[float]) -> float:
    """The moment coefficient ``m₃/m₂^(3/2)``; 0 without a spread."""
    values = np.asarray(figures, dtype=float)
    off = values - values.mean()
    spread = float((off**2).mean())
    return float((off**3).mean()) / spread**1.5 if spread > 0 else 0.0


def unskewed(figures: Sequence[float], quantile: float) -> Interval:
    """Limits of the mean by Hall's monotone cubic transformation, the standard error widened.

    With ``U = (x̄ − μ)/s`` the statistic ``U + γU²/3 + γ²U³/27 + γ/(6T)`` is free of the first
    term of skewness; its inverse is ``U = 3((1 + γ(y − γ/(6T)))^(1/3) − 1)/γ``, taken at
    ``y = ±t·√(T/(T−1))/√T``. P. Hall, J. R. Statist. Soc. B 54 (1992) 221–228. Without skewness it
    is Student's t with the standard error times ``√(T/(T−1))``.

    Args:
        figures: one per task, at least two, not all equal.
        quantile: of Student's t.
    """
    values = np.asarray(figures, dtype=float)
    tasks, gamma = len(values), skewness(figures)
    reach = quantile / math.sqrt(tasks - 1)
    mean, s = float(values.mean()), float(values.std(ddof=1))
    return mean - s * _inverse(reach, gamma, tasks), mean - s * _inverse(-reach, gamma, tasks)


def _inverse(y: float, gamma: float, tasks: int) -> float:
    if abs(gamma) < STRAIGHT:
        return y
    return 3 * (math.cbrt(1 + gamma * (y - gamma / (6 * tasks))) - 1) / gamma
