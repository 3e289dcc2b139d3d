"""Coverage of every kind of interval on the jobs of one design under one setting."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gatebench.model.base import Record
from gatebench.stats import rejected
from gatebench.stats.estimands import METHODS, Truth, covers, jobs_of, printed, target_of
from gatebench.stats.estimate import Target
from gatebench.stats.multiple import PLANNED
from gatebench.stats.population import END, Design, Jobs, Population, keys_of

LEAST = 200
"""Intervals a cell must have printed before its coverage is told."""


class EstimateRow(Record):
    """Coverage of one kind of interval in one cell."""

    name: str
    target: str
    tasks: int
    reps: int
    setting: str
    method: str
    used: bool
    """Whether ``analyze`` prints it."""
    coverage: float
    """Share of printed intervals that hold the truth."""
    median_width: float | None
    """``None`` where half of them are unbounded."""


@dataclass(frozen=True)
class Weak:
    """One config's (or gate's) intervals in one cell, finer than a row."""

    name: str
    whose: str
    tasks: int
    reps: int
    setting: str
    coverage: float
    printed: int


@dataclass
class _Count:
    """Intervals of one kind in one cell."""

    hits: int = 0
    widths: list[float] = field(default_factory=list)

    def add(self, *, hit: bool, width: float) -> None:
        self.hits += hit
        self.widths.append(width)

    @property
    def told(self) -> bool:
        return len(self.widths) >= LEAST

    @property
    def coverage(self) -> float:
        return self.hits / len(self.widths)

    @property
    def median(self) -> float | None:
        width = float(np.median(self.widths))
        return width if math.isfinite(width) else None


@dataclass(frozen=True)
class Cell:
    """One design under one setting."""

    design: Design
    setting: str

    def row(self, name: str, method: str, found: "_Count", *, used: bool) -> EstimateRow:
        """What is told of one kind."""
        return EstimateRow(
            name=name,
            target=target_of(name).value if used else Target.TASKS_LIKE_THESE.value,
            tasks=self.design.tasks,
            reps=self.design.reps,
            setting=self.setting,
            method=method,
            used=used,
            coverage=found.coverage,
            median_width=found.median,
        )


@dataclass(frozen=True)
class Told:
    """What one cell came to."""

    rows: tuple[EstimateRow, ...]
    weakest: tuple[Weak, ...]
    """Per kind: whose intervals cover least."""


def measure_printed(cell: Cell, population: Population, jobs: Jobs) -> Told:
    """The intervals that an analysis prints."""
    truth = Truth(population)
    finer: dict[tuple[str, str], _Count] = defaultdict(_Count)
    for job in jobs_of(population, jobs):
        for found in printed(job, truth):
            hit = covers(found.estimate, found.truth)
            if hit is not None:
                limits = found.estimate.interval
                width = limits[1] - limits[0] if limits else math.inf
                finer[found.kind, found.whose].add(hit=hit, width=width)
    by_kind = {
        kind: {whose: count for (name, whose), count in finer.items() if name == kind}
        for kind in METHODS
    }
    rows = (_row(cell, kind, own) for kind, own in by_kind.items())
    weakest = (_weakest(cell, kind, own) for kind, own in by_kind.items())
    return Told(tuple(r for r in rows if r), tuple(w for w in weakest if w))


def _row(cell: Cell, kind: str, own: dict[str, _Count]) -> EstimateRow | None:
    """One row over all configs; none where too little was printed."""
    widths = [w for count in own.values() for w in count.widths]
    whole = _Count(sum(count.hits for count in own.values()), widths)
    return cell.row(kind, METHODS[kind], whole, used=True) if len(widths) >= LEAST else None


def _weakest(cell: Cell, kind: str, own: dict[str, _Count]) -> Weak | None:
    told = [(c.coverage, whose, len(c.widths)) for whose, c in own.items() if c.told]
    if not told:
        return None
    coverage, whose, n = min(told)
    design = cell.design
    return Weak(kind, whose, design.tasks, design.reps, cell.setting, coverage, n)


BOOTSTRAPS = {
    "cluster bootstrap, percentile": rejected.percentile,
    "cluster bootstrap, BCa": rejected.bca,
    "cluster bootstrap, studentised": rejected.bootstrap_t,
}


def measure_rejected(
    cell: Cell, population: Population, jobs: Jobs, rng: np.random.Generator
) -> Iterator[EstimateRow]:
    """The methods that don't hold, on the same jobs: planned differences, pass rates, shares."""
    truth, ends = Truth(population), jobs.means[:, :, :, END]
    for method, bootstrap in BOOTSTRAPS.items():
        found = _Count()
        for pair in PLANNED:
            one, two = (population.number(c) for c in pair)
            _tell(found, bootstrap(ends[one] - ends[two], rng), truth.gap(pair, END))
        yield cell.row("difference", method, found, used=False)
    found = _Count()
    verdicts = cell.design.tasks * cell.design.reps * population.requirements
    for c in range(len(population.configs)):
        limits = rejected.wilson_on_requirements(ends[c], verdicts)
        _tell(found, limits, float(truth.means[c, END]))
    yield cell.row("pass rate", "Wilson on requirements as if independent", found, used=False)
    yield from _pooled(cell, population, jobs, truth)


def _pooled(cell: Cell, population: Population, jobs: Jobs, truth: Truth) -> Iterator[EstimateRow]:
    found = _Count()
    for c, config in enumerate(population.configs):
        for k, key in enumerate(keys_of(config)):
            if key.kind == "broken share" and not key.gate and not key.label:
                limits = rejected.beta_binomial(jobs.counts[c][:, :, k])
                _tell(found, limits, float(truth.shares[c][k]))
    if len(found.widths) >= LEAST:
        method = "beta-binomial, pooled over stops"
        yield cell.row("broken share", method, found, used=False)


def _tell(found: _Count, limits: rejected.Limits, truth: float) -> None:
    low, high = limits
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        if not (math.isnan(a) or math.isnan(b)):
            found.add(hit=a <= truth <= b, width=b - a)
