"""A role's single call: what it gets, what it gives, and everything that goes wrong with it."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from gated import real_cli
from loopback import Block, Loopback, serve, text

from gatebench.agents.claude_code import RoleCall
from gatebench.agents.clock import Stopwatch
from gatebench.agents.paths import AGENT, MODEL_SOCKET, WORK
from gatebench.agents.program import AgentProgram
from gatebench.agents.roles import RoleFault, RoleResult, run_role
from gatebench.sandbox import Bind, Limits, open_sandbox

pytestmark = pytest.mark.anyio
SCHEMA = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}


@pytest.fixture
def place() -> Any:
    with tempfile.TemporaryDirectory(prefix="x") as name:
        Path(name).chmod(0o755)
        (Path(name) / "tree").mkdir()
        yield Path(name)


def call_in(place: Path, prompt: str = "Review.", wall_s: float = 30) -> RoleCall:
    return RoleCall(
        prompt=prompt,
        model="claude-sonnet-5-5",
        schema=SCHEMA,
        max_turns=5,
        cwd=Bind(place / "tree", WORK),
        limits=Limits(wall_s=wall_s),
        base_url="http://localhost/token",
        model_socket=Bind(place / "model", MODEL_SOCKET),
    )


def answers(turn: int, _request: dict[str, Any]) -> list[Block]:
    tool = {"type": "tool_use", "id": "", "name": "StructuredOutput", "input": {"file": "x = 1"}}
    return [tool] if turn == 0 else [text("ok")]


async def ask(which: str, place: Path, loopback: Loopback, prompt: str = "Review.") -> RoleResult:
    cli = await real_cli(which)
    with serve(loopback, place / "model"):
        return await run_role(cli, open_sandbox("auto"), call_in(place, prompt))


@pytest.mark.cli
@pytest.mark.parametrize("which", ["new", "old"])
class TestRealCli:
    async def test_a_structured_answer_comes_back(self, which: str, place: Path) -> None:
        result = await ask(which, place, Loopback(answers))
        assert (result.ok, result.output, result.error) == (True, {"file": "x = 1"}, None)
        assert result.models == ("claude-sonnet-5-5",)
        assert result.cost_usd is not None
        assert result.cost_usd > 0
        assert result.turns is not None

    async def test_a_prompt_may_be_longer_than_an_argument(self, which: str, place: Path) -> None:
        loopback = Loopback(answers)
        result = await ask(which, place, loopback, "é" * 200_000 + " the end")
        assert result.ok
        assert "the end" in loopback.asked

    async def test_it_has_its_reading_tools_only(self, which: str, place: Path) -> None:
        loopback = Loopback(answers)
        await ask(which, place, loopback)
        names = {tool["name"] for tool in loopback.requests[0]["tools"]}
        assert {"Glob", "Grep", "Read", "StructuredOutput"} <= names
        assert not names & {"Bash", "Edit", "Write", "WebFetch", "Task"}

    async def test_the_trees_settings_and_instructions_are_not_read(
        self, which: str, place: Path
    ) -> None:
        tree = place / "tree"
        (tree / ".claude").mkdir()
        hook = {"type": "command", "command": "echo x > /tmp/ran; exit 2"}
        settings = {"hooks": {"Stop": [{"hooks": [hook]}]}}
        (tree / ".claude/settings.json").write_text(json.dumps(settings))
        (tree / "CLAUDE.md").write_text("SWORDFISH")
        loopback = Loopback(answers)
        result = await ask(which, place, loopback)
        assert result.ok
        assert "SWORDFISH" not in loopback.asked
        assert len(loopback.requests) <= 2

    async def test_an_api_error_is_a_failure_with_its_reason(self, which: str, place: Path) -> None:
        result = await ask(which, place, Loopback(answers, status=400))
        assert (result.ok, result.output, result.fault) == (False, None, RoleFault.FAILED)
        assert "400" in (result.error or "")

    async def test_no_structured_answer_is_one_of_its_own(self, which: str, place: Path) -> None:
        result = await ask(which, place, Loopback(lambda _turn, _request: [text("I approve.")]))
        assert (result.ok, result.output) == (False, None)
        assert result.fault in {RoleFault.UNSTRUCTURED, RoleFault.FAILED}


def says(place: Path, script: str) -> AgentProgram:
    file = place / "agent"
    file.write_text("#!/bin/sh\n" + script)
    file.chmod(0o755)
    return AgentProgram("fake", (Bind(file, AGENT),), (AGENT,), "1")


GOOD = {"subtype": "success", "is_error": False, "structured_output": {"a": 1}}


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("exit 0", RoleFault.SILENT),
        ("echo; exit 1", RoleFault.SILENT),
        ("echo '{'", RoleFault.INVALID),
        ("echo '[1]'", RoleFault.INVALID),
        (f"echo '{json.dumps(GOOD)}'; exit 1", RoleFault.FAILED),
        (f"echo '{json.dumps(GOOD | {'is_error': True})}'", RoleFault.FAILED),
        (f"echo '{json.dumps(GOOD | {'structured_output': 'text'})}'", RoleFault.UNSTRUCTURED),
        ("echo '{}'", RoleFault.UNSTRUCTURED),
        ("sleep 60", RoleFault.TIMED_OUT),
        ("printf '\\377\\376'", RoleFault.INVALID),
    ],
)
async def test_each_way_to_fail_has_its_class(place: Path, script: str, fault: RoleFault) -> None:
    (place / "model").touch()
    result = await run_role(says(place, script), open_sandbox("auto"), call_in(place, wall_s=1))
    assert (result.ok, result.output, result.fault) == (False, None, fault)
    assert result.error


async def test_one_that_can_not_be_started_is_a_failure_too(place: Path) -> None:
    (place / "model").touch()
    program = AgentProgram("fake", (Bind(place / "none", AGENT),), (AGENT,), "1")
    result = await run_role(program, open_sandbox("auto"), call_in(place))
    assert (result.ok, result.fault) == (False, RoleFault.SPAWN)


async def test_what_a_failed_call_cost_is_kept(place: Path) -> None:
    (place / "model").touch()
    said = json.dumps({"is_error": True, "total_cost_usd": 0.25, "num_turns": 3})
    program = says(place, f"echo '{said}'; exit 1")
    result = await run_role(program, open_sandbox("auto"), call_in(place))
    assert (result.cost_usd, result.turns) == (0.25, 3)


async def test_waits_of_the_gateway_are_not_the_roles_time(place: Path) -> None:
    clock = Stopwatch()
    call = replace(call_in(place, wall_s=1.0), clock=clock)
    sandbox = open_sandbox("none")
    script = place / "slow"
    script.write_text("#!/bin/sh\nsleep 2\necho '{\"structured_output\": {}}'\n")
    script.chmod(0o755)
    program = AgentProgram("slow", (Bind(script, AGENT),), (AGENT,), "1")

    late = await run_role(program, sandbox, call)
    assert (late.fault, late.wall_s) == (RoleFault.TIMED_OUT, 1.0)

    async with anyio.create_task_group() as group:
        group.start_soon(_hold, clock)
        assert (await run_role(program, sandbox, call)).ok


async def _hold(clock: Stopwatch) -> None:
    """The gateway makes the role wait for a second and a half."""
    await anyio.sleep(0.2)
    with clock.paused():
        await anyio.sleep(1.5)
