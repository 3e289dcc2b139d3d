"""Holm's correction over the planned contrasts."""

from collections.abc import Sequence

from statsmodels.stats.multitest import multipletests

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
    """
    if not ps:
        return ()
    filled = [1.0 if p is None else p for p in ps]
    adjusted = multipletests(filled, method="holm")[1]
    return tuple(None if p is None else float(a) for p, a in zip(ps, adjusted, strict=True))
