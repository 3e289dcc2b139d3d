"""Intervals of shares: Wilson, Jeffreys, Clopper–Pearson, and when which may be printed."""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from gatebench.stats.estimate import LEVEL, Estimate, Interval, Target, clip

WORDS_BELOW = 5
"""Denominators under this are told in words: counts, no rate, no limits."""
RATES_FROM = 10
"""From this denominator on a share is called a rate; below it is 'k of n' with limits."""
WILSON_FROM = 20
"""From this denominator on the small-count rule changes from Jeffreys to Wilson."""

FIFTY = 50
"""Up to here two successes count as very few, beyond it three."""

TAIL = (1 - LEVEL) / 2


@dataclass(frozen=True)
class Cluster:
    """One task's share: successes out of observations that may hang together."""

    hits: int
    n: int


def wilson(hits: float, n: float) -> Interval:
    """Wilson's score interval.

    ``(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)``, E. B. Wilson, JASA 22 (1927) 209–212.
    """
    z = float(special.ndtri(1 - TAIL))
    p, shrink = hits / n, 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return clip((centre - half, centre + half), p, (0.0, 1.0))


def jeffreys(hits: float, n: float) -> Interval:
    """Jeffreys's equal-tailed interval, its limit at 0 or n successes set to 0 or 1.

    Quantiles of ``Beta(k + ½, n − k + ½)``; Brown, Cai, DasGupta, Statistical Science 16 (2001)
    101–133, §4.1. ``n`` may be an effective, fractional size.
    """
    shape = hits + 0.5, n - hits + 0.5
    low = 0.0 if hits <= 0 else float(special.betaincinv(*shape, TAIL))
    high = 1.0 if hits >= n else float(special.betaincinv(*shape, 1 - TAIL))
    return clip((low, high), hits / n, (0.0, 1.0))


def clopper_pearson(hits: int, n: int) -> Interval:
    """The exact interval: never covers less than it says, often more.

    ``Beta(k, n−k+1)`` and ``Beta(k+1, n−k)`` quantiles; Clopper, Pearson, Biometrika 26 (1934)
    404–413.
    """
    low = 0.0 if hits == 0 else float(special.betaincinv(hits, n - hits + 1, TAIL))
    high = 1.0 if hits == n else float(special.betaincinv(hits + 1, n - hits, 1 - TAIL))
    return low, high


def mancl_derouen(clusters: Sequence[Cluster]) -> float | None:
    """Bias-corrected cluster variance of a pooled share; ``None`` with fewer than two clusters.

    ``Σ (Rᵢ / (1 − nᵢ/n))² / n²`` with ``Rᵢ = kᵢ − nᵢ·p``: the sandwich of the intercept-only
    model with leverage ``nᵢ/n``; Mancl, DeRouen, Biometrics 57 (2001) 126–134.
    """
    used = [c for c in clusters if c.n]
    n = sum(c.n for c in used)
    if len(used) < 2:  # noqa: PLR2004  # a spread takes two
        return None
    p = sum(c.hits for c in used) / n
    return sum(((c.hits - c.n * p) / (1 - c.n / n)) ** 2 for c in used) / n**2


def effective_n(clusters: Sequence[Cluster]) -> float:
    """How many independent observations the clustered ones are worth.

    ``min(n, p(1−p)/v)`` with Mancl–DeRouen's ``v``; ``n`` itself where ``v`` is 0 or unknown.
    Kish, Survey Sampling (1965) §8.2, with the variance estimated.
    """
    n = sum(c.n for c in clusters)
    p = sum(c.hits for c in clusters) / n
    variance = mancl_derouen(clusters)
    return min(float(n), p * (1 - p) / variance) if variance else float(n)


def clustered_share(clusters: Sequence[Cluster]) -> Estimate:
    """A share pooled over tasks: Jeffreys with the effective number of observations."""
    method = "Jeffreys, effective n by Mancl–DeRouen over tasks"
    hits, n = sum(c.hits for c in clusters), sum(c.n for c in clusters)
    small = _too_few(hits, n, method) or _one_task(clusters, hits, method)
    if small:
        return small
    size = effective_n(clusters)
    return _share(hits, n, jeffreys(hits / n * size, size), method)


