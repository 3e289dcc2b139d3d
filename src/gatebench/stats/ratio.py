"""Dollars per extra requirement: a ratio of two means, with Fieller's set in its true shape."""

import math
from collections.abc import Sequence

import numpy as np

from gatebench.stats.estimate import Estimate, Target, undefined
from gatebench.stats.tasklevel import NO_SPREAD, ONE_TASK, quantile

Region = tuple[tuple[float | None, float | None], ...]
METHOD = "Fieller's set over tasks"


def fieller_region(above: Sequence[float], below: Sequence[float]) -> Region:
    """All ratios ``r`` for which ``mean(above − r·below)`` is compatible with 0.

    ``a·r² − 2·b·r + c ≤ 0`` with ``a = ȳ² − t²·v_yy``, ``b = x̄ȳ − t²·v_xy``, ``c = x̄² − t²·v_xx``
    (x above, y below): an interval, the outside of one, or every number. Fieller, J. R. Statist.
    Soc. B 16 (1954) 175–185.

    Args:
        above: numerator's figure per task.
        below: denominator's figure per task, in the same order.
    """
    x, y = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    t2 = quantile(len(x)) ** 2
    v = np.cov(x, y, ddof=1) / len(x) * t2
    a = float(y.mean() ** 2 - v[1, 1])
    b = float(x.mean() * y.mean() - v[0, 1])
    c = float(x.mean() ** 2 - v[0, 0])
    return _solve(a, b, c)


def _solve(a: float, b: float, c: float) -> Region:
    """Where ``a·r² − 2·b·r + c ≤ 0``."""
    if a == 0:
        return _line(b, c)
    root = b * b - a * c
    if root < 0 and a < 0:
        return ((None, None),)
    half = math.sqrt(max(root, 0.0))  # with a clear denominator only rounding goes below 0
    low, high = sorted(((b - half) / a, (b + half) / a))
    return ((low, high),) if a > 0 else ((None, low), (high, None))


def _line(b: float, c: float) -> Region:
    if b == 0:
        return ((None, None),) if c <= 0 else ()
    return ((c / (2 * b), None),) if b > 0 else ((None, c / (2 * b)),)


def per_unit(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """The ratio of two means over tasks; its interval only where Fieller's set is bounded.

    Args:
        above: extra dollars per trial, by task.
        below: extra requirements per trial, by task.
    """
    if not above:
        return undefined("no task has valid trials of both", METHOD)
    extra = float(np.mean(below))
    if abs(extra) < 1e-12:  # noqa: PLR2004  # rounding of a zero
        return undefined("no extra requirement to divide by", METHOD, len(above))
    plain = Estimate(
        value=float(np.mean(above)) / extra, n=len(above), interval=None, method=METHOD
    )
    if len(above) == 1:
        return plain.model_copy(update={"reason": ONE_TASK})
    if not _scatter(above, below, plain.value or 0.0):
        return plain.model_copy(update={"reason": NO_SPREAD})
    return _with_region(plain, fieller_region(above, below))


def _scatter(above: Sequence[float], below: Sequence[float], ratio: float) -> bool:
    """Whether the tasks disagree about the ratio at all (more than rounding does)."""
    residuals = np.asarray(above, dtype=float) - ratio * np.asarray(below, dtype=float)
    return bool(np.abs(residuals).max() > 1e-9 * max(1.0, float(np.abs(above).max())))


def _with_region(plain: Estimate, region: Region) -> Estimate:
    update: dict[str, object] = {"region": region, "target": Target.TASKS_LIKE_THESE}
    (low, high), *rest = region
    if low is not None and high is not None and not rest:
        update["interval"] = (low, high)
    else:
        update["reason"] = "the set of compatible ratios is unbounded: the net benefit tells more"
    return plain.model_copy(update=update)
