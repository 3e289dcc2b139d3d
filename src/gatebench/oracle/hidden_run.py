"""One run of a task's hidden tests on one tree, and the verdict that follows from it."""

import ast
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gatebench.model.task import Task
from gatebench.model.verdict import HiddenTest, Outcome, Verdict
from gatebench.oracle.controls import Controls
from gatebench.suites.pytest_run import PHASES, PytestRun
from gatebench.suites.stand import Shape
from gatebench.suites.testing import PytestJob

FILE = "test_feature.py"
"""The hidden file's name in the run: neutral."""
LIMIT_S = 120.0
SHAPE = Shape("each", writable=False)
"""Of the run on a tree that isn't ours."""
OPTIONS = ("-q", "--tb=native")
"""pytest's own way to show a failure costs 25 ms each, and most trees fail many tests."""


@dataclass(frozen=True)
class Hidden:
    """A task's hidden tests, with what is known of them in advance."""

    task: Task
    file: Path
    digest: str
    expected: Mapping[str, str]
    """Requirement by node id."""

    def local(self, node: str) -> str:
        """A node id as the run sees it."""
        return f"{FILE}::{node.partition('::')[2]}"


def hidden_job(
    hidden: Hidden, controls: Controls, tree: Path, *, trusted: bool = False
) -> PytestJob:
    """The run: our controls first, then the hidden tests.

    Each requirement's tests have processes of their own, unless the tree is ours to trust.
    """
    return PytestJob(
        tree=tree,
        limit_s=LIMIT_S,
        mode="whole" if trusted else "each",
        files=((hidden.file, FILE),),
        texts=((controls.module, controls.source),),
        targets=(controls.module, FILE),
        options=("-q", "--tb=no") if trusted else OPTIONS,
        mark="requirement",
        watch=imported_modules(hidden.file.read_text()),
        controls=controls.module,
        calibrate=controls.calibrate,
    )


def imported_modules(source: str) -> tuple[str, ...]:
    """The modules of the standard library that a test module imports anywhere."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return tuple(sorted(n for n in names if n.split(".")[0] in sys.stdlib_module_names))


def trouble(hidden: Hidden, controls: Controls, run: PytestRun) -> str | None:
    """A fault of ours, if there was one: nothing the code under test does can bring it about.

    All that is asked here happens before the first code of the tree runs.
    """
    wrong = controls.trouble(run)
    if wrong:
        return wrong
    missing = {hidden.local(node) for node in hidden.expected} - set(run.collected)
    return f"{len(missing)} hidden tests were not collected" if missing else None


def verdict_of(hidden: Hidden, tree: str, run: PytestRun) -> Verdict:
    """One verdict per requirement: pass iff all its expected tests ran and passed."""
    tests = tuple(_test(hidden, node, run) for node in hidden.expected)
    return Verdict(
        tree=tree,
        requirements={r: _outcome(r, tests, run) for r in hidden.task.requirement_ids},
        tests=tests,
        exit_code=run.exit_code,
        wall_s=run.wall_s,
        tampered=run.tampered,
    )


def unscorable(hidden: Hidden, tree: str, reason: str) -> Verdict:
    """The verdict where the oracle itself failed."""
    return Verdict(
        tree=tree,
        requirements=dict.fromkeys(hidden.task.requirement_ids, Outcome.UNSCORABLE),
        tests=(),
        exit_code=None,
        wall_s=0.0,
        unscorable_reason=reason,
    )


def _test(hidden: Hidden, node: str, run: PytestRun) -> HiddenTest:
    local = hidden.local(node)
    outcomes = {p: o for p, o in run.outcomes(local).items() if p in PHASES}
    passed = run.has_passed(local) and run.collected.count(local) == 1
    return HiddenTest(id=node, requirement=hidden.expected[node], outcomes=outcomes, passed=passed)


def _outcome(requirement: str, tests: tuple[HiddenTest, ...], run: PytestRun) -> Outcome:
    mine = [test for test in tests if test.requirement == requirement]
    # A run cut short at its deadline did not end well, but what had passed by then has passed;
    # one that claims to have ended must agree with its exit code.
    honest = run.ended or run.exit_code != 0
    return Outcome.PASS if honest and mine and all(t.passed for t in mine) else Outcome.FAIL
