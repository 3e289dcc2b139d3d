"""The two agents without a model: one does nothing, one copies a solution in."""

import pytest
from gated import Session, blocks

from gatebench.agents.paths import OVERLAY
from gatebench.agents.program import stub_program
from gatebench.agents.result import Cause
from gatebench.agents.stream import (
    Assistant,
    HookResponse,
    HookStarted,
    Init,
    Message,
    Result,
    User,
)
from gatebench.hook.server import StopRequest
from gatebench.model.stop import Delivery
from gatebench.sandbox import Bind, Kind

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("kind", ["bwrap", "none"])
async def test_the_reference_has_its_overlay_in_place_at_its_first_stop(kind: Kind) -> None:
    session = Session(kind=kind)
    overlay = session.scratch / "overlay"
    (overlay / "pkg").mkdir(parents=True)
    (overlay / "pkg/new.py").write_text("new")
    session.extra = (Bind(overlay, OVERLAY),)
    seen: list[str] = []

    async def judge(_stop: StopRequest) -> bytes:
        seen.append((session.work / "pkg/new.py").read_text())
        return b""

    session.judge = judge
    result = await session.run(stub_program("reference"))
    assert seen == ["new"]
    assert (result.cause, result.total_cost_usd, result.num_turns) == (Cause.OK, 0.0, 1)


async def test_nop_leaves_everything_as_it_is() -> None:
    session = Session(judge=blocks(1))
    await session.run(stub_program("nop"))
    assert session.kept == {}
    assert session.outcomes == [Delivery.DELIVERED] * 2


async def test_a_bare_stub_stops_at_once() -> None:
    session = Session(gated=False)
    result = await session.run(stub_program("nop"))
    assert (result.cause, result.stop_responses, result.num_turns) == (Cause.OK, 0, 1)


async def test_its_stream_is_the_clis() -> None:
    session = Session(judge=blocks(1))
    await session.run()
    kinds = [type(e) for e in session.events]
    stop = [Assistant, HookStarted, HookResponse]
    assert kinds == [Init, *stop, User, *stop, Result]
    ids = [e.hook_id for e in session.events if isinstance(e, HookStarted)]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    sessions = {e.raw["session_id"] for e in session.events if isinstance(e, Message)}
    assert len(sessions) == 1


async def test_a_script_is_told_of_each_moment() -> None:
    script = """
def note(text):
    with open("notes.txt", "a") as file:
        file.write(text + ";")

def start(cwd): note("start " + cwd)
def before_stop(n): note(f"stop {n}")
def after_block(n, reason): note(f"blocked {n} {reason}")
def end(): note("end")
"""
    session = Session(judge=blocks(1, "why"), script=script)
    await session.run()
    said = "start /home/dev/project;stop 1;blocked 1 why;stop 2;end;"
    assert session.kept["notes.txt"] == said
