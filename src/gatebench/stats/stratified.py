"""The difference of two configs on these very tasks: only the trials are random."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from gatebench.stats.estimate import LEVEL, Estimate, Target, clip, undefined
from gatebench.stats.tasklevel import NO_SPREAD, SHARES, detectable

METHOD = "stratified t within tasks, Welch–Satterthwaite"
Stratum = tuple[Sequence[float], Sequence[float]]


def stratified_difference(strata: Sequence[Stratum]) -> Estimate:
    """Mean over tasks of mean(left) − mean(right) of shares, tasks fixed.

    ``v = Σ_t (s²_left/n_left + s²_right/n_right) / T²``; Cochran, Sampling Techniques (1977) §5.4
    with the cells' own variances. The degrees of freedom are Welch–Satterthwaite's of the two
    sides' parts of ``v``, each side having ``Σ_t (n − 1)``; Welch, Biometrika 34 (1947) 28–35:
    where one side has fewer trials, the sum of both sides' would cover too little.

    Args:
        strata: per task the trial figures of both configs.
    """
    used = [s for s in strata if len(s[0]) and len(s[1])]
    if not used:
        return undefined("no task has valid trials of both", METHOD)
    value = float(np.mean([np.mean(left) - np.mean(right) for left, right in used]))
    plain = Estimate(value=value, n=len(used), interval=None, method=METHOD)
    sides = [_Side.of([stratum[k] for stratum in used]) for k in (0, 1)]
    if any(side is None for side in sides):
        return plain.model_copy(update={"reason": "one trial in a cell: no spread within tasks"})
    parts = [side for side in sides if side is not None]
    se = math.sqrt(sum(side.variance for side in parts)) / len(used)
    if se < 1e-12:  # noqa: PLR2004  # rounding of a zero
        return plain.model_copy(update={"reason": NO_SPREAD})
    return _with_interval(plain, se, _degrees(parts))


@dataclass(frozen=True)
class _Side:
    """One config's part of the variance."""

    variance: float
    """``Σ_t s²/n``."""
    df: int

    @classmethod
    def of(cls, cells: Sequence[Sequence[float]]) -> "_Side | None":
        """``None`` where a cell is too small for a spread."""
        figures = [np.asarray(cell, dtype=float) for cell in cells]
        if any(len(cell) < 2 for cell in figures):  # noqa: PLR2004  # a spread takes two
            return None
        variance = sum(float(cell.var(ddof=1)) / len(cell) for cell in figures)
        return cls(variance, sum(len(cell) - 1 for cell in figures))


def _degrees(sides: Sequence[_Side]) -> float:
    whole = sum(side.variance for side in sides)
    # Shares first: the square of a tiny variance would be nothing.
    return 1 / sum((side.variance / whole) ** 2 / side.df for side in sides)


def _with_interval(plain: Estimate, se: float, df: float) -> Estimate:
    half = float(special.stdtrit(df, (1 + LEVEL) / 2)) * se
    value = plain.value or 0.0
    update = {
        "interval": clip((value - half, value + half), value, SHARES),
        "target": Target.THESE_TASKS,
        **detectable(se, df, SHARES),
    }
    return plain.model_copy(update=update)
