"""Every interval that an analysis prints, of one sampled job, beside the truth it should cover.

The intervals are made by the very functions that `gatebench.stats.analysis` calls; a test holds
both against each other on the same trials.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gatebench.stats.compare import Extra, pairs_of
from gatebench.stats.costs import MONEY
from gatebench.stats.estimate import Estimate, Target
from gatebench.stats.population import (
    END,
    FIRST,
    KINDS,
    TOTAL,
    WORKER,
    Counts,
    Floats,
    Jobs,
    Population,
    keys_of,
)
from gatebench.stats.proportions import (
    Cluster,
    clustered_share,
    repeated_share,
    small_share,
    wilson_share,
)
from gatebench.stats.ratio import per_unit
from gatebench.stats.stratified import stratified_difference
from gatebench.stats.tasklevel import SHARES, difference, pass_rate

SHARE_RULES = dict(
    zip(
        KINDS,
        (clustered_share, small_share, small_share, repeated_share, wilson_share),
        strict=True,
    )
)
"""How an analysis makes the interval of each kind of share."""
METHODS = {
    "pass rate": "t on the logit of the mean over tasks; Jeffreys at 0, 1 or no spread",
    "difference": "t on task differences",
    "gain": "t on task gains",
    "net benefit": "t on task net benefits",
    "cost": "t on task costs, skewness removed, s.e.·√(T/(T−1))",
    "cost difference": "t on task cost differences, skewness removed, s.e.·√(T/(T−1))",
    "induced worker cost": "t on task cost differences, skewness removed, s.e.·√(T/(T−1))",
    "dollars per extra requirement": "Fieller's set, whatever its shape",
    "difference on these tasks": "stratified t within tasks, Welch–Satterthwaite",
    "first stops, gated minus bare": "stratified t within tasks, Welch–Satterthwaite",
    "right-block rate": "Jeffreys, effective n by Mancl–DeRouen",
    "false-block rate": "Jeffreys, Wilson from n = 20, Clopper–Pearson at 0 or n",
    "trials with a false block": "Jeffreys, Wilson from n = 20, Clopper–Pearson at 0 or n",
    "repaired share": "Jeffreys, effective n by Mancl–DeRouen, for T−1 degrees of freedom",
    "broken share": "Wilson, modified for few",
}
"""What makes the interval of each kind, in words."""
THESE = {"difference on these tasks", "first stops, gated minus bare"}
SMALL = frozenset(KINDS)
"""Intervals of small counts: they may cover more than they say, never less than 93 %."""
WORTH_USD = 1.0


def target_of(kind: str) -> Target:
    """What a kind's intervals speak about."""
    return Target.THESE_TASKS if kind in THESE else Target.TASKS_LIKE_THESE


@dataclass(frozen=True)
class Printed:
    """One estimate and the truth."""

    kind: str
    whose: str
    """The config, the contrast or the gate."""
    estimate: Estimate
    truth: float


@dataclass(frozen=True)
class Job:
    """One of many sampled jobs."""

    population: Population
    means: Floats
    """(config, task, figure)."""
    figures: Floats
    """(config, task, rep, figure)."""
    counts: tuple[Counts, ...]
    """Per config (task, key, 2)."""
    expected: Floats
    """What the means are expected to be, over jobs with these tasks: (config, task, figure)."""

    @property
    def names(self) -> list[str]:
        """The configs."""
        return [c.name for c in self.population.configs]

    def gap(self, pair: tuple[str, str], figure: int) -> list[float]:
        """Difference of two configs by task."""
        one, two = (self.population.number(c) for c in pair)
        return _list(self.means[one, :, figure] - self.means[two, :, figure])


def jobs_of(population: Population, jobs: Jobs) -> Iterator[Job]:
    """The jobs one by one."""
    means = jobs.means
    for n in range(len(jobs.tasks)):
        yield Job(
            population,
            means[:, n],
            jobs.figures[:, n],
            tuple(counts[n] for counts in jobs.counts),
            population.means[:, jobs.tasks[n]],
        )


class Truth:
    """The population's own values."""

    def __init__(self, population: Population) -> None:
        self._population = population
        self.means: Floats = np.asarray(population.means.mean(axis=1))
        """(config, figure)."""
        self.first = float(self.means[:, FIRST].mean())
        self.shares = [_pooled(counts) for counts in population.counts]

    def gap(self, pair: tuple[str, str], figure: int) -> float:
        """Difference of two configs."""
        one, two = (self._population.number(c) for c in pair)
        return float(self.means[one, figure] - self.means[two, figure])

    def net(self, pair: tuple[str, str]) -> float:
        """Net benefit at the stated worth."""
        extra = self.gap(pair, END) * self._population.requirements
        return WORTH_USD * extra - self.gap(pair, TOTAL)

    def ratio(self, pair: tuple[str, str]) -> float:
        """Dollars per extra requirement; not a number where there is none."""
        extra = self.gap(pair, END) * self._population.requirements
        return self.gap(pair, TOTAL) / extra if extra else math.nan


