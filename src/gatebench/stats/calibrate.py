"""How far each printed interval and test may be trusted, measured on simulated jobs."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context

import numpy as np

from gatebench.model.base import Filed, Record
from gatebench.stats.coverage import (
    Cell,
    EstimateRow,
    Weak,
    measure_printed,
    measure_rejected,
)
from gatebench.stats.nulls import USED, alarms
from gatebench.stats.population import Design, Size, populate, sample
from gatebench.stats.settings import SETTINGS, Setting
from gatebench.team import Profile

JOBS = 1_000
PROOF_JOBS = 4_000
TASKS = (5, 10, 20)


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
class Measured:
    """A calibration, and what it rests on."""

    calibration: Calibration
    weakest: tuple[Weak, ...]
    """Per kind, design and setting: whose intervals cover least."""
    jobs: int
    seconds: float


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
            cell = Cell(design, setting.name)
            jobs = sample(population, design, plan.jobs, rng)
            told = measure_printed(cell, population, jobs)
            part.rows.extend([*told.rows, *measure_rejected(cell, population, jobs, rng)])
            part.weakest.extend(told.weakest)
            if reps == plan.reps[0]:
                for name, alarm in alarms(population, design, share, rng):
                    part.alarms[name, tasks].append(alarm)
    return _Part(part.rows, part.weakest, dict(part.alarms))


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
