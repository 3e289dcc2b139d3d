"""One estimate: a value, what it rests on, and its interval or the reason there is none."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from pydantic import model_serializer

from gatebench.model.base import Record

LEVEL = 0.95
"""Confidence of every interval; both tails take half of the rest."""

Interval = tuple[float, float]


class Target(StrEnum):
    """What an interval or a test speaks about. The two are never mixed."""

    TASKS_LIKE_THESE = "tasks like these"
    """The tasks are a sample: another set of such tasks would come out like this."""
    THESE_TASKS = "these tasks"
    """The tasks are fixed: only the trials would come out differently."""


class Estimate(Record):
    """One estimated quantity. ``value`` is the key of estimates alone in ``results.json``."""

    value: float | None
    """The point estimate; ``None`` where it is undefined or rests on too little."""
    n: int
    """What it rests on: tasks for a mean over tasks, the denominator for a share."""
    interval: Interval | None
    """Both limits at 95 %; ``None`` with a ``reason``."""
    method: str
    """How the interval was made, or would have been."""
    reason: str | None = None
    """Why there is no interval, no value, or no smallest detectable effect."""
    count: int | None = None
    """The numerator of a share."""
    mde: float | None = None
    """Smallest true effect seen with 80 % power at this spread and ``n``."""
    target: Target | None = None
    region: tuple[tuple[float | None, float | None], ...] | None = None
    """A confidence set that is no bounded interval; an open end is ``None``."""

    @model_serializer(mode="wrap")
    def _brief(self, handler: Callable[["Estimate"], dict[str, Any]]) -> dict[str, Any]:
        """Leave out what doesn't apply; the first four keys are always there."""
        always = {"value", "n", "interval", "method"}
        return {k: v for k, v in handler(self).items() if k in always or v is not None}


def undefined(reason: str, method: str, n: int = 0) -> Estimate:
    """An estimate without a value, and why."""
    return Estimate(value=None, n=n, interval=None, method=method, reason=reason)


def clip(interval: Interval, value: float, bounds: Interval | None = None) -> Interval:
    """Make an interval contain its value and stay within the possible range."""
    low, high = min(interval[0], value), max(interval[1], value)
    return (max(low, bounds[0]), min(high, bounds[1])) if bounds else (low, high)
