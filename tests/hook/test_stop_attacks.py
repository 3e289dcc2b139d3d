"""An agent that really does what one shouldn't, inside the sandbox (row C3 of the cases)."""

import platform

import anyio
import pytest
from gated import Session, block, blocks

from gatebench.agents.paths import AGENT
from gatebench.agents.program import AgentProgram, stub_program
from gatebench.agents.result import Cause
from gatebench.hook.server import StopRequest
from gatebench.model.stop import Delivery
from gatebench.sandbox import Bind

pytestmark = pytest.mark.anyio

DAEMON = """
import os, signal, subprocess, sys, time

def daemon(code):
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True, **quiet)
    time.sleep(0.3)
"""

EDITOR = """
with open("edited.txt", "ab", buffering=0) as file:
    while True:
        file.write(b"x")
"""

THROUGH_INIT = """
import os, time
# for ever: open the path below, append a byte, close
code = bytes.fromhex(
    "b802000000488d3d2a000000be41040000bab60100000f0589c7"
    "488d3515000000ba01000000b8010000000f05b8030000000f05ebca"
)
path = b"/home/dev/project/edited.txt\\0"
pc = int(open("/proc/1/syscall").read().split()[-1], 16)
with open("/proc/1/mem", "r+b", buffering=0) as memory:
    memory.seek(pc)
    memory.write(code + path)
if os.fork() == 0:
    os._exit(0)
"""

KNOCK = """
import socket
line = socket.socket(socket.AF_UNIX)
line.connect("/run/stop/socket")
line.sendall((2).to_bytes(4, "big") + b"{}")
"""


def starts(code: str) -> str:
    """A stub that starts a daemon and then stops."""
    return f"{DAEMON}\ndef start(cwd):\n    daemon({code!r})\n"


async def watched(session: Session) -> list[set[int]]:
    """Run a session; for each stop, all sizes that the edited file had while it was judged."""
    seen: list[set[int]] = []

    async def judge(stop: StopRequest) -> bytes:
        sizes = set()
        for _ in range(20):
            sizes.add((session.work / "edited.txt").stat().st_size)
            await anyio.sleep(0.01)
        seen.append(sizes)
        return block("no") if stop.n == 1 else b""

    session.judge = judge
    await session.run()
    return seen


HIJACKED = pytest.param(
    THROUGH_INIT,
    id="through the init",
    marks=pytest.mark.skipif(platform.machine() != "x86_64", reason="the code is x86-64's"),
)


@pytest.mark.parametrize(
    "editor",
    [pytest.param(EDITOR, id="plain"), pytest.param(KNOCK + EDITOR, id="connected"), HIJACKED],
)
async def test_nothing_changes_while_a_stop_is_judged(editor: str) -> None:
    session = Session(script=starts(editor))
    seen = await watched(session)
    assert [len(sizes) for sizes in seen] == [1, 1]
    assert seen[0] != seen[1], "between the stops it went on"
    assert session.outcomes == [Delivery.DELIVERED] * 2


async def test_a_client_can_not_be_killed_while_its_stop_is_judged() -> None:
    killer = """
import os, signal, time
while True:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if b"/run/stop/" b"check" in open(f"/proc/{pid}/cmdline", "rb").read():
                time.sleep(0.15)
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass
"""
    session = Session(script=starts(killer))

    async def judge(_stop: StopRequest) -> bytes:
        await anyio.sleep(0.5)
        return b""

    session.judge = judge
    await session.run()
    assert session.outcomes == [Delivery.DELIVERED]


async def test_a_client_that_is_stopped_for_ever_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatebench.hook.tracker.UNCONNECTED_S", 0.5)
    stopper = """
import os, signal
done = False
while not done:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if b"/run/stop/" b"check" in open(f"/proc/{pid}/cmdline", "rb").read():
                os.kill(int(pid), signal.SIGSTOP)
                done = True
        except OSError:
            pass
"""
    session = Session(judge=blocks(1), script=starts(stopper))
    await session.run()
    assert [stop.n for stop in session.stops] == [1, 2]
    assert session.outcomes == [Delivery.DELIVERED] * 2


async def test_the_hooks_files_can_not_be_changed() -> None:
    script = """
import os, pathlib

def start(cwd):
    attempts = [
        lambda: os.chmod("/run/stop/check", 0),
        lambda: os.unlink("/run/stop/check"),
        lambda: os.unlink("/run/stop/socket"),
        lambda: open("/run/stop/check", "w"),
        lambda: open("/run/settings.json", "w"),
        lambda: os.unlink("/run/settings.json"),
        lambda: os.rename("/run/stop", "/run/gone"),
    ]
    failed = 0
    for attempt in attempts:
        try:
            attempt()
        except OSError:
            failed += 1
    pathlib.Path("failed.txt").write_text(f"{failed} of {len(attempts)}")
"""
    session = Session(judge=blocks(1), script=script)
    await session.run()
    assert session.outcomes == [Delivery.DELIVERED] * 2
    assert session.kept["failed.txt"] == "7 of 7"


