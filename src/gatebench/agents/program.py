"""Finds an agent's executable and makes sure that it starts where it is going to run."""

import importlib.util
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gatebench.agents.claude_code import base_env
from gatebench.agents.paths import AGENT, OVERLAY, PYTHON, SCRIPT, locate
from gatebench.errors import AgentMissing, SpawnFailed, UnknownName, UsageError
from gatebench.sandbox import Bind, Command, Completed, Limits, Sandbox, clean_text

CLAUDE_CODE = "claude-code"
STUBS = ("nop", "reference")
AGENTS = (CLAUDE_CODE, *STUBS)
STUB_VERSION = "stub 1"

_VERSION_S = 60.0
_SHOWN_CHARS = 300
_HINT = (
    "Name a working one with --agent-bin PATH, or install the extra that brings it: "
    "pip install 'gate-bench[claude]'."
)


@dataclass(frozen=True)
class AgentProgram:
    """An agent that has been found and has answered."""

    name: str
    binds: tuple[Bind, ...]
    """Its file, bound alone."""
    argv: tuple[str, ...]
    """Its command in names inside the sandbox."""
    version: str
    closed: bool = False
    """Its file can't be read where it runs, so its memory can't either (see `shelter`)."""

    def command(self, sandbox: Sandbox, binds: Iterable[Bind]) -> tuple[str, ...]:
        """The command for a sandbox and all binds of a call."""
        binds = tuple(binds)
        return tuple(locate(sandbox, binds, word) for word in self.argv)


def stub_program(name: str, script: Path | None = None) -> AgentProgram:
    """The stub agent under a name.

    Args:
        name: ``nop``, ``reference``, or another for a scripted one.
        script: a Python file with ``start(cwd)`` and ``after_block(n, reason)``; see `stub`.
    """
    stub = Bind(Path(__file__).with_name("stub.py"), AGENT)
    scripts = () if script is None else (Bind(script, SCRIPT),)
    argv = (PYTHON, "-I", AGENT, "--overlay", OVERLAY, "--script", SCRIPT)
    return AgentProgram(name, (stub, *scripts), argv, STUB_VERSION)


async def find_agent(
    name: str,
    sandbox: Sandbox,
    agent_bin: Path | None,
    path_env: str,
    environment: tuple[Bind, ...] = (),
) -> AgentProgram:
    """Find an agent by name.

    Args:
        name: one of `AGENTS`.
        sandbox: where it will run; asked for its version there.
        agent_bin: an executable to take instead of searching.
        path_env: the caller's PATH.
        environment: binds of the test environment, for an executable whose interpreter is there.

    Raises:
        UnknownName: no such agent.
        UsageError: an executable for an agent that has none.
        AgentMissing: none is found, or it doesn't start.
    """
    if name not in AGENTS:
        raise UnknownName("agent", name, AGENTS)
    if name in STUBS:
        if agent_bin is not None:
            raise UsageError(
                f"--agent-bin does not go with the agent '{name}'.", "Leave one of the two out."
            )
        return stub_program(name)
    file = _given(agent_bin) if agent_bin is not None else _search(path_env)
    binds = (Bind(file, AGENT),)
    return AgentProgram(
        name, binds, (AGENT,), await version_of(file, sandbox, (*environment, *binds))
    )


def _given(agent_bin: Path) -> Path:
    file = agent_bin.expanduser().resolve()
    if not file.is_file():
        raise AgentMissing(f"--agent-bin {agent_bin}: there is no such file.", _HINT)
    if not os.access(file, os.X_OK):
        raise AgentMissing(
            f"--agent-bin {agent_bin}: the file is not executable.", f"chmod +x {file}, or: {_HINT}"
        )
    return file


def _search(path_env: str) -> Path:
    found = shutil.which("claude", path=path_env) if path_env else None
    file = Path(found).resolve() if found else bundled_cli()
    if file is None:
        raise AgentMissing("the agent 'claude-code' was not found (no 'claude' on PATH).", _HINT)
    return file


def bundled_cli() -> Path | None:
    """The CLI inside the wheel of the extra ``claude``, where that is installed."""
    spec = importlib.util.find_spec("claude_agent_sdk")
    roots = (spec.submodule_search_locations or ()) if spec else ()
    files = (Path(root, "_bundled", "claude") for root in roots)
    return next((f.resolve() for f in files if f.is_file()), None)


async def version_of(file: Path, sandbox: Sandbox, binds: tuple[Bind, ...]) -> str:
    """What the program at `AGENT` says of itself.

    Args:
        file: where it comes from, for the error's sentence.
        sandbox: where it is asked.
        binds: its own and those it needs.

    Raises:
        AgentMissing: it doesn't start, or doesn't say.
    """
    command = Command(
        argv=(locate(sandbox, binds, AGENT), "--version"),
        binds=binds,
        env=base_env(sandbox, binds),
        limits=Limits(wall_s=_VERSION_S, output_bytes=10_000),
    )
    try:
        done = await sandbox.run(command)
    except SpawnFailed as error:
        raise AgentMissing(f"{file} can't start: {error.message}", _HINT) from error
    version = clean_text(done.stdout).strip()
    if done.exit_code != 0 or not version:
        raise AgentMissing(f"{file} does not work as an agent: {_complaint(done)}", _HINT)
    return version.splitlines()[0]


def _complaint(done: Completed) -> str:
    if done.timed_out:
        return f"no answer to --version within {_VERSION_S:.0f} s."
    said = clean_text(done.stderr or done.stdout, _SHOWN_CHARS).strip().replace("\n", " ")
    return f"--version ended with exit code {done.exit_code} and said {said or 'nothing'!r}."
