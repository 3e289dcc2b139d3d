"""What the tests of this room share: the shipped suite, its library and its environment."""

import functools
import json
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import anyio
import pytest

from gatebench.model.blueprint import Blueprint
from gatebench.suites import (
    Suite,
    TestEnvironment,
    build_environment,
    fetch_upstream,
    load_suite,
)
from gatebench.suites.hidden import Hidden, load_hidden

RUNNER = Path(__file__).with_name("suite_runner.py")


@dataclass(frozen=True)
class Outcome:
    """One test file on one tree."""

    passed: dict[str, bool]
    marks: dict[str, list[str]]

    def requirements(self) -> frozenset[str]:
        """Those all of whose tests passed."""
        known = {mark for marks in self.marks.values() for mark in marks}
        failed = {self.marks[test][0] for test, passed in self.passed.items() if not passed}
        return frozenset(known - failed)

    def failed_names(self) -> frozenset[str]:
        """Function names of the tests that didn't pass, parameters left out."""
        failed = (test for test, passed in self.passed.items() if not passed)
        return frozenset(test.partition("::")[2].partition("[")[0] for test in failed)


@dataclass(frozen=True)
class Ground:
    """The shipped suite made ready."""

    suite: Suite
    upstream: Path
    environment: TestEnvironment
    hidden: Hidden
    cache: Path

    @property
    def python(self) -> Path:
        return self.environment.root / "bin" / "python"

    def tree(self, place: Path, blueprint: Blueprint, satisfied: Iterable[str]) -> Path:
        """A tree of the library with a solution applied."""
        package = self.suite.library.package
        shutil.copytree(self.upstream / package, place / package)
        names = {edit.file for edit in blueprint.edits}
        pristine = {n: (place / n).read_text() for n in names if (place / n).exists()}
        for name, text in blueprint.apply(pristine, satisfied).items():
            (place / name).write_text(text)
        return place

    def run(self, file: Path, trees: list[Path]) -> list[Outcome]:
        """Run one test file on each tree."""
        asked = json.dumps({"file": str(file), "trees": [str(tree) for tree in trees]})
        argv = (str(self.python), "-I", "-B", str(RUNNER))
        subprocess.run(argv, input=asked, text=True, check=True, timeout=300)
        return [Outcome(**json.loads((t / "results.json").read_text())) for t in trees]


def subsets(ids: Iterable[str]) -> list[frozenset[str]]:
    """All 2ⁿ of them, the smallest first."""
    ids = tuple(ids)
    return [frozenset(c) for n in range(len(ids) + 1) for c in combinations(ids, n)]


@functools.cache
def prepared(cache: Path) -> Ground:
    """The shipped suite, fetched and built into a fresh cache once in a test session."""
    suite = load_suite("tinydb")
    upstream = anyio.run(fetch_upstream, suite, cache)
    environment = anyio.run(build_environment, suite, cache)
    return Ground(suite, upstream, environment, load_hidden(suite, upstream), cache)


def shared_ground(factory: pytest.TempPathFactory) -> Ground:
    """`prepared` in the session's own temporary directory."""
    cache = factory.getbasetemp() / "shared-cache"
    cache.mkdir(exist_ok=True)
    return prepared(cache)
