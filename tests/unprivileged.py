"""Run Python as an ordinary user, where the tests run as root.

No user is added to the system: the id is just dropped to. The checkout, its interpreter and the
cache may lie where others can't pass (root's home); so an outer bwrap, still root's, shows them at
their own paths behind open directories, the cache as a copy that belongs to the user.
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from gatebench.sandbox.program import find_program

ROOT = Path(__file__).resolve().parent.parent
UID = 61_234
"""From the range that no distribution gives to people; any will do."""


@dataclass(frozen=True)
class Ordinary:
    """An ordinary user with a home of its own."""

    home: Path
    cache: Path
    """As the user sees it."""
    outer: tuple[str, ...]

    def python(
        self, *argv: str, env: Mapping[str, str] | None = None, limit_s: float = 240
    ) -> "subprocess.CompletedProcess[str]":
        """Run this environment's Python as the user, in the checkout."""
        told = {
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": str(self.home / "tmp"),
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.home / "tmp"),
            "GATEBENCH_CACHE": str(self.cache),
            **(env or {}),
        }
        command = (*self.outer, sys.executable, *argv)
        return subprocess.run(
            command,
            cwd=ROOT,
            env=told,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )


@contextmanager
def ordinary_user(cache: Path) -> Iterator[Ordinary]:
    """An ordinary user whose cache is a copy of one that has been filled.

    Skips the test where it doesn't run as root, or the id can't be changed.
    """
    program = find_program()
    if os.geteuid() != 0 or program is None or shutil.which("setpriv") is None:
        pytest.skip("another user takes root, setpriv and bwrap")
    # Not below pytest's directory, which is closed to others.
    home = Path(tempfile.mkdtemp(prefix=""))
    try:
        (home / "tmp").mkdir()
        mine = home / "cache"
        shutil.copytree(cache, mine, symlinks=True, ignore=shutil.ignore_patterns("programs"))
        subprocess.run(("chown", "-R", f"{UID}:{UID}", str(home)), check=True)
        seen = ((ROOT, ROOT), (Path(sys.base_prefix), Path(sys.base_prefix)), (mine, cache))
        drop = ("setpriv", "--reuid", str(UID), "--regid", str(UID), "--clear-groups")
        outer = (program.path, "--dev-bind", "/", "/", *_opened(seen), "--", *drop)
        yield Ordinary(home, cache, outer)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _opened(seen: tuple[tuple[Path, Path], ...]) -> Iterator[str]:
    """bwrap's arguments that show (source, target) pairs wherever they lie."""
    closed = {c for _, target in seen if (c := _closed_above(target)) is not None}
    for folder in sorted(closed):
        yield from ("--perms", "0755", "--tmpfs", str(folder))
    for source, target in seen:
        for folder in reversed(target.parents):
            if any(folder.is_relative_to(c) and folder != c for c in closed):
                yield from ("--perms", "0755", "--dir", str(folder))
        yield from ("--bind", str(source), str(target))


def _closed_above(path: Path) -> Path | None:
    """The outermost directory above a path that others can't pass."""
    above = reversed(path.parents)
    return next((p for p in above if p.exists() and not p.stat().st_mode & stat.S_IXOTH), None)
