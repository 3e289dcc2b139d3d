"""Judges trees: private copies, one retry for faults of ours, no tree judged twice."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
from pydantic import TypeAdapter

from gatebench.errors import GateBenchError, OracleFault
from gatebench.model.room import raise_if_full
from gatebench.model.verdict import SuiteRun, Verdict
from gatebench.oracle import hidden_run
from gatebench.oracle.controls import new_controls
from gatebench.oracle.once import Once
from gatebench.oracle.suite_run import suite_job, suite_run_of
from gatebench.sandbox import Sandbox
from gatebench.suites import Suite, TestEnvironment
from gatebench.suites.collection import Bench as CollectingBench
from gatebench.suites.collection import expected_tests
from gatebench.suites.hidden import Hidden
from gatebench.suites.pytest_run import PytestRun
from gatebench.suites.results import Kind, Results
from gatebench.suites.stand import tree_place
from gatebench.suites.testing import Bench, PytestJob, run_pytest
from gatebench.suites.waiting import Waiters
from gatebench.workspace import TreeStore

_ATTEMPTS = 2
T = TypeVar("T")


@dataclass(frozen=True)
class OracleSetup:
    """What an oracle needs."""

    hidden: Hidden
    upstream: Path
    """The pristine library, with its own tests."""
    environment: TestEnvironment
    sandbox: Sandbox
    store: TreeStore
    cache: Path
    hidden_limit_s: float = hidden_run.LIMIT_S
    each_limit_s: float = 10.0
    """Seconds for one hidden test."""
    suite_limit_s: float = 300.0
    results: Results = field(default_factory=Results)
    """What is known of trees already."""

    @property
    def suite(self) -> Suite:
        """The suite whose tests judge."""
        return self.hidden.suite

    @property
    def bench(self) -> Bench:
        """Where tests run."""
        return Bench(self.sandbox, self.environment)


@dataclass(frozen=True)
class Judgement:
    """A verdict, and what the run printed."""

    verdict: Verdict
    log: str
    """``hidden-<n>.txt``: cleaned and capped."""


def _failing(judgement: Judgement) -> tuple[str, ...] | None:
    """The requirements that fail; ``None`` where none does."""
    return judgement.verdict.summary().failed_reqs or None


_JUDGED = Kind(
    "verdicts",
    TypeAdapter(Judgement),
    red=_failing,
    sound=lambda j: j.verdict.unscorable_reason is None,
)
_SUITE = Kind(
    "suites",
    TypeAdapter(SuiteRun),
    red=lambda run: None if run.green else (run.passed, run.failed),
    sound=lambda run: run.green is not None,
)


class Oracle:
    """Judges trees of one suite; equal trees are judged once, however many ask."""

    def __init__(self, setup: OracleSetup) -> None:
        self._setup = setup
        self._tests: Once[hidden_run.Hidden] = Once()
        self._baseline: Once[PytestRun] = Once()

    async def judge(self, tree: str, task_id: str, waiters: Waiters | None = None) -> Judgement:
        """Run a task's hidden tests on a tree, in what waits for it if anything does.

        Faults of ours are retried once, then every requirement is unscorable. Nothing is raised
        for what the tree does.

        Raises:
            SuiteError: the hidden tests don't collect on the reference.
        """
        hidden = await self._hidden(task_id)
        key = (*self._ground(tree), task_id, hidden.digest, str(self._setup.each_limit_s))
        results = self._setup.results
        bench = replace(self._setup.bench, waiters=waiters)
        make = partial(self._judge, hidden, tree, bench)
        judgement, cached = await results.get(_JUDGED, key, make)
        verdict = judgement.verdict.model_copy(update={"cached": cached})
        return Judgement(verdict, judgement.log)

    async def glance(self, tree: str, task_id: str) -> Verdict:
        """Run a task's hidden tests on a tree that we made ourselves, all in one process.

        The same tests in the same sandbox, without what guards against code that cheats: for trees
        of the suite's own solutions and nothing else.
        """
        hidden = await self._hidden(task_id)
        return (await self._judge(hidden, tree, self._setup.bench, trusted=True)).verdict

    async def run_suite(self, tree: str) -> SuiteRun:
        """Run the library's pristine tests on a tree: all of them, under pristine configuration.

        ``green`` means that every test that passes on upstream passes here too.

        Raises:
            OracleFault: the pristine tests don't run on upstream itself.
        """
        key = (*self._ground(tree), self._setup.suite.digest)
        return (await self._setup.results.get(_SUITE, key, lambda: self._run_suite(tree)))[0]

    def _ground(self, tree: str) -> tuple[str, ...]:
        """The tree, and what it runs in."""
        setup = self._setup
        return tree, setup.environment.digest, setup.sandbox.kind

    async def _hidden(self, task_id: str) -> hidden_run.Hidden:
        return (await self._tests.get(task_id, lambda: self._collect(task_id)))[0]

    async def _collect(self, task_id: str) -> hidden_run.Hidden:
        setup = self._setup
        bench = CollectingBench(setup.environment, setup.sandbox, setup.cache)
        expected = await expected_tests(setup.hidden, task_id, bench)
        tests = setup.hidden.tests(task_id)
        return hidden_run.Hidden(setup.suite.task(task_id), tests.file, tests.digest, expected)

    async def _judge(
        self, hidden: hidden_run.Hidden, tree: str, bench: Bench, *, trusted: bool = False
    ) -> Judgement:
        async def once() -> Judgement:
            controls = new_controls()
            async with self._copy(tree, bench.place(hidden_run.SHAPE)) as copy:
                job = hidden_run.hidden_job(hidden, controls, copy, trusted=trusted)
                run = await run_pytest(bench, self._limited(job))
            wrong = hidden_run.trouble(hidden, controls, run)
            if wrong:
                raise OracleFault(f"{wrong}: {run.log[-500:]}")
            log = run.log.replace(hidden_run.FILE, hidden.file.name)
            return Judgement(hidden_run.verdict_of(hidden, tree, run), log)

        try:
            return await _twice(once)
        except OracleFault as fault:
            return Judgement(hidden_run.unscorable(hidden, tree, str(fault)), str(fault))

    def _limited(self, job: PytestJob) -> PytestJob:
        setup = self._setup
        return replace(job, limit_s=setup.hidden_limit_s, each_s=setup.each_limit_s)

    async def _run_suite(self, tree: str) -> SuiteRun:
        baseline = (await self._baseline.get("upstream", self._run_upstream))[0]

        async def once() -> SuiteRun:
            async with self._copy(tree, tree_place()) as copy:
                run = await run_pytest(self._setup.bench, self._suite_job(copy))
            return suite_run_of(run, baseline)

        try:
            return await _twice(once)
        except OracleFault as fault:
            return SuiteRun(passed=None, failed=None, green=None, wall_s=0.0, log=str(fault))

    async def _run_upstream(self) -> PytestRun:
        with tempfile.TemporaryDirectory(prefix="t", ignore_cleanup_errors=True) as name:
            copy = Path(name, "w")
            await anyio.to_thread.run_sync(_copy_files, self._setup.upstream, copy)
            run = await run_pytest(self._setup.bench, self._suite_job(copy))
        if not run.green:
            raise OracleFault(f"the library's own tests fail on upstream: {run.log[-2000:]}")
        return run

    def _suite_job(self, tree: Path) -> PytestJob:
        setup = self._setup
        return suite_job(setup.suite.library, setup.upstream, tree, setup.suite_limit_s)

    @asynccontextmanager
    async def _copy(
        self, tree: str, place: AbstractAsyncContextManager[Path]
    ) -> AsyncIterator[Path]:
        """A private copy of a tree."""
        async with place as copy:
            await self._setup.store.checkout(tree, copy)
            yield copy


async def _twice(make: Callable[[], Awaitable[T]]) -> T:
    """Try again once where our own machinery failed.

    Raises:
        DiskFull: no fault of the oracle; trying again at once would be no use.
        OracleFault: it failed twice.
    """
    for attempt in range(_ATTEMPTS):
        try:
            return await make()
        except (GateBenchError, OSError) as error:
            raise_if_full(error)
            if attempt + 1 == _ATTEMPTS:
                raise OracleFault(f"the oracle failed {_ATTEMPTS} times: {error}") from error
    raise AssertionError("unreachable")


def _copy_files(source: Path, dest: Path) -> None:
    shutil.copytree(source, dest, symlinks=True, ignore=shutil.ignore_patterns(".git"))
