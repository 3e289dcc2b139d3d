"""Run git so that nobody's configuration but ours has a say."""

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import anyio

from gatebench.errors import StoreError

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "core.quotePath=true",
    "core.protectNTFS=false",
    "core.protectHFS=false",
    "diff.suppressBlankEmpty=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.directory=*",
)


@cache
def _program() -> str:
    found = shutil.which("git")
    if found is None:
        raise StoreError("git was not found.", "Install git (Debian: apt install git).")
    return found


def environment() -> dict[str, str]:
    """The whole environment of a git of ours: no system, user or caller configuration."""
    return {
        "PATH": f"{Path(_program()).parent}:/usr/bin:/bin",
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }


async def run_git(
    arguments: tuple[str, ...],
    cwd: Path,
    extra: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> bytes:
    """Run one git command and give its output.

    Args:
        arguments: after ``git`` and our settings.
        cwd: where it runs.
        extra: variables on top of `environment`.
        stdin: what it reads.

    Raises:
        StoreError: it failed; the message carries its words.
    """
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    done = await anyio.run_process(
        (_program(), *settings, *arguments),
        input=stdin,
        cwd=cwd,
        env={**environment(), **(extra or {})},
        check=False,
        start_new_session=True,  # a Ctrl-C at the terminal is for us
    )
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip()
        raise StoreError(f"git {arguments[0]} failed in {cwd}: {words}")
    return done.stdout
