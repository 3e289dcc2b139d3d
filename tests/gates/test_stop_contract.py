"""A hook's answer is read as the real command line reads it."""

import json
import shlex
import subprocess
from collections.abc import Iterable

import pytest
from gated import Session, real_cli
from loopback import text

from gatebench.gates.stop_contract import NO_REASON, NO_STDERR, Answer, hook_input, read_answer
from gatebench.model.stop import GateStatus

SAID = '{"decision": "block", "reason": "why"}'
BLOCKING = {
    "exit-2": ("echo oops >&2; exit 2", "oops"),
    "exit-2-silent": ("exit 2", NO_STDERR),
    "exit-2-missing-words-and-output": ("echo x; echo 'No such file or directory' >&2; exit 2", ""),
    "json": (f"echo {shlex.quote(SAID)}", "why"),
    "json-whatever-the-exit-code": (f"echo {shlex.quote(SAID)}; exit 1", "why"),
    "json-before-stderr": (f"echo {shlex.quote(SAID)}; echo no such file >&2; exit 2", "why"),
    "json-without-reason": ("""echo '{"decision": "block"}'""", NO_REASON),
    "json-that-says-nothing": ("echo '{}'; echo no such file >&2; exit 2", "no such file"),
}
LETTING_GO = {
    "exit-2-missing-words": ('echo "Can\'t open x" >&2; exit 2', GateStatus.ERROR),
    "exit-1": ("echo bad >&2; exit 1", GateStatus.ERROR),
    "unknown-decision": ("""echo '{"decision": "deny"}'""", GateStatus.ERROR),
    "reason-that-is-no-text": ("""echo '{"decision": "block", "reason": 7}'""", GateStatus.ERROR),
    "json-after-a-log-line": (f"echo log; echo {shlex.quote(SAID)}", GateStatus.PASS),
    "approve": ("""echo '{"decision": "approve"}'""", GateStatus.PASS),
}


def answered(command: str) -> Answer:
    """What we make of a command's answer."""
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    return read_answer(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("name", BLOCKING)
def test_what_blocks(name: str) -> None:
    command, reason = BLOCKING[name]
    found = answered(command)
    assert (found.status, found.error) == (GateStatus.RED, None)
    assert found.reason == reason or (not reason and "No such file" in found.reason)


@pytest.mark.parametrize("name", LETTING_GO)
def test_what_lets_the_agent_go(name: str) -> None:
    command, status = LETTING_GO[name]
    found = answered(command)
    assert (found.status, found.reason) == (status, "")
    assert (found.error is None) == (status is GateStatus.PASS)


def test_a_hook_that_ends_the_session_lets_it_end() -> None:
    ends = '{"continue": false, "decision": "block", "reason": "why"}'
    assert read_answer(0, ends, "").status is GateStatus.PASS


def test_a_hook_that_adds_context_sends_the_agent_on() -> None:
    said = '{"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "look again"}}'
    assert read_answer(0, said, "") == Answer(GateStatus.RED, "look again")


def test_a_hook_that_was_killed_is_an_error() -> None:
    assert read_answer(None, "", "").status is GateStatus.ERROR
    assert read_answer(137, "", "").status is GateStatus.ERROR


def test_the_input_is_the_programs_own_but_for_the_place() -> None:
    given = {"session_id": "s", "stop_hook_active": True, "cwd": "/elsewhere", "effort": "high"}
    told = json.loads(hook_input(json.dumps(given).encode(), 1, "/here"))
    assert told["session_id"] == "s"
    assert (told["stop_hook_active"], told["effort"], told["cwd"]) == (True, "high", "/here")
    assert told["hook_event_name"] == "Stop"


@pytest.mark.parametrize("given", [None, b"", b"[1]", b"\xff", b"[" * 100_000])
def test_without_an_input_one_is_made(given: bytes | None) -> None:
    told = json.loads(hook_input(given, 2, "/here"))
    assert (told["cwd"], told["stop_hook_active"]) == ("/here", True)


def one_after_the_other(commands: Iterable[str]) -> str:
    """Settings with one hook: at the n-th stop the n-th command, then nothing."""
    cases = "".join(f"{n}) {command};;" for n, command in enumerate(commands, 1))
    count = "echo x >> .stops; case $(wc -l < .stops) in"
    command = f"cd /home/dev/project; {count} {cases} esac"
    hook = {"type": "command", "command": command, "timeout": 60}
    return json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}})


@pytest.mark.cli
@pytest.mark.anyio
async def test_the_real_command_line_blocks_where_we_do() -> None:
    settings = one_after_the_other(f"({command})" for command, _ in BLOCKING.values())
    session = Session(model=lambda turn, _request: [text(f"done {turn}")], settings=settings)
    await session.run(await real_cli("new"))
    assert len(session.feedback) == len(BLOCKING)
    for said, (_, reason) in zip(session.feedback, BLOCKING.values(), strict=True):
        assert said.rstrip().endswith(reason)


@pytest.mark.cli
@pytest.mark.anyio
@pytest.mark.parametrize("name", ["exit-2-missing-words", "exit-1", "json-after-a-log-line"])
async def test_the_real_command_line_lets_go_where_we_do(name: str) -> None:
    settings = one_after_the_other([f"({LETTING_GO[name][0]})"])
    session = Session(model=lambda turn, _request: [text(f"done {turn}")], settings=settings)
    result = await session.run(await real_cli("new"))
    assert (session.feedback, result.text) == ([], "done 0")
