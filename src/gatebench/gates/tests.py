"""Gate 1, behaviour tests: the library's suite and the acceptance tests, both on the snapshot."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from gatebench.gates.acceptance import ASIDE, AcceptanceRun, run_acceptance, run_started
from gatebench.gates.base import Ground, StopView
from gatebench.gates.checkout import checkout, scratch_copy
from gatebench.gates.runner import side_by_side
from gatebench.gates.settings import read_settings
from gatebench.gates.writer import WriterRecord, Written, write_tests
from gatebench.model.base import Record
from gatebench.model.score import WriterOutcome
from gatebench.model.stop import GateResult, GateStatus
from gatebench.suites.own_tests import OWN, own_job
from gatebench.suites.pytest_run import PytestRun
from gatebench.suites.results import Kind
from gatebench.suites.stand import Shape
from gatebench.suites.testing import Bench

TAIL_LINES = 40
_NAMES_CHARS = 350
_TAILS_CHARS = 1_050


class TestsSettings(Record):
    """Settings of the gate ``tests``."""

    __test__ = False

    suite_s: float = 300.0
    """Limit of the library's suite, seconds."""
    acceptance_s: float = 300.0
    """Limit of the acceptance tests, seconds."""
    writer: bool = True
    """Whether acceptance tests are written at all."""


@dataclass(frozen=True)
class Ran:
    """Both runs on one tree."""

    suite: PytestRun
    acceptance: AcceptanceRun | None
    """``None`` without acceptance tests."""
    cached: bool = False
    """Both results were known already."""

    @property
    def wall_s(self) -> float:
        """What they took when they were run, side by side."""
        acceptance = self.acceptance.wall_s if self.acceptance else 0.0
        return round(max(self.suite.wall_s, acceptance), 3)

    @property
    def red(self) -> bool:
        """Whether either blocks."""
        return not self.suite.green or (self.acceptance is not None and self.acceptance.red)


_SUITE = Kind(
    "gate-suites",
    TypeAdapter(PytestRun),
    red=lambda run: None if run.green else run.failed_ids,
    sound=lambda run: run.started,
)
_ACCEPTANCE = Kind(
    "gate-acceptance",
    TypeAdapter(AcceptanceRun),
    red=lambda run: run.failed_ids if run.red else None,
    confirmed=lambda run: run.again is not None,
)


