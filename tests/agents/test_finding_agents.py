"""Which executable is the agent, and what is said when there is none."""

from pathlib import Path

import pytest

from gatebench.agents.paths import AGENT
from gatebench.agents.program import bundled_cli, find_agent
from gatebench.errors import AgentMissing, UnknownName, UsageError
from gatebench.sandbox import open_sandbox

pytestmark = pytest.mark.anyio
SANDBOX = open_sandbox("auto")


def executable(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)
    return file


ANSWERS = "#!/bin/sh\necho '9.9.9 (An Agent)'\n"


async def test_a_script_anywhere_is_bound_alone_and_asked_for_its_version(tmp_path: Path) -> None:
    file = executable(tmp_path / "home/dir/my agent", ANSWERS)
    program = await find_agent("claude-code", SANDBOX, file, "")
    assert program.version == "9.9.9 (An Agent)"
    assert program.argv == (AGENT,)
    assert [(b.source, b.target, b.writable) for b in program.binds] == [(file, AGENT, False)]


async def test_a_link_resolves_to_its_target(tmp_path: Path) -> None:
    file = executable(tmp_path / "pkg/bin/claude.exe", ANSWERS)
    link = tmp_path / ".bin/claude"
    link.parent.mkdir()
    link.symlink_to("../pkg/bin/claude.exe")
    program = await find_agent("claude-code", SANDBOX, link, "")
    assert program.binds[0].source == file


async def test_the_path_is_searched_before_the_wheel(tmp_path: Path) -> None:
    file = executable(tmp_path / "claude", ANSWERS)
    program = await find_agent("claude-code", SANDBOX, None, f"/nowhere:{tmp_path}")
    assert program.binds[0].source == file


@pytest.mark.cli
async def test_without_one_on_the_path_the_wheels_is_taken() -> None:
    if bundled_cli() is None:
        pytest.skip("the extra 'claude' is not installed")
    program = await find_agent("claude-code", SANDBOX, None, "/nowhere")
    assert "Claude Code" in program.version


async def test_without_any_the_next_step_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(AgentMissing, match=r"not found.*--agent-bin.*gate-bench\[claude\]"):
        await find_agent("claude-code", SANDBOX, None, "")


async def test_the_environment_it_is_asked_in_is_scrubbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_SECRET", "x")
    file = executable(tmp_path / "agent", "#!/bin/sh\nenv | cut -d= -f1 | sort | tr '\\n' ' '\n")
    program = await find_agent("claude-code", SANDBOX, file, "")
    assert "CLAUDE_SECRET" not in program.version
    assert "ANTHROPIC_API_KEY" in program.version


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\necho broken >&2\nexit 3\n", "exit code 3.*broken"),
        ("#!/bin/sh\nexit 0\n", "exit code 0 and said 'nothing'"),
        ("#!/no/such/interpreter\n", "--agent-bin"),
        ("\x7fELF no program", "--agent-bin"),
    ],
)
async def test_one_that_does_not_work_is_said_to(tmp_path: Path, text: str, said: str) -> None:
    file = executable(tmp_path / "agent", text)
    with pytest.raises(AgentMissing, match=said) as raised:
        await find_agent("claude-code", SANDBOX, file, "")
    assert str(file) in str(raised.value)


async def test_one_that_is_not_there_or_not_executable_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(AgentMissing, match="no such file"):
        await find_agent("claude-code", SANDBOX, tmp_path / "none", "")
    (tmp_path / "plain").write_text("x")
    with pytest.raises(AgentMissing, match=r"not executable.*chmod"):
        await find_agent("claude-code", SANDBOX, tmp_path / "plain", "")
    with pytest.raises(AgentMissing, match="no such file"):
        await find_agent("claude-code", SANDBOX, tmp_path, "")


async def test_an_unknown_name_names_the_known() -> None:
    with pytest.raises(UnknownName, match=r"'codex'.*claude-code, nop, reference"):
        await find_agent("codex", SANDBOX, None, "")


@pytest.mark.parametrize("name", ["nop", "reference"])
async def test_the_stubs_need_no_search(name: str) -> None:
    program = await find_agent(name, SANDBOX, None, "")
    assert (program.name, program.version) == (name, "stub 1")


async def test_a_stub_takes_no_executable(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--agent-bin does not go with the agent 'nop'"):
        await find_agent("nop", SANDBOX, tmp_path, "")
