"""The settings that make the CLI ask the hook, and the files the hook consists of."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from gatebench.agents.paths import PYTHON, SETTINGS, STOP, locate
from gatebench.sandbox import Bind, Sandbox

HOOK_TIMEOUT_S = 1_800
"""The CLI's own limit on the hook; ours (1,500 s for a whole stop) fires before it."""


@dataclass(frozen=True)
class HookFiles:
    """What a gated trial binds for its hook."""

    directory: Bind
    """Holds ``check`` (the client) and ``socket`` (the server's)."""
    settings: Bind
    socket: Path
    """The socket's path on the host: at most 107 bytes."""


def hook_settings(command: str, timeout_s: int = HOOK_TIMEOUT_S) -> bytes:
    """The settings file's text.

    Args:
        command: shell command of the hook, as the agent's side sees it.
        timeout_s: the CLI's limit in seconds.
    """
    hook = {"type": "command", "command": command, "timeout": timeout_s}
    return (json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}, indent=2) + "\n").encode()


def deploy_hook(directory: Path, sandbox: Sandbox, environment: tuple[Bind, ...] = ()) -> HookFiles:
    """Write the client and the settings.

    Args:
        directory: a private, short directory of the trial's; ``stop/`` and ``settings.json`` are
            made in it.
        sandbox: the one the agent will run in.
        environment: binds of the test environment, whose Python runs the client.
    """
    stop = directory / "stop"
    stop.mkdir(parents=True)
    stop.chmod(0o755)
    bind = Bind(stop, STOP)
    client = stop / "check"
    body = Path(__file__).with_name("client.py").read_text(encoding="utf-8")
    python = locate(sandbox, environment, PYTHON)
    client.write_text(f"#!{python} -IS\n{body}", encoding="utf-8")
    client.chmod(0o755)
    settings = directory / "settings.json"
    settings.write_bytes(hook_settings(shlex.quote(f"{sandbox.inside(bind)}/check")))
    settings.chmod(0o644)
    return HookFiles(bind, Bind(settings, SETTINGS), stop / "socket")
