"""Flags and environment of the Claude Code CLI; every agent of ours takes the same."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatebench.agents.clock import Stopwatch
from gatebench.agents.login import Login
from gatebench.agents.paths import CONFIG, HOME, MODEL_SOCKET, locate
from gatebench.sandbox import Bind, Limits, Sandbox

WORKER_TOOLS = ("Bash", "Edit", "Write", "Read", "Grep", "Glob")
ROLE_TOOLS = ("Read", "Grep", "Glob")

_FIXED_ENV = {
    "ANTHROPIC_API_KEY": "local",  # the gateway knows its callers by path, not by key
    "CLAUDE_CODE_MAX_RETRIES": "0",  # the gateway is patient; tries must not multiply
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "PYTHONDONTWRITEBYTECODE": "1",  # a run leaves no caches in the work copy
    "TZ": "UTC",
    "LANG": "C.UTF-8",
}

_OF_THE_GATEWAY = ("ANTHROPIC_API_KEY", "CLAUDE_CODE_MAX_RETRIES")
"""Without one the program has a login of its own, and must be patient itself."""


@dataclass(frozen=True)
class WorkerCall:
    """One session of the worker."""

    prompt: str
    model: str
    work: Bind
    """The work copy, writable; the session's cwd."""
    limits: Limits
    """`wall_s` counts the worker's own time only."""
    base_url: str
    """Where the model is: ``http://localhost/<token>``, the token being this call site's own.

    Not looked at where there is a `login`."""
    model_socket: Bind | None = None
    """The gateway's socket at `MODEL_SOCKET`; ``None`` where `base_url` is reached by itself."""
    settings: Bind | None = None
    """The hook's settings; ``None`` for a bare trial."""
    home: Path | None = None
    """A directory of the trial's own to be HOME; ``None``: the sandbox's."""
    environment: tuple[Bind, ...] = ()
    """The suite's test environment."""
    extra: tuple[Bind, ...] = ()
    """The hook's directory, an overlay, …"""
    max_turns: int = 60
    tools: tuple[str, ...] = WORKER_TOOLS
    block_cap: int | None = None
    """The CLI's own cap on consecutive blocks; ``None`` lifts it."""
    login: Login | None = None
    """The user's own, in place of a gateway."""
    env: Mapping[str, str] | None = None
    """Said on top of everything else."""

    def binds(self) -> tuple[Bind, ...]:
        """All binds but the program's own, outer ones first."""
        home = (*_home(self.home), *(self.login.binds if self.login else ()))
        single = tuple(b for b in (self.settings, self.model_socket) if b is not None)
        return (*home, self.work, *self.environment, *single, *self.extra)


@dataclass(frozen=True)
class RoleCall:
    """One call of a reviewer, a challenger or the test writer."""

    prompt: str
    """Goes in by standard input: a diff may be longer than an argument can be."""
    model: str
    schema: Mapping[str, Any]
    """JSON schema of the answer."""
    max_turns: int
    cwd: Bind
    """The tree it may read, read-only."""
    limits: Limits
    base_url: str
    model_socket: Bind | None = None
    tools: tuple[str, ...] = ROLE_TOOLS
    home: Path | None = None
    extra: tuple[Bind, ...] = ()
    login: Login | None = None
    clock: Stopwatch | None = None
    """Counts what the limit is of; stands still while the gateway waits. ``None``: all time."""
    env: Mapping[str, str] | None = None

    def binds(self) -> tuple[Bind, ...]:
        """All binds but the program's own, outer ones first."""
        home = (*_home(self.home), *(self.login.binds if self.login else ()))
        socket = () if self.model_socket is None else (self.model_socket,)
        return (*home, self.cwd, *socket, *self.extra)


def _home(home: Path | None) -> tuple[Bind, ...]:
    return () if home is None else (Bind(home, HOME, writable=True),)


def worker_flags(call: WorkerCall, sandbox: Sandbox) -> tuple[str, ...]:
    """The worker's arguments; a bare trial's lack the settings and nothing else."""
    tools = ",".join(call.tools)
    settings = () if call.settings is None else ("--settings", sandbox.inside(call.settings))
    return (
        *("-p", call.prompt, "--model", call.model),
        *("--output-format", "stream-json", "--verbose", "--include-hook-events"),
        *("--max-turns", str(call.max_turns), "--permission-mode", "acceptEdits"),
        *("--tools", tools, "--allowedTools", tools),
        *settings,
        *("--setting-sources", "", "--strict-mcp-config"),
    )


def role_flags(call: RoleCall) -> tuple[str, ...]:
    """A role's arguments: it reads, answers by schema, and no hook of anyone's runs."""
    return (
        *("-p", "--model", call.model, "--tools", ",".join(call.tools)),
        *("--max-turns", str(call.max_turns), "--output-format", "json"),
        *("--json-schema", json.dumps(call.schema), "--permission-mode", "dontAsk"),
        *("--setting-sources", "", "--settings", '{"disableAllHooks":true}'),
        "--strict-mcp-config",
    )


def worker_env(call: WorkerCall, sandbox: Sandbox) -> dict[str, str]:
    """The worker's whole environment, the same for bare and gated trials."""
    cap = {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": str(call.block_cap or 0)}
    return _environment(sandbox, call.binds(), call) | cap | dict(call.env or {})


def role_env(call: RoleCall, sandbox: Sandbox) -> dict[str, str]:
    """A role's whole environment; the tree's own instructions for agents are not read."""
    memory = {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"}
    return _environment(sandbox, call.binds(), call) | memory | dict(call.env or {})


def base_env(sandbox: Sandbox, binds: Iterable[Bind]) -> dict[str, str]:
    """What any program of an agent's gets: nothing is inherited."""
    binds = tuple(binds)
    path = f"{locate(sandbox, binds, '/opt/python')}/bin:/usr/bin:/bin"
    return {"HOME": locate(sandbox, binds, HOME), "PATH": path, **_FIXED_ENV}


def _environment(
    sandbox: Sandbox, binds: tuple[Bind, ...], call: WorkerCall | RoleCall
) -> dict[str, str]:
    env = base_env(sandbox, binds)
    if call.login is not None:
        own = {name: value for name, value in env.items() if name not in _OF_THE_GATEWAY}
        return {**call.login.env, **own, "CLAUDE_CONFIG_DIR": locate(sandbox, binds, CONFIG)}
    env["ANTHROPIC_BASE_URL"] = call.base_url
    if call.model_socket is not None:
        env["ANTHROPIC_UNIX_SOCKET"] = locate(sandbox, binds, MODEL_SOCKET)
    return env
