"""What a machine must have for trials, looked at one by one."""

import platform
import shutil
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from gatebench.agents.program import CLAUDE_CODE, find_agent
from gatebench.errors import GateBenchError
from gatebench.sandbox import open_sandbox, probe
from gatebench.suites import build_environment, fetch_upstream, load_suite, shipped_suites
from gatebench.trial.bench import Means

OLDEST_GIT = (2, 30)
ROOM_GB = 2.0
SANE_YEAR = 2026
_CACHE = "Name another place for the cache: GATEBENCH_CACHE=DIR."


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    said: str
    remedy: str = ""


def _fine(name: str, said: str) -> Finding:
    return Finding(name, ok=True, said=said)


def _bad(name: str, said: str, remedy: str) -> Finding:
    return Finding(name, ok=False, said=said, remedy=remedy)


async def examine(means: Means) -> tuple[Finding, ...]:
    """Look at everything; nothing here is changed but the cache, which is filled."""
    looks: tuple[Callable[[Means], Awaitable[Finding]], ...] = (
        _python,
        _git,
        _disk,
        _clock,
        _sandbox,
        _suite,
        _agent,
    )
    return tuple([await look(means) for look in looks])


async def _python(_means: Means) -> Finding:
    return _fine("python", f"{platform.python_version()} at {sys.executable}")


async def _git(_means: Means) -> Finding:
    path = shutil.which("git")
    if path is None:
        return _bad("git", "not found", "Install it: apt install git.")
    told = (await anyio.run_process([path, "--version"])).stdout.decode().split()
    version = tuple(int(part) for part in told[2].split(".")[:2])
    if version < OLDEST_GIT:
        return _bad("git", f"{told[2]} is too old", "Install 2.30 or newer.")
    return _fine("git", told[2])


async def _disk(means: Means) -> Finding:
    try:
        await anyio.to_thread.run_sync(lambda: means.cache.mkdir(parents=True, exist_ok=True))
    except OSError as error:
        said = f"the cache {means.cache} can't be made: {error.strerror or error}"
        return _bad("disk", said, _CACHE)
    free = min(shutil.disk_usage(p).free for p in (means.cache, "/tmp", ".")) / 1e9  # noqa: S108  # where work copies lie
    said = f"{free:.1f} GB free"
    return _fine("disk", said) if free >= ROOM_GB else _bad("disk", said, "Make 2 GB of room.")


async def _clock(_means: Means) -> Finding:
    year = time.gmtime().tm_year
    said = time.strftime("%Y-%m-%d %H:%MZ", time.gmtime())
    return _fine("clock", said) if year >= SANE_YEAR else _bad("clock", said, "Set it.")


async def _sandbox(_means: Means) -> Finding:
    found = await anyio.to_thread.run_sync(probe)
    if found.works:
        return _fine("sandbox", f"bubblewrap {found.version}, as {found.identity}")
    return _bad("sandbox", found.reason, found.remedy)


async def _suite(means: Means) -> Finding:
    name = shipped_suites()[0]
    try:
        suite = load_suite(name)
        await fetch_upstream(suite, means.cache)
        await build_environment(suite, means.cache)
    except GateBenchError as error:
        return _bad("suite", error.message, error.hint)
    except OSError as error:
        return _bad("suite", f"not looked at: {error.strerror or error}", _CACHE)
    return _fine("suite", f"{name} {suite.version}: upstream and test environment are there")


async def _agent(means: Means) -> Finding:
    try:
        environment = await build_environment(load_suite(shipped_suites()[0]), means.cache)
        program = await find_agent(
            CLAUDE_CODE,
            open_sandbox(means.sandbox),
            means.agent_bin,
            means.search_path,
            environment.binds,
        )
    except GateBenchError as error:
        return _bad("agent", error.message, error.hint)
    except OSError as error:
        return _bad("agent", f"not looked at: {error.strerror or error}", _CACHE)
    return _fine("agent", f"{program.version} starts in the sandbox")
