"""The true values of a simulated team, by so many trials that chance hardly matters.

For one set of tasks (the shipped ones, say) every estimand that an analysis prints is a number;
these are the numbers that the intervals of such a job should contain.
"""

import math
import random
from collections.abc import Sequence

from gatebench.model.base import Filed, Record
from gatebench.model.trial import SHIPPED_CONFIGS
from gatebench.stats.compare import pairs_of
from gatebench.stats.estimands import WORTH_USD, Truth
from gatebench.stats.population import END, TOTAL, WORKER, Population, keys_of, played
from gatebench.stats.simulated_seat import SimTask

TRIALS = 100_000
"""At least this many in all."""


class TrueValue(Record):
    """One estimand's value, in the unit of the analysis."""

    name: str
    whose: str
    """The config, the contrast or the gate."""
    value: float | None
    """``None`` where it never came up or isn't defined."""
    observations: int | None = None
    """Of a share: how often its denominator came up."""


class TrueValues(Filed):
    """What ``gatebench simulate --truth`` prints."""

    profile: str
    tasks: tuple[str, ...]
    trials: int
    worth_usd: float = WORTH_USD
    values: tuple[TrueValue, ...]


def true_values(
    profile: str, tasks: Sequence[SimTask], *, trials: int = TRIALS, seed: int = 1
) -> TrueValues:
    """Play many trials of each task and config, and take means.

    Args:
        profile: its name, for the record.
        tasks: with the team's chances in each.
        trials: at least so many in all.
        seed: of all chance.
    """
    each = -(-trials // (len(tasks) * len(SHIPPED_CONFIGS)))
    stream = random.Random(f"truth {seed}")  # noqa: S311  # simulation, not secrets
    population = played(tasks, each, stream)
    return TrueValues(
        profile=profile,
        tasks=tuple(t.id for t in tasks),
        trials=each * len(tasks) * len(SHIPPED_CONFIGS),
        values=tuple(values_of(population)),
    )


def values_of(population: Population) -> list[TrueValue]:
    """Every estimand's value in a population."""
    truth = Truth(population)
    found: list[TrueValue] = []
    for c, config in enumerate(population.configs):
        mean = truth.means[c]
        found.append(_value("pass rate", config.name, mean[END]))
        if config.gates:
            found.append(_value("gain", config.name, mean[END] - truth.first))
        found.append(_value("cost", config.name, mean[TOTAL]))
    for pair in pairs_of([c.name for c in population.configs]):
        whose = f"{pair[0]} − {pair[1]}"
        found.append(_value("difference", whose, truth.gap(pair, END)))
        found.append(_value("cost difference", whose, truth.gap(pair, TOTAL)))
        found.append(_value("net benefit", whose, truth.net(pair)))
        found.append(_value("dollars per extra requirement", whose, truth.ratio(pair)))
    for config in population.configs[1:]:
        gap = truth.gap((config.name, "bare"), WORKER)
        found.append(_value("induced worker cost", config.name, gap))
    return found + _shares(population, truth)


def _shares(population: Population, truth: Truth) -> list[TrueValue]:
    found = []
    for c, config in enumerate(population.configs):
        for k, key in enumerate(keys_of(config)):
            whose = " · ".join(part for part in (config.name, key.gate, key.label) if part)
            whole = int(population.counts[c][:, :, k, 1].sum())
            value = float(truth.shares[c][k]) if whole else None
            found.append(TrueValue(name=key.kind, whose=whose, value=value, observations=whole))
    return found


def _value(name: str, whose: str, value: float) -> TrueValue:
    return TrueValue(name=name, whose=whose, value=None if math.isnan(value) else float(value))
