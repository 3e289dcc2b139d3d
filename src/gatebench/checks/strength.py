"""How strong is the oracle, task by task?

Five questions: which small changes of the reference go unnoticed, and why; are further right and
wrong implementations judged as they should be; does a right one pass every time; and on which
sentence of which prompt does each test rest.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from gatebench.checks.assertions import Resolved, read_assertions
from gatebench.checks.lanes import in_lanes
from gatebench.checks.repeats import Ground, Repeats, repeat
from gatebench.checks.survivors import Mutation, compare, read_strength, strength_path
from gatebench.checks.variants import Judged, judge_variants
from gatebench.errors import LookError, SuiteError
from gatebench.model.matrix import Choice
from gatebench.model.task import PromptVariant, Task
from gatebench.model.verdict import Outcome
from gatebench.suites.mutants import Mutant, make_mutants
from gatebench.trial.bench import Bench, Means, open_bench
from gatebench.trial.planting import plant

REPEATS = 20
AGENT = "nop"
"""Nothing here is run by an agent; this one is always there."""


@dataclass(frozen=True)
class Asked:
    """What is to be measured."""

    suite: str
    means: Means
    scratch: Path
    """An empty directory."""
    tasks: tuple[str, ...] = ()
    """Ids; empty for all."""
    repeats: int = REPEATS


@dataclass(frozen=True)
class Strength:
    """Everything about one task."""

    task: str
    mutation: Mutation
    variants: Judged
    repeats: Repeats
    assertions: Resolved
    seconds: float

    @property
    def problems(self) -> tuple[str, ...]:
        """What must be mended before the oracle can be called strong."""
        parts = (self.mutation, self.variants, self.repeats, self.assertions)
        return tuple(problem for part in parts for problem in part.problems)

    @property
    def summary(self) -> dict[str, object]:
        """The figures, for a program to read."""
        return {
            "task": self.task,
            "mutants": self.mutation.mutants,
            "killed": self.mutation.killed,
            "raw": self.mutation.raw,
            "without_equivalents": self.mutation.without_equivalents,
            "survivors": self.mutation.kinds,
            "wrong_variants": self.variants.wrong,
            "right_variants": self.variants.right,
            "repeats": self.repeats.times,
            "under_load": self.repeats.under_load,
            "tests": len(self.assertions.rows),
            "unstated": {str(v): self.assertions.unstated(v) for v in PromptVariant},
            "assertions": [row.model_dump(mode="json") for row in self.assertions.rows],
            "problems": list(self.problems),
            "seconds": round(self.seconds, 1),
        }


async def measure(asked: Asked, told: Callable[[Strength], None]) -> tuple[Strength, ...]:
    """Measure task after task, telling each as it ends.

    Raises:
        UnknownName: the suite has no such task.
        SuiteError: one of the suite's files is broken.
        LookError: cosmic-ray isn't installed.
    """
    choice = Choice(suite=asked.suite, agent=AGENT)
    found: list[Strength] = []
    async with open_bench(choice, asked.means, asked.scratch / "trees") as bench:
        for task in _tasks(bench, asked.tasks):
            strength = await _measure(bench, task, asked)
            found.append(strength)
            told(strength)
    return tuple(found)


def _tasks(bench: Bench, names: Collection[str]) -> Sequence[Task]:
    return [bench.suite.task(name) for name in names] or bench.suite.tasks


async def _measure(bench: Bench, task: Task, asked: Asked) -> Strength:
    began = time.monotonic()
    root, marks = bench.suite.root, bench.hidden.tests(task.id).marks
    assertions = read_assertions(root, task, marks)
    reference = await bench.hidden.solution_files(task.id, task.requirement_ids)
    tree = await plant(bench, await bench.settle_trees(), reference)
    await _must_pass(bench, task, tree)
    mutation = await judge_mutants(bench, task, reference)
    variants = await judge_variants(bench, task)
    repeats = await repeat(Ground(bench, asked.means.cache, task.id, tree), asked.repeats)
    return Strength(task.id, mutation, variants, repeats, assertions, time.monotonic() - began)


async def _must_pass(bench: Bench, task: Task, tree: str) -> None:
    """Where the reference itself fails, every mutant would count as killed."""
    verdict = (await bench.oracle.judge(tree, task.id)).verdict
    bad = [r for r, outcome in verdict.requirements.items() if outcome is not Outcome.PASS]
    if bad:
        raise SuiteError(
            f"{task.id}: the reference fails {', '.join(bad)}; its strength can't be measured.",
            "See what 'gatebench validate --only oracle' says.",
        )


async def judge_mutants(bench: Bench, task: Task, reference: Mapping[str, str]) -> Mutation:
    """Have the oracle judge every mutant of the reference, and hold the survivors against the list.

    Args:
        bench: shared resources.
        task: whose hidden tests judge.
        reference: the reference's changed files by path.

    Raises:
        SuiteError: ``strength/<id>.toml`` is broken.
        LookError: cosmic-ray isn't installed.
    """
    known = read_strength(bench.suite.root, task)
    pristine = await bench.settle_trees()
    before = {n: _text(bench.upstream / n) for n in reference}
    mutants = await anyio.to_thread.run_sync(make_mutants, before, reference)

    async def lives(mutant: Mutant) -> bool:
        tree = await plant(bench, pristine, {**reference, mutant.file: mutant.text})
        verdict = (await bench.oracle.judge(tree, task.id)).verdict
        if verdict.unscorable_reason is not None:
            raise LookError(f"{mutant}: no verdict: {verdict.unscorable_reason}.", "Run it again.")
        return all(outcome is Outcome.PASS for outcome in verdict.requirements.values())

    alive = await in_lanes(mutants, lives)
    survivors = [m for m, survives in zip(mutants, alive, strict=True) if survives]
    path = strength_path(bench.suite.root, task.id)
    return compare(path, known, len(mutants), survivors)


def _text(path: Path) -> str:
    return path.read_text() if path.is_file() else ""
