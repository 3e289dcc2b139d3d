"""How the library's own tests are run through our runner."""

from gatebench.errors import SuiteError
from gatebench.suites.suite import LibrarySpec


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


def _below(word: str, tests: str) -> bool:
    return word == tests or word.startswith(f"{tests}/")
