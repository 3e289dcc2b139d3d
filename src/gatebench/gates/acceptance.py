"""The test writer's module: whether it will do, and running it on a tree."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gatebench.errors import GateFault, SpawnFailed
from gatebench.model.room import raise_if_full
from gatebench.suites.pytest_run import PytestRun
from gatebench.suites.stand import Shape
from gatebench.suites.testing import Bench, PytestJob, run_pytest

FILE = "acceptance/test_acceptance.py"
"""How its path is shown, and where it lies in the run."""
ASIDE = Shape("whole", writable=False)
"""Of its run."""
MOST_CHARS = 200_000
LIMIT_S = 300.0
_COLLECT_S = 120.0


def complaint(source: str) -> str | None:
    """What is wrong with a module's text before anything is run; ``None`` if nothing is."""
    if len(source) > MOST_CHARS:
        return f"the file has {len(source)} characters, more than {MOST_CHARS}."
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"the file doesn't compile: {error}."
    return None if any(_tests(tree.body)) else "the file holds no test."


def _tests(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test"):
                yield node
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _tests(node.body)


async def collects(bench: Bench, source: str, tree: Path) -> tuple[int, str | None]:
    """Collect a module on a tree.

    Returns:
        The number of tests, and what is wrong; ``None`` if nothing is.
    """
    run = await run_started(bench, _job(source, tree, _COLLECT_S, "--collect-only"))
    if run.collect_errors:
        return 0, f"the file doesn't collect: {next(iter(run.collect_errors.values()))[-500:]}"
    if not run.collected:
        return 0, f"nothing was collected: {run.log[-500:]}"
    return len(run.collected), None


@dataclass(frozen=True)
class AcceptanceRun:
    """The acceptance tests on one tree."""

    run: PytestRun
    flaky: tuple[str, ...] = ()
    """Tests that failed, and passed when they were run once more."""
    again: PytestRun | None = None
    """The second run of what had failed."""

    @property
    def red(self) -> bool:
        """Whether a test failed, and failed again; or the run never came to its end."""
        return not self.run.green and (self.again is None or not self.again.green)

    @property
    def wall_s(self) -> float:
        """What both runs took."""
        return self.run.wall_s + (self.again.wall_s if self.again else 0.0)

    @property
    def failed(self) -> int:
        """Tests that failed for good; what never ran because collecting failed counts as one."""
        return len(self.failed_ids) or int(self.red)

    @property
    def failed_ids(self) -> tuple[str, ...]:
        """Their ids."""
        return tuple(name for name in self.run.failed_ids if name not in self.flaky)

    @property
    def passed(self) -> int:
        """Tests that passed, in the first run or the second."""
        return self.run.passed + len(self.flaky)

    @property
    def log(self) -> str:
        """Both runs' output."""
        if self.again is None:
            return self.run.log
        return f"{self.run.log}\n--- what failed, once more ---\n{self.again.log}"

    @property
    def tail_log(self) -> str:
        """The output that tells why it is red: the last run's."""
        return self.run.log if self.again is None else self.again.log


async def run_acceptance(
    bench: Bench, source: str, tree: Path, limit_s: float = LIMIT_S
) -> AcceptanceRun:
    """Run the module on a tree; what failed is run once more, to tell flaky from red.

    Raises:
        GateFault: our own machinery failed.
    """
    run = await run_started(bench, _job(source, tree, limit_s))
    left = limit_s - run.wall_s
    if run.green or run.timed_out or run.collect_errors or not run.failed_ids or left < 1:
        return AcceptanceRun(run)
    again = await run_started(bench, _job(source, tree, left, targets=run.failed_ids))
    flaky = tuple(name for name in run.failed_ids if again.has_passed(name))
    return AcceptanceRun(run, flaky, again)


def _job(
    source: str, tree: Path, limit_s: float, *options: str, targets: tuple[str, ...] = (FILE,)
) -> PytestJob:
    return PytestJob(
        tree=tree,
        limit_s=limit_s,
        texts=((FILE, source),),
        targets=targets,
        options=("-q", "--tb=short", *options),
    )


async def run_started(bench: Bench, job: PytestJob) -> PytestRun:
    """Run pytest; a run that never started is tried once more.

    Raises:
        DiskFull: a disk had no room for it.
        GateFault: it never started, twice.
    """
    why = ""
    for _ in range(2):
        try:
            run = await run_pytest(bench, job)
        except SpawnFailed as error:
            raise_if_full(error)
            why = str(error)
            continue
        if run.started or run.timed_out:
            return run
        why = run.log[-500:]
    raise GateFault(f"the tests could not be started, twice: {why}", "Run `gatebench doctor`.")
