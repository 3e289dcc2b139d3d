"""Does a right implementation pass every time, in any order, on a busy machine?

The oracle runs the tests of a requirement in a fixed order in a process of their own, which hides
what one test leaves behind for the next. So each repeat runs all of a task's tests in *one* process
in an order drawn anew, which is harder on them than any real run, and then has the oracle judge
afresh. Half of the repeats compete with processes that do nothing but use the processors.
"""

import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from gatebench.model.verdict import Outcome
from gatebench.oracle import Oracle, OracleSetup
from gatebench.suites.pytest_run import PytestRun
from gatebench.suites.testing import Bench as TestBench
from gatebench.suites.testing import PytestJob, run_pytest
from gatebench.trial.bench import Bench

LIMIT_S = 300.0
FILE = "test_feature.py"
_SHUFFLE = """\
import random


def pytest_configure(config):
    config.addinivalue_line("markers", "requirement(id): the promise a test is about")


def pytest_collection_modifyitems(items):
    random.Random({seed}).shuffle(items)
"""
# Ends by itself when its parent is gone, whatever became of that.
_BURN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(100_000))\n"


@dataclass(frozen=True)
class Ground:
    """What is repeated."""

    bench: Bench
    cache: Path
    task_id: str
    tree: str
    """The reference."""


@dataclass(frozen=True)
class Repeats:
    """How the repeats came out."""

    times: int
    under_load: int
    problems: tuple[str, ...]
    """Each flake, with the seed that brings it back."""


async def repeat(ground: Ground, times: int) -> Repeats:
    """Run a task's hidden tests on its reference again and again, the later half under load."""
    under_load = times // 2
    problems: list[str] = []
    for seed in range(times - under_load):
        problems += await _once(ground, seed, "")
    async with busy_machine():
        for seed in range(times - under_load, times):
            problems += await _once(ground, seed, " under load")
    return Repeats(times, under_load, tuple(problems))


@asynccontextmanager
async def busy_machine() -> AsyncIterator[None]:
    """Two processes for each processor that only use it, while this is open."""
    async with AsyncExitStack() as stack:
        for _ in range(2 * (os.cpu_count() or 1)):
            process = await anyio.open_process([sys.executable, "-I", "-c", _BURN])
            await stack.enter_async_context(process)
            stack.callback(process.kill)
        yield


async def _once(ground: Ground, seed: int, how: str) -> list[str]:
    where = f"{ground.task_id}: repeat {seed}{how}"
    run = await _shuffled(ground, seed)
    problems = []
    if not run.green:
        said = ", ".join(run.failed_ids[:3]) or f"exit code {run.exit_code}: {run.log[-300:]}"
        problems.append(f"{where}: in another order (seed {seed}) the reference fails {said}.")
    # An oracle of its own: the bench's would remember the first verdict.
    verdict = (await _oracle(ground).judge(ground.tree, ground.task_id)).verdict
    bad = [test.id for test in verdict.tests if not test.passed]
    if any(outcome is not Outcome.PASS for outcome in verdict.requirements.values()):
        why = ", ".join(bad[:3]) or verdict.unscorable_reason
        problems.append(f"{where}: the oracle's verdict on the reference: {why}.")
    return problems


async def _shuffled(ground: Ground, seed: int) -> PytestRun:
    """All of the task's tests in one process, in the order that the seed draws."""
    bench = ground.bench
    with tempfile.TemporaryDirectory(prefix="t", ignore_cleanup_errors=True) as name:
        tree = Path(name, "w")
        await bench.trees.checkout(ground.tree, tree)
        job = PytestJob(
            tree=tree,
            limit_s=LIMIT_S,
            files=((bench.hidden.tests(ground.task_id).file, FILE),),
            texts=(("conftest.py", _SHUFFLE.format(seed=_drawn(seed))),),
            targets=(FILE,),
            options=("-q", "--tb=short"),
            conftest=True,
        )
        return await run_pytest(TestBench(bench.sandbox, bench.environment), job)


def _drawn(seed: int) -> int:
    """Small seeds lie close together; these don't."""
    return random.Random(seed).getrandbits(32)  # noqa: S311  # an order, no secret


def _oracle(ground: Ground) -> Oracle:
    bench = ground.bench
    return Oracle(
        OracleSetup(
            hidden=bench.hidden,
            upstream=bench.upstream,
            environment=bench.environment,
            sandbox=bench.sandbox,
            store=bench.trees,
            cache=ground.cache,
        )
    )
