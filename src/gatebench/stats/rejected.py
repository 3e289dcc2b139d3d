"""Methods that were measured not to hold, kept to show by how much.

Nothing here reaches ``results.json``. All take many jobs at once.
"""

import math

import numpy as np
from scipy import special

from gatebench.stats.estimate import LEVEL
from gatebench.stats.population import Counts, Floats

RESAMPLES = 399
TINY = 1e-30
TAIL = (1 - LEVEL) / 2
Limits = tuple[Floats, Floats]


def resampled(figures: Floats, rng: np.random.Generator) -> Floats:
    """Task figures resampled by task, the same resamples for every job: (job, resample, task)."""
    tasks = figures.shape[1]
    at = rng.integers(tasks, size=(RESAMPLES, tasks))
    return np.asarray(figures[:, at])


def percentile(figures: Floats, rng: np.random.Generator) -> Limits:
    """Cluster bootstrap, percentile limits; Efron, Tibshirani (1993) §13.

    Args:
        figures: one figure per (job, task).
        rng: where chance comes from.
    """
    means = resampled(figures, rng).mean(axis=2)
    low, high = np.quantile(means, (TAIL, 1 - TAIL), axis=1)
    return low, high


def bca(figures: Floats, rng: np.random.Generator) -> Limits:
    """Cluster bootstrap, bias corrected and accelerated; Efron, JASA 82 (1987) 171–185."""
    means = np.sort(resampled(figures, rng).mean(axis=2), axis=1)
    centre = figures.mean(axis=1, keepdims=True)
    below = ((means < centre).mean(axis=1) + (means <= centre).mean(axis=1)) / 2
    shift = special.ndtri(np.clip(below, 1 / (2 * RESAMPLES), 1 - 1 / (2 * RESAMPLES)))
    off = figures - centre  # minus the jackknife's deviations, up to a factor that cancels
    power = (off**2).sum(axis=1)
    pull = (off**3).sum(axis=1) / np.maximum(6 * power**1.5, TINY)
    return _at(means, shift, pull, TAIL), _at(means, shift, pull, 1 - TAIL)


def _at(means: Floats, shift: Floats, pull: Floats, level: float) -> Floats:
    z = shift + special.ndtri(level)
    adjusted = special.ndtr(shift + z / (1 - pull * z))
    place = np.clip((adjusted * RESAMPLES).astype(int), 0, RESAMPLES - 1)
    return np.asarray(means[np.arange(len(means)), place])


def bootstrap_t(figures: Floats, rng: np.random.Generator) -> Limits:
    """Studentised cluster bootstrap; ties in a resample make it infinite. Hall (1988)."""
    drawn = resampled(figures, rng)
    tasks = figures.shape[1]
    centre, se = figures.mean(axis=1), figures.std(axis=1, ddof=1) / math.sqrt(tasks)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = drawn.std(axis=2, ddof=1) / math.sqrt(tasks)
        t = (drawn.mean(axis=2) - centre[:, None]) / spread
    ranked = np.sort(np.nan_to_num(t, nan=0.0, posinf=np.inf, neginf=-np.inf), axis=1)
    low, high = (ranked[:, int(q * RESAMPLES)] for q in (TAIL, 1 - TAIL))
    with np.errstate(invalid="ignore"):
        return centre - high * se, centre - low * se


def wilson_on_requirements(figures: Floats, verdicts: int) -> Limits:
    """Wilson's interval as if every requirement were its own trial.

    Args:
        figures: pass rate per (job, task).
        verdicts: requirements in all.
    """
    z = float(special.ndtri(1 - TAIL))
    p, shrink = figures.mean(axis=1), 1 + z * z / verdicts
    centre = (p + z * z / (2 * verdicts)) / shrink
    half = z / shrink * np.sqrt(p * (1 - p) / verdicts + z * z / (4 * verdicts**2))
    return centre - half, centre + half


def beta_binomial(counts: Counts) -> Limits:
    """A share pooled over all stops, its overdispersion by moments over tasks.

    ``p ± z·√(p(1−p)/N·(1 + (n₀ − 1)ρ))`` with the ANOVA estimate of ρ; Ridout et al., Biometrics
    55 (1999) 137–148. Limits are not a number where there is nothing to divide by.

    Args:
        counts: hits and observations, (job, task, 2).
    """
    hits, n = counts[..., 0].astype(float), counts[..., 1].astype(float)
    whole, groups = n.sum(axis=1), (n > 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = hits.sum(axis=1) / whole
        share = np.where(n > 0, hits / np.maximum(n, 1), 0.0)
        between = (n * (share - p[:, None]) ** 2).sum(axis=1) / (groups - 1)
        within = (n * share * (1 - share)).sum(axis=1) / (whole - groups)
        size = (whole - (n**2).sum(axis=1) / whole) / (groups - 1)
        rho = np.clip((between - within) / (between + (size - 1) * within), 0.0, 1.0)
        inflation = 1 + ((n**2).sum(axis=1) / whole - 1) * np.nan_to_num(rho)
        half = special.ndtri(1 - TAIL) * np.sqrt(p * (1 - p) / whole * inflation)
    return p - half, p + half


def mcnemar(ours: Counts, theirs: Counts) -> Floats:
    """Exact two-sided p of discordant counts, as if requirements were independent."""
    whole = ours + theirs
    small = np.minimum(ours, theirs)
    return np.minimum(1.0, 2 * special.bdtr(small, whole, 0.5))


def bootstrap_p(figures: Floats, rng: np.random.Generator) -> Floats:
    """Two-sided p by the share of resampled means on the other side of 0."""
    means = resampled(figures, rng).mean(axis=2)
    return np.asarray(np.minimum(1.0, 2 * np.minimum((means <= 0).mean(1), (means >= 0).mean(1))))
