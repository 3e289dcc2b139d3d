"""Holm's correction over the planned contrasts."""

from collections.abc import Sequence

PLANNED: tuple[tuple[str, str], ...] = (
    ("g1", "bare"),
    ("g3", "bare"),
    ("g13", "g1"),
    ("g13adv", "g13"),
)
"""The contrasts decided on before any job: first config minus second."""


def holm(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's step-down adjusted p values; a contrast without a p still counts in the family.

    ``max over j ≤ i of min(1, (m − j + 1)·p₍ⱼ₎)``; Holm, Scand. J. Statist. 6 (1979) 65–70.
    Written out because statsmodels's own collects garbage at each call, a tenth of a second.
    """
    filled = [1.0 if p is None else p for p in ps]
    order = sorted(range(len(filled)), key=filled.__getitem__)
    adjusted = [0.0] * len(filled)
    worst = 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(filled) - rank) * filled[i]))
        adjusted[i] = worst
    return tuple(None if p is None else a for p, a in zip(ps, adjusted, strict=True))
