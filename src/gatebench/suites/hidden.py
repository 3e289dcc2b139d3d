"""The only door to hidden tests and solutions; oracle, checks and trial alone may use it."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from gatebench.errors import SuiteError
from gatebench.model.blueprint import Blueprint
from gatebench.model.material import TaskMaterial
from gatebench.model.task import Task
from gatebench.suites.files import digest_files, files_below, read_text, read_toml, validate
from gatebench.suites.format import TeamFile
from gatebench.suites.loader import HIDDEN_PARTS
from gatebench.suites.marks import read_marks
from gatebench.suites.solutions import Source, check_blueprint, check_material, check_on_upstream
from gatebench.suites.suite import Suite

_MISSING = "Add it; docs/suites.md says what it holds."


@dataclass(frozen=True)
class HiddenTests:
    """The hidden tests of one task."""

    file: Path
    """The pytest module; runs by itself with the tree on ``PYTHONPATH``."""
    digest: str
    """sha256 of the file."""
    marks: Mapping[str, frozenset[str]]
    """Requirements by test function, read from the source."""


@dataclass(frozen=True)
class HiddenTask:
    """One task's hidden half."""

    task: Task
    tests: HiddenTests
    blueprint: Blueprint
    second: Blueprint | None
    material: TaskMaterial | None


@dataclass(frozen=True)
class Hidden:
    """The hidden half of a suite, read and checked."""

    suite: Suite
    digest: str
    """sha256 over all hidden tests and solutions."""
    upstream: Path | None
    """The fetched library, where the caller had it."""
    _tasks: Mapping[str, HiddenTask] = field(repr=False)

    def tests(self, task_id: str) -> HiddenTests:
        """A task's hidden tests; `expected_tests` tells their node ids."""
        return self._of(task_id).tests

    def blueprint(self, task_id: str) -> Blueprint:
        """How the tree of any subset of a task's requirements is built."""
        return self._of(task_id).blueprint

    def second(self, task_id: str) -> Blueprint:
        """A second, independently written correct solution.

        Raises:
            SuiteError: the suite has none for this task.
        """
        second = self._of(task_id).second
        if second is None:
            path = self.suite.root / "solutions" / f"{task_id}.second.toml"
            raise SuiteError(f"{path}: missing.", _MISSING)
        return second

    def material(self, task_id: str) -> TaskMaterial | None:
        """The simulated team's material; ``None`` where the task runs live only."""
        return self._of(task_id).material

    async def solution_files(self, task_id: str, satisfied: Iterable[str]) -> dict[str, str]:
        """The changed files, by path, of the tree that satisfies just these requirements.

        Raises:
            SuiteError: the solution doesn't fit upstream, or `load_hidden` wasn't told where
                upstream lies.
        """
        return await anyio.to_thread.run_sync(
            self._apply, self.blueprint(task_id), tuple(satisfied)
        )

    async def second_files(self, task_id: str) -> dict[str, str]:
        """The changed files, by path, of the second solution's tree."""
        return await anyio.to_thread.run_sync(self._apply, self.second(task_id), ())

    def _apply(self, blueprint: Blueprint, satisfied: tuple[str, ...]) -> dict[str, str]:
        if self.upstream is None:
            raise SuiteError(
                f"{self.suite.root}: solutions can't be built without the library.",
                "Fetch it first and hand it to load_hidden.",
            )
        return blueprint.apply(_pristine(self.upstream, (blueprint,)), satisfied)

    def _of(self, task_id: str) -> HiddenTask:
        return self._tasks[self.suite.task(task_id).id]


def load_hidden(suite: Suite, upstream: Path | None = None) -> Hidden:
    """Read and check a suite's hidden tests, solutions and team material.

    Args:
        suite: the suite.
        upstream: the fetched library (`fetch_upstream`); needed to build solutions, and with
            it every edit is checked against the library's files.

    Raises:
        SuiteError: something is missing or doesn't fit; names file, field and remedy.
    """
    tasks = {task.id: _read(suite, task) for task in suite.tasks}
    if upstream is not None:
        for item in tasks.values():
            _check_fit(suite, item, upstream)
    files = [
        p for p in files_below(suite.root) if p.relative_to(suite.root).parts[0] in HIDDEN_PARTS
    ]
    return Hidden(suite, digest_files(suite.root, files), upstream, tasks)


def _read(suite: Suite, task: Task) -> HiddenTask:
    """One task's hidden half."""
    path = suite.root / "hidden" / f"test_{task.id}.py"
    source = read_text(path, _MISSING)
    digest = hashlib.sha256(source.encode()).hexdigest()
    blueprint = _blueprint(_solution(suite, task), conditional=True)
    second = _solution(suite, task, ".second")
    return HiddenTask(
        task=task,
        tests=HiddenTests(path, digest, read_marks(path, source, task)),
        blueprint=blueprint,
        second=_blueprint(second, conditional=False) if second.path.is_file() else None,
        material=_material(suite, task, blueprint),
    )


def _solution(suite: Suite, task: Task, which: str = "") -> Source:
    """Where a solution stands."""
    return Source(suite.root / "solutions" / f"{task.id}{which}.toml", task)


def _blueprint(source: Source, *, conditional: bool) -> Blueprint:
    """A solution file, its directives checked."""
    blueprint = validate(source.path, Blueprint, read_toml(source.path, _MISSING))
    check_blueprint(blueprint, source, conditional=conditional)
    return blueprint


def _material(suite: Suite, task: Task, blueprint: Blueprint) -> TaskMaterial | None:
    """The team's file, where there is one."""
    source = Source(suite.root / "team" / f"{task.id}.toml", task)
    if not source.path.is_file():
        return None
    file = validate(source.path, TeamFile, read_toml(source.path, _MISSING))
    material = TaskMaterial(
        task=task.id,
        blueprint=blueprint,
        imports=file.imports,
        requirements=file.requirements,
        false_findings=file.false_findings,
        minor_findings=file.minor_findings,
        summaries=file.summaries,
    )
    check_material(material, source)
    return material


def _check_fit(suite: Suite, item: HiddenTask, upstream: Path) -> None:
    """Both solutions must fit the fetched library."""
    for which, blueprint in (("", item.blueprint), (".second", item.second)):
        if blueprint is not None:
            source = _solution(suite, item.task, which)
            check_on_upstream(blueprint, source, _pristine(upstream, (blueprint,)))


def _pristine(upstream: Path, blueprints: Iterable[Blueprint]) -> dict[str, str]:
    """The text of the library's files that the edits name; what isn't there is left out."""
    names = {edit.file for blueprint in blueprints for edit in blueprint.edits}
    return {
        name: read_text(upstream / name, _MISSING)
        for name in sorted(names)
        if (upstream / name).is_file()
    }
