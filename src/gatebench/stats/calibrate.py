"""How far each printed interval may be trusted: coverage on simulated jobs, by design and setting."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context

import numpy as np

from gatebench.model.base import Filed, Record
from gatebench.stats import rejected
from gatebench.stats.estimands import METHODS, Truth, covers, jobs_of, printed, target_of
from gatebench.stats.estimate import Target
from gatebench.stats.multiple import PLANNED
from gatebench.stats.nulls import USED, alarms
from gatebench.stats.population import (
    END,
    Design,
    Jobs,
    Population,
    Size,
    keys_of,
    populate,
    sample,
)
from gatebench.stats.settings import SETTINGS, Setting
from gatebench.team import Profile

JOBS = 1_000
PROOF_JOBS = 4_000
TASKS = (5, 10, 20)
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


class TestRow(Record):
    """How often a family of planned contrasts cries out where nothing is real."""

    __test__ = False

    name: str
    tasks: int
    used: bool
    familywise_error: float


class Calibration(Filed):
    """What ``gatebench simulate --json`` prints."""

    estimates: tuple[EstimateRow, ...]
    tests: tuple[TestRow, ...]


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    profile: Profile
    jobs: int = JOBS
    tasks: tuple[int, ...] = TASKS
    reps: tuple[int, ...] = (2,)
    settings: tuple[Setting, ...] = SETTINGS
    size: Size = field(default_factory=Size)
    seed: int = 1


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


@dataclass(frozen=True)
class Measured:
    """A calibration, and what it rests on."""

    calibration: Calibration
    weakest: tuple[Weak, ...]
    """Per kind, design and setting: whose intervals cover least."""
    jobs: int
    seconds: float


@dataclass
class _Count:
    """Intervals of one kind in one cell."""

    hits: int = 0
    widths: list[float] = field(default_factory=list)

    def add(self, *, hit: bool, width: float) -> None:
        self.hits += hit
        self.widths.append(width)

    @property
    def coverage(self) -> float:
        return self.hits / len(self.widths)

    @property
    def median(self) -> float | None:
        width = float(np.median(self.widths))
        return width if math.isfinite(width) else None


@dataclass(frozen=True)
class _Cell:
    """One design under one setting."""

    design: Design
    setting: str

    def row(self, name: str, method: str, found: _Count, *, used: bool) -> EstimateRow:
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
class _Part:
    """What one setting came to."""

    rows: list[EstimateRow]
    weakest: list[Weak]
    alarms: dict[tuple[str, int], list[bool]]


def calibrate(
    plan: Plan, *, workers: int = 1, progress: Callable[[str], None] = lambda _: None
) -> Measured:
    """Measure every printed interval and test.

    Args:
        plan: designs, settings, jobs a cell.
        workers: processes; with one, everything happens in this one.
        progress: told one line per finished setting.
    """
    begun = time.monotonic()
    parts: dict[str, _Part] = {}
    for name, part in _parts(plan, workers):
        parts[name] = part
        progress(f"{len(parts)}/{len(plan.settings)} settings measured: {name}")
    ordered = [parts[s.name] for s in plan.settings]
    calibration = Calibration(
        estimates=tuple(row for part in ordered for row in part.rows), tests=_tests(ordered)
    )
    weakest = tuple(weak for part in ordered for weak in part.weakest)
    return Measured(calibration, weakest, plan.jobs, time.monotonic() - begun)


def _parts(plan: Plan, workers: int) -> Iterator[tuple[str, _Part]]:
    if workers == 1:
        yield from ((s.name, measure(plan, s)) for s in plan.settings)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from _spread(plan, pool)


def _spread(plan: Plan, pool: Executor) -> Iterator[tuple[str, _Part]]:
    waiting = {pool.submit(measure, plan, s): s.name for s in plan.settings}
    for done in as_completed(waiting):
        yield waiting[done], done.result()


def measure(plan: Plan, setting: Setting) -> _Part:
    """All designs under one setting."""
    population = populate(setting, plan.profile, plan.size, plan.seed)
    rng = np.random.default_rng([plan.seed, *setting.name.encode()])
    part = _Part([], [], defaultdict(list))
    share = -(-plan.jobs // len(plan.settings))
    for reps in plan.reps:
        for tasks in plan.tasks:
            design = Design(tasks, reps)
            cell = _Cell(design, setting.name)
            jobs = sample(population, design, plan.jobs, rng)
            _printed(part, cell, population, jobs)
            part.rows.extend(_rejected(cell, population, jobs, rng))
            if reps == plan.reps[0]:
                for name, alarm in alarms(population, design, share, rng):
                    part.alarms[name, tasks].append(alarm)
    return _Part(part.rows, part.weakest, dict(part.alarms))


def _printed(part: _Part, cell: _Cell, population: Population, jobs: Jobs) -> None:
    truth = Truth(population)
    finer: dict[tuple[str, str], _Count] = defaultdict(_Count)
    for job in jobs_of(population, jobs):
        for found in printed(job, truth):
            hit = covers(found.estimate, found.truth)
            if hit is not None:
                limits = found.estimate.interval
                width = limits[1] - limits[0] if limits else math.inf
                finer[found.kind, found.whose].add(hit=hit, width=width)
    for kind, method in METHODS.items():
        own = {whose: count for (name, whose), count in finer.items() if name == kind}
        _add(part, cell, (kind, method), own)


def _add(part: _Part, cell: _Cell, what: tuple[str, str], own: dict[str, _Count]) -> None:
    """One row over all configs, and the config that fares worst."""
    kind, method = what
    whole = _Count(sum(c.hits for c in own.values()), [w for c in own.values() for w in c.widths])
    if len(whole.widths) >= LEAST:
        part.rows.append(cell.row(kind, method, whole, used=True))
    told = [(c.coverage, whose, c) for whose, c in own.items() if len(c.widths) >= LEAST]
    if told:
        coverage, whose, count = min(told, key=lambda entry: entry[:2])
        design = cell.design
        n = len(count.widths)
        part.weakest.append(Weak(kind, whose, design.tasks, design.reps, cell.setting, coverage, n))


def _rejected(
    cell: _Cell, population: Population, jobs: Jobs, rng: np.random.Generator
) -> Iterator[EstimateRow]:
    """The methods that don't hold, on the same jobs: planned differences, pass rates, shares."""
    truth, ends = Truth(population), jobs.means[:, :, :, END]
    boots = {
        "cluster bootstrap, percentile": rejected.percentile,
        "cluster bootstrap, BCa": rejected.bca,
        "cluster bootstrap, studentised": rejected.bootstrap_t,
    }
    for method, limits in boots.items():
        found = _Count()
        for pair in PLANNED:
            one, two = (population.number(c) for c in pair)
            _tell(found, limits(ends[one] - ends[two], rng), truth.gap(pair, END))
        yield cell.row("difference", method, found, used=False)
    found = _Count()
    verdicts = cell.design.tasks * cell.design.reps * population.requirements
    for c in range(len(population.configs)):
        limits = rejected.wilson_on_requirements(ends[c], verdicts)
        _tell(found, limits, float(truth.means[c, END]))
    yield cell.row("pass rate", "Wilson on requirements as if independent", found, used=False)
    yield from _pooled(cell, population, jobs, truth)


def _pooled(cell: _Cell, population: Population, jobs: Jobs, truth: Truth) -> Iterator[EstimateRow]:
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


def _tests(parts: Sequence[_Part]) -> tuple[TestRow, ...]:
    tasks = sorted({n for part in parts for _, n in part.alarms})
    rows = []
    for name, used in USED.items():
        for n in tasks:
            told = [a for part in parts for a in part.alarms.get((name, n), ())]
            if told:
                error = sum(told) / len(told)
                rows.append(TestRow(name=name, tasks=n, used=used, familywise_error=error))
    return tuple(rows)
