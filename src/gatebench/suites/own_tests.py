"""How the library's own tests are run through our runner."""

from pathlib import Path

from gatebench.errors import SuiteError
from gatebench.suites.stand import Shape
from gatebench.suites.suite import LibrarySpec
from gatebench.suites.testing import PytestJob

OWN = Shape("whole", writable=True)
"""Of a run of a snapshot's own tests."""


def split_command(library: LibrarySpec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The suite's command as pytest options and targets (paths below the library's tree).

    Raises:
        SuiteError: the command isn't ``-m pytest …``.
    """
    command = library.command
    if command[:2] != ("-m", "pytest"):
        raise SuiteError(
            f"suite.toml: field 'library.command': '{' '.join(command)}' doesn't run pytest.",
            'Begin it with ["-m", "pytest"].',
        )
    rest = command[2:]
    targets = tuple(word for word in rest if _below(word, library.tests))
    return tuple(word for word in rest if word not in targets), targets or (library.tests,)


def own_job(library: LibrarySpec, copy: Path, limit_s: float) -> PytestJob:
    """A snapshot's own copy of the suite, up to the first failure.

    Args:
        library: how the library lies in its tree.
        copy: of the snapshot, to be used up.
        limit_s: seconds.
    """
    options, targets = split_command(library)
    return PytestJob(
        tree=copy,
        limit_s=limit_s,
        targets=targets,
        # A second -q would take the last line away, which counts what failed.
        options=(*options, "-x", *(() if "-q" in options else ("-q",))),
        conftest=True,
        writable=True,
    )


def _below(word: str, tests: str) -> bool:
    return word == tests or word.startswith(f"{tests}/")
