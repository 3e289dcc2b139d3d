"""The real CLI, both versions, gated by our hook against a model of the test's own."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from gated import Session, block, blocks, real_cli
from loopback import Block, bash, text

from gatebench.agents.program import AgentProgram
from gatebench.agents.result import Cause
from gatebench.hook.server import StopRequest
from gatebench.model.stop import Delivery

pytestmark = [pytest.mark.cli, pytest.mark.anyio]


@pytest.fixture(params=["new", "old"])
async def cli(request: pytest.FixtureRequest) -> AgentProgram:
    return await real_cli(request.param)


def talks(turn: int, _request: dict[str, Any]) -> list[Block]:
    """A worker that answers by text alone."""
    return [text(f"done {turn}")]


def after(command: str) -> Any:
    """A worker that runs one command first."""
    return lambda turn, _request: [bash(command)] if turn == 0 else [text(f"done {turn}")]


def python(code: str) -> str:
    return f"python -c {shlex.quote(code)}"


def daemon(code: str) -> str:
    """Started in a session of its own, on its way when the command returns."""
    return f"setsid {python(code)} </dev/null >/dev/null 2>&1 &\nsleep 0.5"


async def test_a_worker_is_sent_back_until_it_may_stop(cli: AgentProgram) -> None:
    session = Session(judge=blocks(2, "please fix it"), model=after("echo hi > a.txt"))
    result = await session.run(cli)
    assert session.outcomes == [Delivery.DELIVERED] * 3
    assert session.feedback == ["Stop hook feedback:\nplease fix it"] * 2
    assert (result.cause, result.exit_code, result.text) == (Cause.OK, 0, "done 3")
    assert (result.stop_responses, result.num_turns, result.permission_denials) == (3, 4, 0)
    assert result.models == ("claude-sonnet-5-5",)
    assert result.total_cost_usd is not None
    assert result.total_cost_usd > 0


async def test_each_stop_brings_what_the_cli_says(cli: AgentProgram) -> None:
    session = Session(judge=blocks(1), model=talks)
    await session.run(cli)
    first, second = session.stops
    assert (first.stop_hook_active, second.stop_hook_active) == (False, True)
    assert (first.delivered_blocks, second.delivered_blocks) == (0, 1)
    assert first.payload["last_assistant_message"] == "done 0"
    assert first.payload["cwd"] == "/home/dev/project"
    assert len(first.pids) == 1


async def test_what_the_model_is_shown_tells_nothing_of_the_bench(cli: AgentProgram) -> None:
    look = "cat /run/stop/check /run/settings.json; env; cat /proc/*/cmdline; ls -la /run /run/stop"
    session = Session(judge=blocks(1, "please fix it"), model=after(look))
    await session.run(cli)
    assert session.loopback
    shown = session.loopback.asked
    assert "please fix it" in shown
    assert "asked = sys.stdin" in shown, "the client was really printed"
    for word in ("gatebench", "gate-bench", "gate_bench", "hidden test", str(session.work.parent)):
        assert word not in shown, word


async def test_a_reason_that_looks_like_a_missing_script_blocks(cli: AgentProgram) -> None:
    session = Session(
        judge=blocks(1, "python: can't open file 'x': [Errno 2] No such file or directory"),
        model=talks,
    )
    await session.run(cli)
    assert session.outcomes == [Delivery.DELIVERED] * 2
    assert "No such file or directory" in session.feedback[0]


async def test_hooks_that_the_agent_switches_off_stay_on(cli: AgentProgram) -> None:
    code = (
        "import os, json\nos.makedirs('.claude', exist_ok=True)\n"
        "for name in ('settings.json', 'settings.local.json'):\n"
        "    open(f'.claude/{name}', 'w').write(json.dumps({'disableAllHooks': True}))\n"
        "os.makedirs('/home/dev/.claude', exist_ok=True)\n"
        "open('/home/dev/.claude/settings.json', 'w').write('{\"disableAllHooks\": true}')"
    )
    written: list[bool] = []
    session = Session(model=after(python(code)))

    async def judge(stop: StopRequest) -> bytes:
        written.append((session.work / ".claude/settings.json").exists())
        return block("no") if stop.n == 1 else b""

    session.judge = judge
    await session.run(cli)
    assert written == [True, True]
    assert session.outcomes == [Delivery.DELIVERED] * 2


KILLER = """
import os, signal, time
end = time.time() + 20
while time.time() < end:
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if b'/run/stop/' b'check' in open(f'/proc/{pid}/cmdline', 'rb').read():
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass
"""


async def test_a_stop_whose_client_is_killed_is_judged_all_the_same(cli: AgentProgram) -> None:
    session = Session(judge=blocks(9), model=after(daemon(KILLER)))
    result = await session.run(cli)
    assert [stop.n for stop in session.stops] == [1]
    assert session.outcomes == [Delivery.UNDELIVERED]
    assert session.server
    assert session.server.delivered_blocks == 0
    assert result.cause is Cause.OK


KNOCKER = """
import socket, json
said = json.dumps({'hook_event_name': 'Stop'}).encode()
lines = []
for _ in range(6):
    line = socket.socket(socket.AF_UNIX)
    line.connect('/run/stop/socket')
    line.sendall(len(said).to_bytes(4, 'big') + said)
    lines.append(line)