def repeated_share(clusters: Sequence[Cluster]) -> Estimate:
    """A share pooled over requirements that come back stop after stop.

    As `clustered_share`, the effective number times ``(t(n−1)/t(T−1))²`` for the few tasks the
    variance is estimated from; Korn, Graubard, Survey Methodology 24 (1998) 193–201. Without the
    correction 90–93 % were covered.
    """
    method = "Jeffreys, effective n by Mancl–DeRouen over tasks, for T−1 degrees of freedom"
    hits, n = sum(c.hits for c in clusters), sum(c.n for c in clusters)
    small = _too_few(hits, n, method) or _one_task(clusters, hits, method)
    if small:
        return small
    tasks = sum(c.n > 0 for c in clusters)
    size = effective_n(clusters) * (_t(n - 1) / _t(tasks - 1)) ** 2
    return _share(hits, n, jeffreys(hits / n * size, size), method)


def _t(df: int) -> float:
    return float(special.stdtrit(df, 1 - TAIL))


def small_share(clusters: Sequence[Cluster]) -> Estimate:
    """A share of rare events: Jeffreys, Wilson from n = 20, Clopper–Pearson at 0 or n."""
    hits, n = sum(c.hits for c in clusters), sum(c.n for c in clusters)
    method = _rule(hits, n)
    small = _too_few(hits, n, method) or _one_task(clusters, hits, method)
    if small:
        return small
    rules = {"Wilson": wilson, "Jeffreys": jeffreys, "Clopper–Pearson": clopper_pearson}
    return _share(hits, n, rules[method](hits, n), method)


def modified_wilson(hits: int, n: int) -> Interval:
    """Wilson's interval, its near limit eased where successes (or failures) are very few.

    With one to three of them (one or two up to 50 observations) the limit towards the boundary is
    Poisson's, ``χ²(2k, 0.05)/2n``; Brown, Cai, DasGupta, Statistical Science 16 (2001) §4.1.1.
    Plain Wilson was measured to cover 88 % of rare breakages there.
    """
    low, high = wilson(hits, n)
    few = 2 if n <= FIFTY else 3
    if 0 < hits <= few:
        low = min(low, _poisson(hits, n))
    if 0 < n - hits <= few:
        high = max(high, 1 - _poisson(n - hits, n))
    return low, high


def _poisson(hits: int, n: int) -> float:
    return float(special.gammaincinv(hits, 2 * TAIL)) / n


def wilson_share(clusters: Sequence[Cluster]) -> Estimate:
    """A share by Wilson at any size that may be printed."""
    hits, n = sum(c.hits for c in clusters), sum(c.n for c in clusters)
    method = "Wilson, modified for few"
    small = _too_few(hits, n, method) or _one_task(clusters, hits, method)
    return small or _share(hits, n, modified_wilson(hits, n), method)


def bare_share(hits: int, n: int, reason: str) -> Estimate:
    """A share without an interval: one whose coverage was not measured, or measured to be bad."""
    few = _too_few(hits, n, "none")
    value = hits / n if n else None
    plain = Estimate(value=value, n=n, interval=None, method="none", count=hits, reason=reason)
    return few or plain


def _rule(hits: int, n: int) -> str:
    if hits in {0, n}:
        return "Clopper–Pearson"
    return "Wilson" if n >= WILSON_FROM else "Jeffreys"


def _share(hits: int, n: int, interval: Interval, method: str) -> Estimate:
    target = Target.TASKS_LIKE_THESE
    return Estimate(
        value=hits / n, n=n, interval=interval, method=method, count=hits, target=target
    )


def _too_few(hits: int, n: int, method: str) -> Estimate | None:
    """No rate under five observations: any number would say more than is known."""
    if n >= WORDS_BELOW:
        return None
    reason = f"{hits} of {n}: too few for a rate" if n else "nothing to divide by: 0 of 0"
    return Estimate(value=None, n=n, interval=None, method=method, count=hits, reason=reason)


def _one_task(clusters: Sequence[Cluster], hits: int, method: str) -> Estimate | None:
    """All observations from one task: no interval can speak about others."""
    used = [c for c in clusters if c.n]
    if len(used) > 1:
        return None
    n = used[0].n
    reason = "one task: nothing can be said about tasks like it"
    return Estimate(value=hits / n, n=n, interval=None, method=method, count=hits, reason=reason)
