"""Does the oracle tell every subset of a task's requirements from every other?

For each task all 2ⁿ trees are built, each satisfying exactly one subset of the n requirements. The
hidden tests must pass exactly that subset: a requirement that passes where it is missing has blunt
tests, one that fails where it is satisfied has tests that lean on another. On upstream nothing may
pass but declared guards. Both solutions must pass everything, the library's own suite included.

The trees are ours, so most are judged without what guards against code that cheats; upstream, both
solutions and each that lacks one requirement are judged just as an agent's would be.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from gatebench.checks.lanes import in_lanes
from gatebench.model.task import Task
from gatebench.model.verdict import Outcome, Verdict
from gatebench.trial.bench import Bench
from gatebench.trial.planting import plant, subsets


@dataclass(frozen=True)
class Point:
    """One tree of a task, and what must pass on it."""

    task: Task
    name: str
    """``upstream``, ``second solution``, or the subset's ids."""
    files: Callable[[], Awaitable[dict[str, str]]]
    """What differs from upstream."""
    expected: frozenset[str]
    whole: bool = True
    """Whether it is judged as an agent's tree would be."""
    suite_green: bool = False
    """Whether the library's own tests must pass too."""


async def lattice_problems(bench: Bench, tasks: Sequence[Task]) -> tuple[str, ...]:
    """Every deviation, naming task, requirement and tree; empty when the oracle is sharp."""
    pristine = await bench.settle_trees()
    points = [point for task in tasks for point in _points(bench, task)]

    async def look(point: Point) -> list[str]:
        return await _judge(bench, point, await plant(bench, pristine, await point.files()))

    return tuple(sorted(chain.from_iterable(await in_lanes(points, look))))


def _points(bench: Bench, task: Task) -> Iterable[Point]:
    everything = frozenset(task.requirement_ids)
    guards = frozenset(r.id for r in task.requirements if r.guard)
    yield Point(task, "upstream", _nothing, guards, suite_green=True)
    second = partial(bench.hidden.second_files, task.id)
    yield Point(task, "second solution", second, everything, suite_green=True)
    for subset in subsets(task.requirement_ids):
        name = "+".join(sorted(subset)) or "none"
        files = partial(bench.hidden.solution_files, task.id, subset)
        missing = len(everything) - len(subset)
        yield Point(task, name, files, subset, whole=missing <= 1, suite_green=missing == 0)


async def _nothing() -> dict[str, str]:
    return {}


async def _judge(bench: Bench, point: Point, tree: str) -> list[str]:
    if point.whole:
        verdict = (await bench.oracle.judge(tree, point.task.id)).verdict
    else:
        verdict = await bench.oracle.glance(tree, point.task.id)
    problems = list(_deviations(point, verdict))
    if point.suite_green:
        run = await bench.oracle.run_suite(tree)
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