import time
time.sleep(30)
"""


async def test_six_stops_of_the_agents_own_buy_nothing(cli: AgentProgram) -> None:
    session = Session(judge=blocks(1), model=after(daemon(KNOCKER)))
    await session.run(cli)
    assert session.outcomes == [Delivery.DELIVERED] * 2
    # One that is slow to connect may come with the second stop.
    assert sum(forged for _, _, forged in session.deliveries) == 6
    assert session.server
    assert (session.server.forged, session.server.delivered_blocks) == (6, 1)


async def test_with_the_clis_own_cap_left_the_override_is_seen(cli: AgentProgram) -> None:
    session = Session(judge=blocks(99), model=talks, block_cap=8)
    result = await session.run(cli)
    assert session.outcomes == [Delivery.DELIVERED] * 8 + [Delivery.OVERRIDDEN]
    assert (result.cause, result.text) == (Cause.OK, "")
    assert session.messages("informational")


async def test_with_the_cap_lifted_twenty_blocks_are_possible(cli: AgentProgram) -> None:
    session = Session(judge=blocks(20), model=talks)
    await session.run(cli)
    assert session.outcomes == [Delivery.DELIVERED] * 21


async def test_turns_that_are_used_up_end_it_with_the_last_block_delivered(
    cli: AgentProgram,
) -> None:
    session = Session(judge=blocks(99), model=talks, max_turns=3)
    result = await session.run(cli)
    assert session.outcomes == [Delivery.DELIVERED] * 3
    assert (result.cause, result.exit_code) == (Cause.MAX_TURNS, 1)


@pytest.mark.parametrize("text", ["{", '{"hooks": {"Halt": []}}'])
async def test_settings_that_never_load_show_as_no_stop(cli: AgentProgram, text: str) -> None:
    session = Session(judge=blocks(9), model=talks, settings=text)
    result = await session.run(cli)
    assert session.server
    assert (session.server.stops, result.stop_responses) == (0, 0)


async def test_an_api_error_ends_it_without_a_stop_and_is_classed(cli: AgentProgram) -> None:
    session = Session(judge=blocks(9), model=talks, status=400)
    result = await session.run(cli)
    assert (result.cause, result.api_error_status) == (Cause.API_ERROR, 400)
    assert session.stops == []


async def test_a_judge_that_breaks_allows_and_is_told(cli: AgentProgram) -> None:
    async def judge(_stop: StopRequest) -> bytes:
        raise OSError("disk full")

    session = Session(judge=judge, model=talks)
    result = await session.run(cli)
    assert result.cause is Cause.OK
    assert session.outcomes == [Delivery.DELIVERED]
    assert [(n, str(error)) for n, error in session.failures] == [(1, "disk full")]


def without_metadata(request: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in request.items() if k != "metadata"}


async def test_before_its_first_block_a_gated_trial_is_a_bare_one(cli: AgentProgram) -> None:
    gated, bare = Session(model=talks), Session(model=talks, gated=False)
    await gated.run(cli)
    await bare.run(cli)
    assert gated.loopback
    assert bare.loopback
    first, other = gated.loopback.requests[0], bare.loopback.requests[0]
    assert without_metadata(first) == without_metadata(other)
    assert len(gated.stops) == 1


def test_the_client_that_is_deployed_says_nothing_of_its_purpose() -> None:
    words = Path(__file__).parents[2] / "src/gatebench/hook/client.py"
    assert not {"gate", "bench", "hidden", "judge", "block"} & set(
        words.read_text().lower().split()
    )
