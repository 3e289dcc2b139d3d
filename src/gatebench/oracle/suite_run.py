"""One run of the library's pristine tests on a tree, and what follows from it."""

from pathlib import Path

from gatebench.errors import OracleFault
from gatebench.model.verdict import SuiteRun
from gatebench.suites.own_tests import split_command
from gatebench.suites.pytest_run import PytestRun
from gatebench.suites.suite import LibrarySpec
from gatebench.suites.testing import PytestJob


def suite_job(library: LibrarySpec, upstream: Path, tree: Path, limit_s: float) -> PytestJob:
    """The pristine tests from outside the tree, so that nothing of the tree's own replaces them.

    The tree's ``conftest.py``, ``pytest.ini``, ``tox.ini``, ``setup.cfg`` and ``pyproject.toml``
    are not read: configuration and conftest come from beside the pristine tests.
    """
    options, targets = split_command(library)
    return PytestJob(
        tree=tree,
        limit_s=limit_s,
        files=((upstream / library.tests, library.tests),),
        targets=targets,
        options=options,
        conftest=True,
        writable=True,
    )


def suite_run_of(run: PytestRun, baseline: PytestRun) -> SuiteRun:
    """The record of one run.

    Args:
        run: the run on the tree.
        baseline: the same tests on upstream; each that passed there must pass here.

    Raises:
        OracleFault: our own program did not start.
    """
    if not run.started and not run.timed_out:
        raise OracleFault(f"the test program did not start: {run.log[-500:]}")
    failed = set(run.failed_ids) | (set(baseline.passed_ids) - set(run.passed_ids))
    return SuiteRun(
        passed=run.passed,
        failed=len(failed),
        green=not failed and run.green and not run.tampered,
        wall_s=run.wall_s,
        log=run.log,
    )