async def test_the_stream_can_not_be_written_by_another_process() -> None:
    forger = """
import os, pathlib
told = []
for pid in sorted(filter(str.isdigit, os.listdir("/proc")), key=int):
    try:
        with open(f"/proc/{pid}/fd/1", "wb") as stream:
            if os.isatty(stream.fileno()) or os.fstat(stream.fileno()).st_rdev:
                continue
            stream.write(b'{"type":"system","subtype":"hook_started","hook_event":"Stop","hook_id":"f"}\\n')
            told.append("written")
    except OSError as error:
        told.append(error.strerror)
pathlib.Path("told.txt").write_text("\\n".join(told))
"""
    session = Session(script=starts(forger))
    await session.run()
    assert "No such device or address" in session.kept["told.txt"]
    assert session.deliveries == [(1, Delivery.DELIVERED, 0)]


FLOOD = """
import os, socket, time
for _ in range({others}):
    if os.fork() == 0:
        break
lines = []
for _ in range({each}):
    line = socket.socket(socket.AF_UNIX)
    line.connect("/run/stop/socket")
    lines.append(line)
open(f"/tmp/{{os.getpid()}}.up", "w").close()
time.sleep(60)
"""


@pytest.mark.parametrize(("processes", "each"), [(1, 300), (60, 4)], ids=["one", "many"])
async def test_a_flood_of_connections_crowds_no_one_out(processes: int, each: int) -> None:
    flood = starts(FLOOD.format(others=processes - 1, each=each))
    up = f"    while sum(n.endswith('.up') for n in os.listdir('/tmp')) < {processes}:\n"
    session = Session(judge=blocks(1), script=flood + up + "        time.sleep(0.05)\n")
    await session.run()
    assert session.outcomes == [Delivery.DELIVERED] * 2
    assert session.server
    assert session.server.forged >= 100


async def test_nonsense_on_the_socket_disturbs_no_one() -> None:
    nonsense = """
import os, socket
for said in (b"", b"x", b"\\xff" * 8, (99).to_bytes(4, "big") + b"short", os.urandom(100_000)):
    line = socket.socket(socket.AF_UNIX)
    line.connect("/run/stop/socket")
    try:
        line.sendall(said)
    except OSError:
        pass
    line.close()
"""
    session = Session(judge=blocks(1), script=starts(nonsense))
    await session.run()
    assert session.outcomes == [Delivery.DELIVERED] * 2
    assert session.server
    assert session.server.forged == 5


async def test_a_session_killed_during_its_stop_leaves_the_stop_judged() -> None:
    script = f"""{DAEMON}
def before_stop(n):
    daemon('''
import os, signal, time
time.sleep(0.6)
os.kill({{}}, signal.SIGKILL)
'''.format(os.getpid()))
"""
    session = Session(judge=blocks(9), script=script)

    async def judge(_stop: StopRequest) -> bytes:
        await anyio.sleep(1)
        return block("no")

    session.judge = judge
    result = await session.run()
    assert session.stops
    assert len(session.outcomes) == len(session.stops)
    assert result.cause is Cause.CRASHED


async def test_a_judge_that_takes_too_long_is_ended_and_the_stop_allowed() -> None:
    async def judge(_stop: StopRequest) -> bytes:
        await anyio.sleep(30)
        return block("too late")

    session = Session(judge=judge, stop_limit_s=0.2)
    await session.run()
    assert session.outcomes == [Delivery.DELIVERED]
    assert [(n, type(error)) for n, error in session.failures] == [(1, TimeoutError)]


async def test_the_time_of_gates_is_not_the_workers() -> None:
    async def judge(_stop: StopRequest) -> bytes:
        await anyio.sleep(1.5)
        return b""

    session = Session(judge=judge, wall_s=1.2)
    result = await session.run()
    assert result.cause is Cause.OK
    assert result.worker_wall_s < 1.2
    assert result.wall_s > 1.5


async def test_an_agent_behind_a_wrapper_script_is_not_held_up() -> None:
    session = Session(judge=blocks(2))
    result = await session.run(wrapped(session))
    assert session.outcomes == [Delivery.DELIVERED] * 3
    assert result.cause is Cause.OK


def wrapped(session: Session) -> AgentProgram:
    wrapper = session.scratch / "wrapper"
    wrapper.write_text('#!/bin/sh\n/opt/python/bin/python -I /opt/agent/inner "$@"\nexit $?\n')
    wrapper.chmod(0o755)
    stub = stub_program("nop").binds[0].source
    return AgentProgram(
        "wrapped", (Bind(wrapper, AGENT), Bind(stub, "/opt/agent/inner")), (AGENT,), "1"
    )


async def test_without_a_sandbox_the_same_hook_works() -> None:
    session = Session(judge=blocks(2), kind="none")
    await session.run()
    assert session.outcomes == [Delivery.DELIVERED] * 3
    assert session.feedback == ["Stop hook feedback:\nnot yet"] * 2
