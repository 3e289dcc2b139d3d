"""Two versions of each changed file, side by side."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from .facts import Facts, facts_of

PLANTED = frozenset({"sitecustomize.py", "usercustomize.py", "pytest.py"})
CONFIGS = frozenset({"pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"})
CHOOSES = re.compile(
    r"^\s*(addopts|python_files|python_classes|python_functions|testpaths|norecursedirs)\s*="
)
Found = tuple[str, int | None, str]
"""Path, line (the snapshot's, or the start tree's for what is gone), words."""
Texts = tuple[str | None, str | None]
"""Before and after, as latin-1 of the file's bytes; ``None`` where there is no file."""


def look(tests: str, files: Mapping[str, Texts]) -> tuple[list[Found], list[str]]:
    """All findings, and the files that could not be read.

    Args:
        tests: directory of the library's tests.
        files: the changed files by path.
    """
    findings: list[Found] = []
    unread: list[str] = []
    moves = _Moves()
    for path, (before, after) in sorted(files.items()):
        findings += _planted(path, before, after)
        if not path.endswith(".py"):
            continue
        is_test = _is_test(path, tests)
        old, new = facts_of(before) or Facts(), facts_of(after)
        if new is None:
            unread.append(path)
            if is_test:
                findings.append((path, None, "this test file can't be read as Python any more"))
            continue
        findings += _new_spots(path, old, new, is_test=is_test)
        if is_test:
            findings += _weaker(path, old, new)
            moves.take(path, old, new)
    return sorted([*findings, *moves.deleted()], key=lambda f: (f[0], f[1] or 0)), unread


class _Moves:
    """Tells tests that were deleted from tests that were moved."""

    def __init__(self) -> None:
        self._gone: list[tuple[str, str, int]] = []
        self._added: Counter[str] = Counter()

    def take(self, path: str, old: Facts, new: Facts) -> None:
        """Note what a file lost and gained."""
        lost = ((name, line) for name, (line, _) in old.tests.items() if name not in new.tests)
        self._gone += [(path, name, line) for name, line in lost]
        self._added.update(_last(name) for name in new.tests if name not in old.tests)

    def deleted(self) -> Iterator[Found]:
        """What is nowhere any more."""
        for path, name, line in self._gone:
            if self._added[_last(name)]:
                self._added[_last(name)] -= 1
            else:
                yield path, line, f"the test {name} was deleted"


def _is_test(path: str, tests: str) -> bool:
    name = PurePosixPath(path).name
    below = path.startswith(f"{tests}/")
    return below or name.startswith("test_") or name.endswith("_test.py") or _is_conftest(path)


def _is_conftest(path: str) -> bool:
    return PurePosixPath(path).name == "conftest.py"


def _last(name: str) -> str:
    return name.rpartition(".")[2]


WORDS = {
    "skip": "{} was added: tests that are left out or may fail say nothing",
    "exit": "{} was added: it can end a test run before its results are in",
    "hook": "{} was added to conftest.py: it can change what tests are run or what they say",
    "equal": "{} says the same of every value: comparisons with it can't fail",
}


def _new_spots(path: str, old: Facts, new: Facts, *, is_test: bool) -> Iterator[Found]:
    """What is there more often than before; of several the last are taken for the new ones."""
    before = Counter(what for what, _ in old.spots)
    after = Counter(what for what, _ in new.spots)
    for what, more in (after - before).items():
        kind, _, name = what.partition(":")
        if (kind == "skip" and not is_test) or (kind == "hook" and not _is_conftest(path)):
            continue
        lines = sorted(line for seen, line in new.spots if seen == what)
        for line in lines[-more:]:
            yield path, line, WORDS[kind].format(name)


def _weaker(path: str, old: Facts, new: Facts) -> Iterator[Found]:
    for name, (_, had) in old.tests.items():
        line, has = new.tests.get(name, (0, had))
        if has < had:
            yield path, line, f"the test {name} checks less: {has} of {had} checks are left"


def _planted(path: str, before: str | None, after: str | None) -> Iterator[Found]:
    if after is None:
        return
    parts = PurePosixPath(path).parts
    planted = parts[-1] in PLANTED or parts[-1].endswith(".pth") or parts[0] == "_pytest"
    if planted and before is None:
        yield path, None, "Python or pytest loads this file by itself; it has no place here"
    if parts[-1] in CONFIGS:
        known = set((before or "").splitlines())
        for number, line in enumerate(after.splitlines(), start=1):
            if CHOOSES.match(line) and line not in known:
                yield path, number, "this changes which tests are run"


def main() -> None:
    """Read ``{"tests": …, "files": {path: [before, after]}}`` as JSON, write what was found."""
    given = json.load(sys.stdin)
    found, unread = look(given["tests"], given["files"])
    json.dump({"findings": found, "unread": unread}, sys.stdout)
