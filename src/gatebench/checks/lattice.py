"""Does the oracle tell every subset of a task's requirements from every other?

For each task all 2ⁿ trees are built, each satisfying exactly one subset of the n requirements. The
hidden tests must pass exactly that subset: a requirement that passes where it is missing has blunt
tests, one that fails where it is satisfied has tests that lean on another. On upstream nothing may
pass but declared guards. Both solutions must pass everything, the library's own suite included; a
tree that lacks one requirement must pass that suite unless the requirement is declared as covered.

The trees are ours, so most are judged without what guards against code that cheats; upstream, both
solutions and each that lacks one requirement are judged just as an agent's would be.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from gatebench.checks.lanes import in_lanes
from gatebench.model.task import Task
from gatebench.model.verdict import Outcome, SuiteRun, Verdict
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
    suite_green: bool | None = None
    """What the library's own tests must come to; ``None`` where they aren't run."""
    lacks: str = ""
    """The one requirement that is missing, where it is one."""


async def lattice_problems(bench: Bench, tasks: Sequence[Task]) -> tuple[str, ...]:
    """Every deviation, naming task, requirement and tree; empty when the oracle is sharp."""
    pristine = await bench.settle_trees()
    points = [point for task in tasks for point in _points(bench, task)]

    async def look(point: Point) -> list[str]:
        return await _judge(bench, point, await plant(bench, pristine, await point.files()))

    return tuple(sorted(chain.from_iterable(await in_lanes(points, look))))


def _points(bench: Bench, task: Task) -> Iterable[Point]:
    everything = frozenset(task.requirement_ids)
    guards = task.guards
    yield Point(task, "upstream", _nothing, guards, suite_green=True)
    second = partial(bench.hidden.second_files, task.id)
    yield Point(task, "second solution", second, everything, suite_green=True)
    for subset in subsets(task.requirement_ids):
        name = "+".join(sorted(subset)) or "none"
        files = partial(bench.hidden.solution_files, task.id, subset)
        missing = everything - subset
        if len(missing) > 1:
            yield Point(task, name, files, subset, whole=False)
            continue
        green = not missing & task.covered
        yield Point(task, name, files, subset, suite_green=green, lacks="".join(missing))


async def _nothing() -> dict[str, str]:
    return {}


async def _judge(bench: Bench, point: Point, tree: str) -> list[str]:
    if point.whole:
        verdict = (await bench.oracle.judge(tree, point.task.id)).verdict
    else:
        verdict = await bench.oracle.glance(tree, point.task.id)
    problems = list(_deviations(point, verdict))
    if point.suite_green is not None:
        run = await bench.oracle.run_suite(tree)
        if run.green is not point.suite_green:
            problems.append(_of_suite(point, run))
    return problems


def _of_suite(point: Point, run: SuiteRun) -> str:
    """What is wrong with the library's own tests on a tree."""
    where = f"{point.task.id} on the tree '{point.name}'"
    if run.green is None:
        return f"{where}: the library's own suite didn't run: {run.log}"
    if run.green:
        return f"{where}: the library's own suite is green, so it doesn't cover {point.lacks}."
    hint = f"; declare {point.lacks} as covered if it may be" if point.lacks else ""
    return f"{where}: the library's own suite is red ({run.failed} failures){hint}."


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
