"""The package clients at hand: ``uv`` from our own environment, and pip.

Both read the user's own configuration (files and variables), so that indexes, mirrors,
certificates and credentials are whatever the user has set; none is named here.
"""

import importlib.util
import subprocess
import sys

import anyio
import uv

from gatebench.errors import FetchError

UV_OPTIONS = ("--no-python-downloads", "--color", "never", "--no-progress")
_LIMIT_S = 600.0
_TAIL_LINES = 6


def uv_command(*arguments: str) -> tuple[str, ...]:
    """An argv for uv that never fetches an interpreter."""
    return (uv.find_uv_bin(), *UV_OPTIONS, *arguments)


def pip_command(*arguments: str) -> tuple[str, ...]:
    """An argv for pip: ours, or the one uv can run where our environment has none."""
    if importlib.util.find_spec("pip") is not None:
        return (sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", *arguments)
    return uv_command("tool", "run", "--python", sys.executable, "pip", *arguments)


async def run_client(argv: tuple[str, ...], purpose: str) -> str:
    """Run a package client to its end.

    Args:
        argv: the command.
        purpose: what for, as in "tinydb 4.9.0 could not be fetched".

    Returns:
        what it printed.

    Raises:
        FetchError: it failed, or took longer than ten minutes.
    """
    try:
        with anyio.fail_after(_LIMIT_S):
            done = await anyio.run_process(
                argv, check=False, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT
            )
    except TimeoutError:
        raise FetchError(
            f"{purpose}: no answer from the package index in {_LIMIT_S:.0f} s.",
            "Check the connection and run the same command again.",
        ) from None
    output = done.stdout.decode(errors="replace")
    if done.returncode:
        raise FetchError(f"{purpose}: {_tail(output)}", _remedy(output))
    return output


def _tail(output: str) -> str:
    """The last lines that say something."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " / ".join(lines[-_TAIL_LINES:]) or "the package client failed without a word."


def _remedy(output: str) -> str:
    """What to do about a client's failure."""
    if "hash" in output.lower() and "match" in output.lower():
        return (
            "The index serves another file than the pinned one; use an index that can be trusted."
        )
    return (
        "Check that your package index can be reached and has this version "
        "(pip and uv settings are used as they are), then run the same command again."
    )
