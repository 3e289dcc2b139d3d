"""The CLI of the first experiment from npm, pinned by the lock file beside this one."""

import fcntl
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from gatebench.cli import place

OLDER = "2.1.293"
HERE = Path(__file__).parent


@cache
def older_cli() -> Path:
    """The program, installed once into the user's cache; skips the test where npm can't."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm isn't here, and the older CLI is an npm package")
    home = place.cache() / f"claude-{OLDER}"
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _found(home) if (home / "done").exists() else _installed(npm, home)


def _installed(npm: str, home: Path) -> Path:
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(HERE / name, home / name)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(
        command, cwd=home, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        pytest.skip(f"npm could not install the older CLI: {done.stderr[-300:]}")
    (home / "done").touch()
    return _found(home)


def _found(home: Path) -> Path:
    """npm takes the one build that fits this machine."""
    programs = (home / "node_modules/@anthropic-ai").glob("claude-code-*/claude")
    return next(programs)
