"""Does the oracle tell every subset of a task's requirements from every other?

For each task all 2ⁿ trees are built, each satisfying exactly one subset of the n requirements. The
hidden tests must pass exactly that subset: a requirement that passes where it is missing has blunt
tests, one that fails where it is satisfied has tests that lean on another. On upstream nothing may
pass but declared guards. Both solutions must pass everything, the library's own suite included.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import anyio

from gatebench.model.task import Task
from gatebench.model.verdict import Outcome, Verdict
from gatebench.trial.bench import Bench

LANES = 3


@dataclass(frozen=True)
class Point:
    """One tree of a task, and what must pass on it."""

    task: Task
    name: str
    """``upstream``, ``second``, or the subset's ids."""
    tree: str
    expected: frozenset[str]
    suite_green: bool
    """Whether the library's own tests must pass too."""


async def lattice_problems(bench: Bench, tasks: Sequence[Task]) -> tuple[str, ...]:
    """Every deviation, naming task, requirement and tree; empty when the oracle is sharp."""
    problems: list[str] = []
    waiting = _points(bench, tasks)
    guard = anyio.Lock()

    async def lane() -> None:
        while True:
            async with guard:
                point = await anext(waiting, None)
            if point is None:
                return
            problems.extend(await _judge(bench, point))

    async with anyio.create_task_group() as group:
        for _ in range(LANES):
            group.start_soon(lane)
    return tuple(sorted(problems))


async def _points(bench: Bench, tasks: Sequence[Task]) -> AsyncIterator[Point]:
    pristine = await bench.settle_trees()
    for task in tasks:
        everything = frozenset(task.requirement_ids)
        guards = frozenset(r.id for r in task.requirements if r.guard)
        yield Point(task, "upstream", pristine, guards, suite_green=True)
        second = await bench.hidden.second_files(task.id)
        tree = await plant(bench, pristine, second)
        yield Point(task, "second solution", tree, everything, suite_green=True)
        for subset in subsets(task.requirement_ids):
            files = await bench.hidden.solution_files(task.id, subset)
            tree = await plant(bench, pristine, files)
            name = "+".join(sorted(subset)) or "none"
            whole = subset == everything
            yield Point(task, name, tree, subset, suite_green=whole)


def subsets(ids: Sequence[str]) -> Iterable[frozenset[str]]:
    """All 2ⁿ subsets, small ones first."""
    for size in range(len(ids) + 1):
        yield from map(frozenset, combinations(ids, size))


async def plant(bench: Bench, base: str, files: dict[str, str]) -> str:
    """The tree of a base with some files replaced."""
    return await bench.trees.add_files(base, {k: v.encode() for k, v in files.items()})


async def _judge(bench: Bench, point: Point) -> list[str]:
    judgement = await bench.oracle.judge(point.tree, point.task.id)
    problems = list(_deviations(point, judgement.verdict))
    if point.suite_green:
        run = await bench.oracle.run_suite(point.tree)
        if not run.green:
            where = f"{point.task.id} on the tree '{point.name}'"
            problems.append(f"{where}: the library's own suite is red ({run.failed} failures).")
    return problems


def _deviations(point: Point, verdict: Verdict) -> Iterable[str]:
    where = f"on the tree '{point.name}'"
    for requirement, outcome in verdict.requirements.items():
        name = f"{point.task.id} {requirement}"
        if outcome is Outcome.UNSCORABLE:
            yield f"{name}: no verdict {where}: {verdict.unscorable_reason}."
        elif (outcome is Outcome.PASS) and requirement not in point.expected:
            yield f"{name}: its hidden tests pass {where}, which lacks it: they are too weak."
        elif (outcome is Outcome.FAIL) and requirement in point.expected:
            failed = [t.id for t in verdict.tests if t.requirement == requirement and not t.passed]
            tests = ", ".join(failed) or "no test ran"
            yield f"{name}: fails {where}, which satisfies it: {tests}."
