"""Means over tasks, tasks weighing equal: pass rates, differences, gains, net benefit, cost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from gatebench.stats.estimate import LEVEL, Estimate, Interval, Target, clip, undefined
from gatebench.stats.mde import t_mde
from gatebench.stats.proportions import jeffreys
from gatebench.stats.skewed import unskewed

ONE_TASK = "one task: no spread between tasks can be seen"
SHARES: Interval = (-1.0, 1.0)
"""What a difference of two shares can be."""
NO_SPREAD = "every task shows the same figure: no spread to make an interval from"


@dataclass(frozen=True)
class Mean:
    """Mean of task figures and the standard error of that mean (``None`` with one task)."""

    value: float
    se: float | None
    tasks: int


def mean_over(tasks: Sequence[float]) -> Mean:
    """Mean and ``s/√T``; a spread that is only rounding is none.

    Args:
        tasks: one figure per task, at least one.
    """
    figures = np.asarray(tasks, dtype=float)
    if len(figures) == 1:
        return Mean(float(figures[0]), None, 1)
    se = float(figures.std(ddof=1)) / math.sqrt(len(figures))
    noise = 1e-9 * max(1.0, float(np.abs(figures).max()))
    return Mean(float(figures.mean()), 0.0 if se < noise else se, len(figures))


def quantile(tasks: int) -> float:
    """Two-sided t quantile with ``T − 1`` degrees of freedom."""
    return float(special.stdtrit(tasks - 1, (1 + LEVEL) / 2))


def pass_rate(tasks: Sequence[float], verdicts: int) -> Estimate:
    """A config's pass rate over tasks like these.

    t on the logit scale, ``logit(m) ± t(T−½)·se/(m(1−m))``, turned back (the delta method; Korn,
    Graubard, Survey Methodology 24 (1998) 193–201, as R's ``svyciprop(method="logit")``). Half a
    degree of freedom more than ``T − 1``: with those the logit's limits were measured to cover
    97 % and more at five tasks; from ten on it makes no difference worth speaking of. At 0, at 1
    or without spread: Jeffreys with ``n·(t(n−1)/t(T−1))²`` verdicts, the same paper's correction
    of the size for the degrees of freedom.

    Args:
        tasks: mean share of passing requirements of each task, 0 … 1.
        verdicts: hidden verdicts behind them in all.
    """
    method = "t on the logit of the mean over tasks"
    if not tasks:
        return undefined("no valid trial", method)
    mean = mean_over(tasks)
    estimate = Estimate(value=mean.value, n=mean.tasks, interval=None, method=method)
    if mean.se is None:
        return estimate.model_copy(update={"reason": ONE_TASK})
    if mean.se == 0 or mean.value in {0.0, 1.0}:
        interval = _boundary(mean, verdicts)
        method = "Jeffreys, n corrected for the degrees of freedom (no spread over tasks)"
    else:
        interval = _logit(mean)
    update = {"interval": interval, "method": method, "target": Target.TASKS_LIKE_THESE}
    return estimate.model_copy(update=update)


def _logit(mean: Mean) -> tuple[float, float]:
    centre = math.log(mean.value / (1 - mean.value))
    reach = float(special.stdtrit(mean.tasks - 0.5, (1 + LEVEL) / 2))
    half = reach * (mean.se or 0.0) / (mean.value * (1 - mean.value))
    low, high = (1 / (1 + math.exp(-x)) for x in (centre - half, centre + half))
    return clip((low, high), mean.value, (0.0, 1.0))


def _boundary(mean: Mean, verdicts: int) -> tuple[float, float]:
    size = verdicts * (quantile(verdicts) / quantile(mean.tasks)) ** 2
    return jeffreys(mean.value * size, size)


COST_METHOD = "t on task figures, skewness removed (Hall), s.e.·√(T/(T−1))"


def difference(
    tasks: Sequence[float], *, skewed: bool = False, bounds: Interval | None = None
) -> Estimate:
    """The mean of one figure per task (a difference, a gain, a net benefit) with Student's t.

    ``mean ± t(T−1)·s/√T``; Student, Biometrika 6 (1908) 1–25. Costs are skewed, and plain t was
    measured to cover 88–94 % of them: with ``skewed`` the limits are Hall's (`unskewed`), with the
    standard error times ``√(T/(T−1))``.

    Args:
        tasks: one figure per task.
        skewed: for costs.
        bounds: what the mean can possibly be; limits beyond are drawn in.
    """
    method = COST_METHOD if skewed else "t on task figures"
    if not tasks:
        return undefined("no task has valid trials of both", method)
    mean = mean_over(tasks)
    estimate = Estimate(value=mean.value, n=mean.tasks, interval=None, method=method)
    if not mean.se:
        reason = ONE_TASK if mean.se is None else NO_SPREAD
        return estimate.model_copy(update={"reason": reason})
    se = mean.se * math.sqrt(mean.tasks / (mean.tasks - 1)) if skewed else mean.se
    half = quantile(mean.tasks) * se
    limits = (mean.value - half, mean.value + half)
    if skewed:
        limits = unskewed(tasks, quantile(mean.tasks))
    update = {
        "interval": clip(limits, mean.value, bounds),
        "target": Target.TASKS_LIKE_THESE,
        **detectable(se, mean.tasks - 1, bounds),
    }
    return estimate.model_copy(update=update)


def detectable(se: float, df: float, bounds: Interval | None) -> dict[str, object]:
    """The minimum detectable effect, unless it is larger than anything possible."""
    mde = t_mde(se, df)
    if mde is not None and bounds and mde > bounds[1]:
        return {"mde": None, "reason": "no possible difference would be seen with 80 % power"}
    return {"mde": mde}


def t_test(tasks: Sequence[float]) -> float | None:
    """Two-sided p of Student's t against a mean of 0; ``None`` where there is no spread."""
    if not tasks:
        return None
    mean = mean_over(tasks)
    if not mean.se:
        return None
    return float(2 * special.stdtr(mean.tasks - 1, -abs(mean.value) / mean.se))


def confidence_above_zero(tasks: Sequence[float]) -> float | None:
    """One minus the one-sided p that the mean is above 0: a point of the acceptability curve.

    Fenwick, O'Brien, Briggs, Health Economics 13 (2004) 405–415, in its frequentist reading.
    """
    if not tasks:
        return None
    mean = mean_over(tasks)
    if not mean.se:
        return None
    return float(special.stdtr(mean.tasks - 1, mean.value / mean.se))
