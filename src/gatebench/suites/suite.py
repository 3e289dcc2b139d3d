"""What a suite is, once it has been read: plain frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gatebench.errors import UnknownName
from gatebench.model.task import Task


@dataclass(frozen=True)
class Upstream:
    """Where the library comes from: a package's sdist, or a directory of the suite.

    Exactly one of ``package`` and ``path`` is set.
    """

    package: str | None
    """Name on the package index."""
    version: str | None
    """Exact version."""
    sha256: str
    """Of the sdist's bytes; for a directory, of its names and contents."""
    path: Path | None = None
    """The directory with the library's files."""


@dataclass(frozen=True)
class EnvironmentSpec:
    """The test environment: a Python and the whole set of pinned packages."""

    python: str
    """Oldest Python that will do, e.g. ``3.11``."""
    packages: tuple[str, ...]
    """Exact pins, ``name==version``, dependencies included."""
    requirements: str
    """The text given to the package client: the pins, with hashes where the suite has them."""
    hashed: bool
    """Every pin carries hashes."""


@dataclass(frozen=True)
class LibrarySpec:
    """How the library lies in its tree."""

    package: str
    """Directory of the code, e.g. ``tinydb``."""
    tests: str
    """Directory of the library's own tests."""
    command: tuple[str, ...]
    """Arguments for the test environment's Python that run these tests, cwd the tree."""


@dataclass(frozen=True)
class Suite:
    """A library, the tasks, and what is needed to run them; no hidden test, no solution."""

    name: str
    version: str
    root: Path
    tasks: tuple[Task, ...]
    upstream: Upstream
    environment: EnvironmentSpec
    library: LibrarySpec
    injections: Mapping[str, Path]
    """Patch files by name."""
    injection_titles: Mapping[str, str]
    """What each does, a few words."""
    digest: str
    """sha256 over everything but hidden tests and solutions."""

    def task(self, task_id: str) -> Task:
        """The task of that id.

        Raises:
            UnknownName: there is none.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise UnknownName("task", task_id, tuple(task.id for task in self.tasks))

    def injection(self, name: str) -> Path:
        """The patch file of an injection.

        Raises:
            UnknownName: there is none.
        """
        if name not in self.injections:
            raise UnknownName("injection", name, tuple(self.injections))
        return self.injections[name]
