"""Flags and environment, to the letter."""

from dataclasses import replace
from pathlib import Path

from gatebench.agents.claude_code import (
    RoleCall,
    WorkerCall,
    role_env,
    role_flags,
    worker_env,
    worker_flags,
)
from gatebench.agents.paths import MODEL_SOCKET, SETTINGS, WORK, locate
from gatebench.sandbox import Bind, Limits, open_sandbox

BWRAP, NONE = open_sandbox("bwrap"), open_sandbox("none")
HERE = Path("/x")
CALL = WorkerCall(
    prompt="Do it.\n\nStop.",
    model="m",
    work=Bind(HERE / "work", WORK, writable=True),
    limits=Limits(wall_s=1),
    base_url="http://localhost/token",
    model_socket=Bind(HERE / "model", MODEL_SOCKET),
    settings=Bind(HERE / "settings.json", SETTINGS),
    home=HERE / "home",
    environment=(Bind(HERE / "python", "/opt/python"),),
)
ROLE = RoleCall(
    prompt="Review.",
    model="m",
    schema={"type": "object"},
    max_turns=15,
    cwd=Bind(HERE / "tree", WORK),
    limits=Limits(wall_s=1),
    base_url="http://localhost/token",
    model_socket=Bind(HERE / "model", MODEL_SOCKET),
)


def test_the_workers_flags() -> None:
    tools = "Bash,Edit,Write,Read,Grep,Glob"
    assert worker_flags(CALL, BWRAP) == (
        *("-p", "Do it.\n\nStop.", "--model", "m", "--output-format", "stream-json", "--verbose"),
        *("--include-hook-events", "--max-turns", "60", "--permission-mode", "acceptEdits"),
        *("--tools", tools, "--allowedTools", tools, "--settings", "/run/settings.json"),
        *("--setting-sources", "", "--strict-mcp-config"),
    )


def test_a_bare_trial_lacks_the_settings_and_nothing_else() -> None:
    bare = replace(CALL, settings=None)
    gated = worker_flags(CALL, BWRAP)
    at = gated.index("--settings")
    assert worker_flags(bare, BWRAP) == gated[:at] + gated[at + 2 :]
    assert worker_env(bare, BWRAP) == worker_env(CALL, BWRAP)


def test_the_workers_environment() -> None:
    assert worker_env(CALL, BWRAP) == {
        "HOME": "/home/dev",
        "PATH": "/opt/python/bin:/usr/bin:/bin",
        "ANTHROPIC_API_KEY": "local",
        "ANTHROPIC_BASE_URL": "http://localhost/token",
        "ANTHROPIC_UNIX_SOCKET": "/run/model.sock",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
    }


def test_a_cap_that_is_configured_is_set() -> None:
    env = worker_env(replace(CALL, block_cap=8), BWRAP)
    assert env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] == "8"


def test_without_a_sandbox_every_path_is_the_hosts() -> None:
    env = worker_env(CALL, NONE)
    assert env["HOME"] == "/x/home"
    assert env["PATH"] == "/x/python/bin:/usr/bin:/bin"
    assert env["ANTHROPIC_UNIX_SOCKET"] == "/x/model"
    assert "/x/settings.json" in worker_flags(CALL, NONE)


def test_the_inner_of_two_binds_counts() -> None:
    binds = (Bind(HERE / "home", "/home/dev"), Bind(HERE / "work", WORK))
    assert locate(NONE, binds, WORK + "/a.py") == "/x/work/a.py"
    assert locate(NONE, binds, "/home/dev/other") == "/x/home/other"
    assert locate(NONE, binds, "/home/developer") == "/home/developer"


def test_a_roles_flags_and_environment() -> None:
    assert role_flags(ROLE) == (
        *("-p", "--model", "m", "--tools", "Read,Grep,Glob", "--max-turns", "15"),
        *("--output-format", "json", "--json-schema", '{"type": "object"}'),
        *("--permission-mode", "dontAsk", "--setting-sources", ""),
        *("--settings", '{"disableAllHooks":true}', "--strict-mcp-config"),
    )
    env = role_env(ROLE, BWRAP)
    assert env["CLAUDE_CODE_DISABLE_CLAUDE_MDS"] == "1"
    assert "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP" not in env