def _pooled(counts: Counts) -> Floats:
    hits, whole = np.moveaxis(counts.sum(axis=(0, 1)), -1, 0)
    return np.asarray(hits / np.maximum(whole, 1))


def printed(job: Job, truth: Truth) -> Iterator[Printed]:
    """Every estimate of one job that may carry an interval."""
    yield from _by_config(job, truth)
    for pair in pairs_of(job.names):
        yield from _by_pair(job, truth, pair)
    yield from _induced(job, truth)
    yield _premise(job)
    yield from _shares(job, truth)


def _by_config(job: Job, truth: Truth) -> Iterator[Printed]:
    tasks, reps = job.figures.shape[1:3]
    verdicts = tasks * reps * job.population.requirements
    first = job.means[:, :, FIRST].mean(axis=0)
    for c, config in enumerate(job.population.configs):
        end, usd = job.means[c, :, END], _list(job.means[c, :, TOTAL])
        value = truth.means[c]
        yield Printed("pass rate", config.name, pass_rate(_list(end), verdicts), float(value[END]))
        cost = difference(usd, skewed=True, bounds=MONEY)
        yield Printed("cost", config.name, cost, float(value[TOTAL]))
        if config.gates:
            gain = difference(_list(end - first), bounds=SHARES)
            yield Printed("gain", config.name, gain, float(value[END] - truth.first))


def _by_pair(job: Job, truth: Truth, pair: tuple[str, str]) -> Iterator[Printed]:
    whose = f"{pair[0]} − {pair[1]}"
    ends, usd = job.gap(pair, END), job.gap(pair, TOTAL)
    extra = Extra([job.population.requirements * x for x in ends], usd)
    found = difference(ends, bounds=SHARES)
    yield Printed("difference", whose, found, truth.gap(pair, END))
    spent = difference(usd, skewed=True)
    yield Printed("cost difference", whose, spent, truth.gap(pair, TOTAL))
    yield Printed("net benefit", whose, difference(extra.net(WORTH_USD)), truth.net(pair))
    per = per_unit(extra.usd, extra.requirements)
    yield Printed("dollars per extra requirement", whose, per, truth.ratio(pair))
    yield Printed("difference on these tasks", whose, *_here(job, pair))


def _here(job: Job, pair: tuple[str, str]) -> tuple[Estimate, float]:
    one, two = (job.population.number(c) for c in pair)
    ends = job.figures[:, :, :, END]
    strata = [(_list(a), _list(b)) for a, b in zip(ends[one], ends[two], strict=True)]
    gap = job.expected[one, :, END] - job.expected[two, :, END]
    return stratified_difference(strata), float(gap.mean())


def _induced(job: Job, truth: Truth) -> Iterator[Printed]:
    for config in job.population.configs:
        if config.gates and "bare" in job.names:
            pair = (config.name, "bare")
            found = difference(job.gap(pair, WORKER), skewed=True)
            yield Printed("induced worker cost", config.name, found, truth.gap(pair, WORKER))


def _premise(job: Job) -> Printed:
    """First stops of all gated trials against bare ones, on these tasks."""
    bare = job.population.number("bare")
    gated = [c for c, config in enumerate(job.population.configs) if config.gates]
    first = job.figures[:, :, :, FIRST]
    strata = [
        (_list(first[gated, t].ravel()), _list(first[bare, t])) for t in range(first.shape[1])
    ]
    expected = job.expected[:, :, FIRST]
    truth = float((expected[gated].mean(axis=0) - expected[bare]).mean())
    kind = "first stops, gated minus bare"
    return Printed(kind, "all", stratified_difference(strata), truth)


def _shares(job: Job, truth: Truth) -> Iterator[Printed]:
    for c, config in enumerate(job.population.configs):
        for k, key in enumerate(keys_of(config)):
            clusters = [Cluster(hits, n) for hits, n in job.counts[c][:, k].tolist()]
            name = " · ".join(part for part in (config.name, key.gate, key.label) if part)
            found = SHARE_RULES[key.kind](clusters)
            yield Printed(key.kind, name, found, float(truth.shares[c][k]))


def _list(figures: Floats) -> list[float]:
    found: list[float] = figures.tolist()
    return found


def covers(estimate: Estimate, truth: float) -> bool | None:
    """Whether an estimate's set holds the truth; ``None`` where none is printed."""
    region: Sequence[tuple[float | None, float | None]] = estimate.region or ()
    if estimate.interval is not None and not region:
        region = (estimate.interval,)
    if not region or math.isnan(truth):
        return None
    slack = 1e-9
    return any(
        (low is None or low - slack <= truth) and (high is None or truth <= high + slack)
        for low, high in region
    )
