"""What the test writer's acceptance tests catch, and where they err, before a matrix is paid for.

A writer's file is run on upstream, on the reference, and on each leave-one-out tree (everything
satisfied but one requirement). It *catches* a requirement when a test that passes on the reference
fails where that requirement alone is missing. A test that fails on the reference is a *false
alarm*; one such test makes the whole suite block correct work, so both levels are told.
"""

from dataclasses import dataclass

import anyio

from gatebench.gates.acceptance import AcceptanceRun, run_acceptance
from gatebench.gates.checkout import scratch_copy
from gatebench.gates.writer import Written, write_tests
from gatebench.model.task import Task
from gatebench.model.trial import SHIPPED_CONFIGS, TrialId
from gatebench.suites.testing import Bench as TestBench
from gatebench.trial.bench import Bench
from gatebench.trial.gates import ground_of
from gatebench.trial.planting import plant
from gatebench.trial.sites import Ledger, Sites

CONFIG = next(c for c in SHIPPED_CONFIGS if c.name == "g1")


@dataclass(frozen=True)
class WriterCheck:
    """One task's acceptance tests, measured."""

    task: str
    source: str | None
    """The module; ``None`` where no try would do."""
    why: str | None
    """Why there is none."""
    cost_usd: float | None
    tests: int | None
    """Tests collected on upstream."""
    fail_upstream: int | None
    """Tests that fail where the feature isn't there: all of them should, guards' excepted."""
    false_alarms: tuple[str, ...]
    """Tests that fail on the reference."""
    caught: dict[str, bool]
    """By requirement: whether leaving it out is noticed by a test that passes on the reference."""


async def write_alone(bench: Bench, task: Task, rep: int = 1) -> Written:
    """Have acceptance tests written, without a trial around it."""
    return await write_tests(ground_of(bench, task, _sites(bench, task, rep)))


async def check_writer(bench: Bench, task: Task, rep: int = 1) -> WriterCheck:
    """Have acceptance tests written and measure them on upstream, reference and leave-one-out."""
    written = await write_alone(bench, task, rep)
    record = written.record
    if written.source is None:
        return WriterCheck(task.id, None, record.error, record.cost_usd, None, None, (), {})
    source = written.source
    everything = frozenset(task.requirement_ids)
    upstream = await _run(bench, source, await bench.settle_trees())
    whole = await _on(bench, task, source, everything)
    passing = set(whole.run.passed_ids)
    caught: dict[str, bool] = {}
    for requirement in task.requirement_ids:
        without = await _on(bench, task, source, everything - {requirement})
        caught[requirement] = bool(passing & set(without.failed_ids)) or bool(
            passing and not without.run.collected
        )
    return WriterCheck(
        task=task.id,
        source=source,
        why=None,
        cost_usd=record.cost_usd,
        tests=record.tests_total,
        fail_upstream=upstream.failed,
        false_alarms=whole.failed_ids,
        caught=caught,
    )


def _sites(bench: Bench, task: Task, rep: int) -> Sites:
    ledger = Ledger(lambda _call: None)
    return Sites(bench, TrialId(task.id, CONFIG.name, rep), CONFIG, ledger)


async def _on(bench: Bench, task: Task, source: str, subset: frozenset[str]) -> AcceptanceRun:
    files = await bench.hidden.solution_files(task.id, subset)
    return await _run(bench, source, await plant(bench, await bench.settle_trees(), files))


async def _run(bench: Bench, source: str, tree: str) -> AcceptanceRun:
    async with scratch_copy(bench.trees, tree) as copy:
        return await run_acceptance(TestBench(bench.sandbox, bench.environment), source, copy)


async def check_writers(bench: Bench, tasks: tuple[Task, ...]) -> tuple[WriterCheck, ...]:
    """All tasks, two at once."""
    results: dict[str, WriterCheck] = {}
    limit = anyio.CapacityLimiter(2)

    async def one(task: Task) -> None:
        async with limit:
            results[task.id] = await check_writer(bench, task)

    async with anyio.create_task_group() as group:
        for task in tasks:
            group.start_soon(one, task)
    return tuple(results[task.id] for task in tasks)
