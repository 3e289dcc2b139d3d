"""A suite's test environment: a venv with the pinned packages and nothing else."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import anyio

from gatebench.errors import FetchError, SuiteError
from gatebench.sandbox import Bind, Sandbox
from gatebench.suites.caching import Place, cached
from gatebench.suites.clients import run_client, uv_command
from gatebench.suites.interpreter import (
    BASE_INSIDE,
    INSIDE,
    Interpreter,
    ask_command,
    own_executable,
    read_answer,
    settle,
)
from gatebench.suites.suite import EnvironmentSpec, Suite

_LAYOUT = "1"
"""Raised whenever the same pins would be laid out in another way."""


@dataclass(frozen=True)
class TestEnvironment:
    """A built test environment."""

    __test__ = False

    root: Path
    """The venv on the host; works there as well."""
    python: Path
    """The interpreter as a sandboxed command sees it."""
    binds: tuple[Bind, ...]
    """Read-only, the venv first; to be mounted in this order."""
    digest: str
    """sha256 over interpreter and pins."""

    def interpreter(self, sandbox: Sandbox) -> str:
        """The interpreter as a command of that sandbox sees it."""
        return f"{sandbox.inside(self.binds[0])}/bin/python"


async def build_environment(
    suite: Suite, cache: Path, executable: Path | None = None
) -> TestEnvironment:
    """The suite's test environment, built on first use.

    Args:
        suite: the suite.
        cache: the cache directory. Concurrent callers are safe.
        executable: the base interpreter; by default the one beneath this product.

    Raises:
        FetchError: the index can't be reached, lacks a pin, or serves something else.
        SuiteError: the pins aren't whole, or Python is too old for them.
    """
    executable = executable or own_executable()
    answer = await run_client(ask_command(executable), f"{executable} can't be asked")
    base = read_answer(executable, answer)
    _check_python(suite, base)
    digest = _digest(base, suite.environment)
    place = Place(cache, "environments", digest[:32])

    async def build(part: Path) -> None:
        await _install(suite, base, part)
        await _compile(part)
        await anyio.to_thread.run_sync(settle, base, part, place.path)
        (part / "empty").mkdir()
        await anyio.to_thread.run_sync(_open, part)

    root = await cached(place, build)
    return TestEnvironment(
        root=root / "python",
        python=Path(INSIDE, "bin", "python"),
        binds=_binds(base, root),
        digest=digest,
    )


def _check_python(suite: Suite, base: Interpreter) -> None:
    """The Python we run on must be new enough."""
    wanted = tuple(int(part) for part in suite.environment.python.split("."))
    if base.version < wanted:
        have = ".".join(str(part) for part in base.version)
        raise SuiteError(
            f"{suite.root / 'suite.toml'}: field 'environment.python': the suite wants Python "
            f"{suite.environment.python} or newer, and gate-bench runs on {have}.",
            "Install gate-bench with a newer Python.",
        )


def _digest(base: Interpreter, spec: EnvironmentSpec) -> str:
    """Everything that the environment depends on."""
    parts = (_LAYOUT, str(base.executable), str(base.version), base.tag, spec.requirements)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


async def _install(suite: Suite, base: Interpreter, part: Path) -> None:
    """Make the venv, install exactly the pins, and see that none is missing."""
    venv, pins = part / "python", part / "pins.txt"
    what = f"the test environment of suite '{suite.name}' could not be built"
    pins.write_text(suite.environment.requirements)
    python = ("--python", str(venv / "bin" / "python"))
    make = ("venv", "--quiet", "--relocatable", "--python", str(base.executable), str(venv))
    await run_client(uv_command(*make), what)
    hashes = ("--require-hashes",) if suite.environment.hashed else ()
    options = ("--quiet", "--no-deps", "--only-binary", ":all:", "--link-mode", "copy", *hashes)
    await run_client(uv_command("pip", "install", *python, *options, "-r", str(pins)), what)
    try:
        await run_client(uv_command("pip", "check", *python), what)
    except FetchError as error:
        raise SuiteError(
            f"{suite.root / 'suite.toml'}: field 'environment': the pins aren't whole: {error}",
            "Pin every dependency too; 'uv pip compile' resolves them.",
        ) from None


async def _compile(part: Path) -> None:
    """Byte code for read-only binds; it carries the inside path and not the cache's."""
    venv = part / "python"
    options = ("-q", "-j", "2", "-s", str(venv), "-p", INSIDE, str(venv / "lib"))
    python = str(venv / "bin" / "python")
    await run_client((python, "-I", "-m", "compileall", *options), "the byte code can't be made")


def _open(part: Path) -> None:
    """Readable for whoever a sandboxed command runs as, whatever the caller's umask."""
    for path in (part, *part.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))


def _binds(base: Interpreter, root: Path) -> tuple[Bind, ...]:
    """The venv, the base beneath it, and an empty directory over the base's own packages."""
    binds = [Bind(root / "python", INSIDE)]
    if base.elsewhere:
        binds += [
            Bind(root / "inside.cfg", f"{INSIDE}/pyvenv.cfg"),
            Bind(base.prefix, BASE_INSIDE),
        ]
    masked = [s for s in base.sites if s.is_dir() and s.is_relative_to(base.prefix)]
    return (*binds, *(Bind(root / "empty", base.inside(site)) for site in masked))
