"""The smallest effect that would have been seen: by calculation, and as it was measured."""

from scipy import optimize, stats

from gatebench.stats.estimate import LEVEL

POWER = 0.8

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

    ``P(|t'| > t(df))`` for a noncentral t with noncentrality ``effect/se``; Cohen, Statistical
    Power Analysis (1988) §2.
    """
    critical = float(stats.t.ppf((1 + LEVEL) / 2, df))
    shift = abs(effect) / se
    return float(stats.nct.sf(critical, df, shift) + stats.nct.cdf(-critical, df, shift))


def t_mde(se: float, df: float) -> float | None:
    """The effect with 80 % power, in the unit of ``se``; ``None`` without a spread."""
    if se <= 0 or df < 1:
        return None
    critical = float(stats.t.ppf((1 + LEVEL) / 2, df))
    top = critical + 8 * max(1.0, critical / 2)
    return se * float(optimize.brentq(lambda d: power(d, 1.0, df) - POWER, 0.0, top))


def measured_points(tasks: int, reps: int) -> tuple[int, int, int] | None:
    """Points for t, permutation and gain at the nearest design that is not larger."""
    smaller = [design for design in MEASURED if design[0] <= tasks and design[1] <= reps]
    return MEASURED[max(smaller)] if smaller else None
