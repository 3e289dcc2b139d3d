"""After a trial: what each block's complaints are about, so that luck is told from judgement.

Nothing waits for it and no score depends on it: it reads what the trial filed, runs the acceptance
tests once on the reference and on each leave-one-out tree, and files ``triage-<n>.json``.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gatebench.errors import HarnessFault
from gatebench.gates.acceptance import run_acceptance
from gatebench.gates.checkout import scratch_copy
from gatebench.model.reasons import (
    Clue,
    FindingMatch,
    TestFate,
    Triage,
    failing_tests,
    fate,
    findings_of,
    match_finding,
)
from gatebench.model.stop import Decision, StopRecord
from gatebench.model.task import Task
from gatebench.oracle.once import Once
from gatebench.store.triage import triage_name
from gatebench.store.trial_dir import TrialDir
from gatebench.suites.testing import Bench as TestBench
from gatebench.trial.bench import Bench

ACCEPTANCE = "gate_tests/test_acceptance.py"
LEFT_OUT = str | None
"""A requirement, or ``None`` for the reference itself."""


@dataclass
class Triagist:
    """Triages trials of one bench; trees and runs are shared by all that ask.

    One for a job: no acceptance file is run twice on the same tree.
    """

    bench: Bench
    _trees: Once[str] = field(default_factory=Once)
    _runs: Once[frozenset[str]] = field(default_factory=Once)
    _clues: Once[dict[str, Clue]] = field(default_factory=Once)

    async def triage(self, home: TrialDir) -> tuple[Triage, ...]:
        """Triage a finished trial's stops that said no, and file what was found.

        Stops that are triaged already are left alone; a fault of ours leaves tests unknown.
        """
        task = self.bench.suite.task(home.id.task)
        spoken = [stop for stop in home.stops() if _said_no(stop)]
        return tuple([await self._file(home, task, stop) for stop in spoken])

    async def _file(self, home: TrialDir, task: Task, stop: StopRecord) -> Triage:
        name = triage_name(stop.n)
        path = home.path / name
        if path.exists():
            return Triage.model_validate_json(path.read_bytes())
        found = Triage(
            n=stop.n,
            tree=stop.tree,
            tests=await self._tests(home, task, stop),
            findings=await self._findings(task, stop),
            suite_failing=failing_tests(stop)[1],
        )
        home.save(name, found)
        return found

    async def _tests(
        self, home: TrialDir, task: Task, stop: StopRecord
    ) -> tuple[TestFate, ...] | None:
        failing, _ = failing_tests(stop)
        path = home.path / ACCEPTANCE
        if not failing or not path.exists():
            return None
        source = path.read_text(encoding="utf-8")
        try:
            passing = {r: await self._passing(task, source, r) for r in _left_out(task)}
        except HarnessFault:
            return None
        return tuple(fate(test, passing) for test in failing)

    async def _passing(self, task: Task, source: str, left_out: LEFT_OUT) -> frozenset[str]:
        """Ids of the acceptance tests that pass on one tree of known truth."""

        async def run() -> frozenset[str]:
            tree = await self._tree(task, left_out)
            async with scratch_copy(self.bench.trees, tree) as copy:
                bench = TestBench(self.bench.sandbox, self.bench.environment)
                ran = await run_acceptance(bench, source, copy)
            return frozenset((*ran.run.passed_ids, *ran.flaky))

        digest = hashlib.sha256(source.encode()).hexdigest()
        found, _ = await self._runs.get((digest, task.id, left_out), run)
        return found

    async def _tree(self, task: Task, left_out: LEFT_OUT) -> str:
        async def plant() -> str:
            subset = frozenset(task.requirement_ids) - {left_out}
            files = await self.bench.hidden.solution_files(task.id, subset)
            pristine = await self.bench.settle_trees()
            return await self.bench.trees.add_files(
                pristine, {path: text.encode() for path, text in files.items()}
            )

        tree, _ = await self._trees.get((task.id, left_out), plant)
        return tree

    async def _findings(self, task: Task, stop: StopRecord) -> tuple[FindingMatch, ...]:
        given = list(findings_of(stop))
        if not given:
            return ()
        clues, _ = await self._clues.get(task.id, lambda: self._clues_of(task))
        sources = await self._sources(stop, {said.finding.file for said in given})
        return tuple(
            FindingMatch(
                gate=said.gate,
                finding=said.finding,
                requirements=match_finding(said.finding, clues, sources.get(said.finding.file)),
                blocked=said.blocked,
            )
            for said in given
        )

    async def _sources(self, stop: StopRecord, paths: Iterable[str]) -> Mapping[str, str]:
        """The text of files in the snapshot, as far as they are there."""
        found = {}
        for path in paths if stop.tree else ():
            data = await self.bench.trees.read(str(stop.tree), path)
            if data is not None:
                found[path] = data.decode(errors="replace")
        return found

    async def _clues_of(self, task: Task) -> dict[str, Clue]:
        """What each requirement is known by: its text, the suite's wordings, the lines."""
        material = self.bench.hidden.material(task.id)
        whole = await self.bench.hidden.solution_files(task.id, task.requirement_ids)
        clues = {}
        for requirement in task.requirements:
            own = material.requirements[requirement.id] if material else None
            subset = frozenset(task.requirement_ids) - {requirement.id}
            without = await self.bench.hidden.solution_files(task.id, subset)
            file, lines = _only_without(whole, without)
            clues[requirement.id] = Clue(
                text=requirement.text,
                wordings=own.findings if own else (),
                file=own.file if own else file,
                lines=lines,
            )
        return clues


def _said_no(stop: StopRecord) -> bool:
    """Whether a gate said no, or a reviewer anything at all."""
    no = stop.decision in {Decision.BLOCK, Decision.GIVE_UP}
    return no or any(True for _ in findings_of(stop))


def _left_out(task: Task) -> tuple[LEFT_OUT, ...]:
    return (None, *task.requirement_ids)


def _only_without(
    whole: Mapping[str, str], without: Mapping[str, str]
) -> tuple[str | None, frozenset[str]]:
    """The first file that differs, and the lines in it that the reference doesn't have."""
    for path, text in without.items():
        lines = {line.strip() for line in text.splitlines()}
        only = lines - {line.strip() for line in whole.get(path, "").splitlines()} - {""}
        if only:
            return path, frozenset(only)
    return None, frozenset()
