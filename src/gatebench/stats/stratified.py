"""The difference of two configs on these very tasks: only the trials are random."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import special

from gatebench.stats.estimate import LEVEL, Estimate, Target, clip, undefined
from gatebench.stats.tasklevel import NO_SPREAD, SHARES, detectable

METHOD = "stratified t within tasks"
Stratum = tuple[Sequence[float], Sequence[float]]


def stratified_difference(strata: Sequence[Stratum]) -> Estimate:
    """Mean over tasks of mean(left) − mean(right) of shares, tasks fixed.

    ``v = Σ_t (s²_left/n_left + s²_right/n_right) / T²`` with ``Σ (n − 1)`` degrees of freedom;
    Cochran, Sampling Techniques (1977) §5.4 with the cells' own variances.

    Args:
        strata: per task the trial figures of both configs.
    """
    used = [s for s in strata if len(s[0]) and len(s[1])]
    if not used:
        return undefined("no task has valid trials of both", METHOD)
    value = float(np.mean([np.mean(left) - np.mean(right) for left, right in used]))
    plain = Estimate(value=value, n=len(used), interval=None, method=METHOD)
    cells = [np.asarray(cell, dtype=float) for stratum in used for cell in stratum]
    if any(len(cell) < 2 for cell in cells):  # noqa: PLR2004  # a spread takes two
        return plain.model_copy(update={"reason": "one trial in a cell: no spread within tasks"})
    se = math.sqrt(sum(float(c.var(ddof=1)) / len(c) for c in cells)) / len(used)
    if se < 1e-12:  # noqa: PLR2004  # rounding of a zero
        return plain.model_copy(update={"reason": NO_SPREAD})
    return _with_interval(plain, se, sum(len(c) - 1 for c in cells))


def _with_interval(plain: Estimate, se: float, df: int) -> Estimate:
    half = float(special.stdtrit(df, (1 + LEVEL) / 2)) * se
    value = plain.value or 0.0
    update = {
        "interval": clip((value - half, value + half), value, SHARES),
        "target": Target.THESE_TASKS,
        **detectable(se, df, SHARES),
    }
    return plain.model_copy(update=update)