class TestsGate:
    """The gate ``tests``; made for one trial."""

    __test__ = False
    name = "tests"

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._settings = read_settings(TestsSettings, self.name, ground.settings)
        self._bench = Bench(ground.sandbox, ground.environment, ground.waiters)
        self._written: Written | None = None
        self._fail_final: int | None = None

    @property
    def writer_outcome(self) -> WriterOutcome | None:
        """What the test writer left; ``None`` where it wasn't asked."""
        return self._written.outcome(self._fail_final) if self._written else None

    @property
    def runs(self) -> tuple[Shape, ...]:
        """The runs of pytest that a stop begins with, side by side."""
        return (OWN,) if self._source is None else (OWN, ASIDE)

    async def prepare(self) -> None:
        """Have the acceptance tests written.

        Raises:
            GateFault: a fault of ours.
        """
        if not self._settings.writer:
            return
        self._written = written = await write_tests(self._ground)
        self._ground.write("testwriter.json", written.record.model_dump_json(indent=2) + "\n")
        if written.source is not None:
            self._ground.write("gate_tests/test_acceptance.py", written.source)

    async def recall(self) -> None:
        """Take up the acceptance tests that were written before the interruption."""
        record = self._ground.read("testwriter.json")
        source = self._ground.read("gate_tests/test_acceptance.py")
        if record is not None:
            text = None if source is None else source.decode()
            self._written = Written(WriterRecord.model_validate_json(record), text)

    async def check(self, stop: StopView) -> GateResult:
        """Run suite and acceptance tests side by side; red in either blocks.

        Raises:
            GateFault: a fault of ours.
        """
        ran = await self._run(stop.tree)
        self._ground.write(f"gate1-{stop.n}.txt", ran.suite.log)
        if ran.acceptance is not None:
            self._ground.write(f"gatetests-{stop.n}.txt", ran.acceptance.log)
        touched = await self._touched(stop.tree)
        return GateResult(
            name=self.name,
            status=GateStatus.RED if ran.red else GateStatus.PASS,
            wall_s=ran.wall_s if ran.cached else None,
            cached=ran.cached,
            reason=reason_of(ran) if ran.red else "",
            detail={**_detail(ran), "tests_touched": touched},
        )

    async def last(self, tree: str) -> None:
        """Run the acceptance tests on the final tree.

        Raises:
            GateFault: a fault of ours.
        """
        if self._source is None:
            return
        final = (await self._acceptance(tree))[0]
        if final is not None:
            self._fail_final = final.failed
            self._ground.write("gatetests-final.txt", final.log)

    @property
    def _source(self) -> str | None:
        return self._written.source if self._written else None

    async def _run(self, tree: str) -> Ran:
        suites: list[tuple[PytestRun, bool]] = []
        acceptances: list[tuple[AcceptanceRun | None, bool]] = []

        async def suite() -> None:
            suites.append(await self._suite(tree))

        async def acceptance() -> None:
            acceptances.append(await self._acceptance(tree))

        await side_by_side(suite, acceptance)
        (ran, known), (accepted, accepted_known) = suites[0], acceptances[0]
        return Ran(ran, accepted, cached=known and accepted_known)

    async def _suite(self, tree: str) -> tuple[PytestRun, bool]:
        """The snapshot's own copy of the suite, and whether its result was known already."""
        library, limit_s = self._ground.suite.library, self._settings.suite_s
        key = (*self._where(tree), *library.command, library.tests, str(limit_s))
        return await self._ground.results.get(_SUITE, key, lambda: self._run_suite(tree))

    async def _acceptance(self, tree: str) -> tuple[AcceptanceRun | None, bool]:
        """The acceptance tests, and whether their result was known already."""
        source = self._source
        if source is None:
            return None, True
        digest = hashlib.sha256(source.encode()).hexdigest()
        key = (*self._where(tree), digest, str(self._settings.acceptance_s))
        return await self._ground.results.get(
            _ACCEPTANCE, key, lambda: self._run_acceptance(tree, source)
        )

    def _where(self, tree: str) -> tuple[str, ...]:
        return tree, self._ground.environment.digest, self._ground.sandbox.kind

    async def _run_suite(self, tree: str) -> PytestRun:
        """In a copy that it may write to."""
        async with scratch_copy(self._ground.trees, tree, self._bench.place(OWN)) as copy:
            job = own_job(self._ground.suite.library, copy, self._settings.suite_s)
            return await run_started(self._bench, job)

    async def _run_acceptance(self, tree: str, source: str) -> AcceptanceRun:
        async with checkout(self._ground.trees, tree, self._bench.place(ASIDE)) as copy:
            return await run_acceptance(self._bench, source, copy, self._settings.acceptance_s)

    async def _touched(self, tree: str) -> bool:
        """Whether the library's tests were changed: logged, decides nothing."""
        changed = await self._ground.trees.changed(self._ground.start_tree, tree)
        tests = self._ground.suite.library.tests
        return any(path == tests or path.startswith(f"{tests}/") for path in changed)


def _detail(ran: Ran) -> dict[str, Any]:
    acceptance = ran.acceptance
    failing = (*ran.suite.failed_ids, *(acceptance.failed_ids if acceptance else ()))
    return {
        "suite_pass": ran.suite.passed,
        "suite_fail": ran.suite.failed,
        "suite_timed_out": ran.suite.timed_out,
        "gate_tests_present": acceptance is not None,
        "gate_tests_pass": acceptance.passed if acceptance else None,
        "gate_tests_fail": acceptance.failed if acceptance else None,
        "gate_tests_flaky": list(acceptance.flaky) if acceptance else None,
        "gate_tests_timed_out": acceptance.run.timed_out if acceptance else None,
        "failing": list(failing),
    }


def reason_of(ran: Ran) -> str:
    """What failed, the acceptance tests' last lines, then the suite's."""
    acceptance = ran.acceptance if ran.acceptance and ran.acceptance.red else None
    suite = None if ran.suite.green else ran.suite
    room = _TAILS_CHARS // (2 if acceptance and suite else 1)
    parts = []
    if acceptance:
        failed = acceptance.failed_ids
        parts.append(_part("Acceptance tests", failed, acceptance.run, acceptance.tail_log, room))
    if suite:
        parts.append(_part("The project's tests", suite.failed_ids, suite, suite.log, room))
    return "\n\n".join(parts)


def _part(what: str, failed: Iterable[str], run: PytestRun, log: str, room: int) -> str:
    names = ", ".join(failed)
    if len(names) > _NAMES_CHARS:
        names = names[:_NAMES_CHARS] + "…"
    verb = "did not finish in time" if run.timed_out else "fail"
    lines = "\n".join(log.strip().splitlines()[-TAIL_LINES:])
    return f"{what} {verb}{f': {names}' if names else '.'}\n{lines[-room:]}"
