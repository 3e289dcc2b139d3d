"""A session ends, whichever way the agent's process behaves (rows C1, C2, C4 of the cases)."""

import anyio
import pytest
from gated import Session, blocks

from gatebench.agents.result import Cause
from gatebench.agents.stream import Broken, Init, Result

pytestmark = pytest.mark.anyio

STUBBORN = """
import signal
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
"""


async def test_one_that_prints_its_result_and_sleeps_is_stopped_after_a_grace() -> None:
    session = Session(script="import time\ndef end():\n    time.sleep(600)", grace_s=0.5)
    result = await session.run()
    assert (result.cause, result.lingered, result.timed_out) == (Cause.OK, True, False)
    assert 0.5 <= result.wall_s < 10


async def test_one_that_prints_no_result_ends_at_its_deadline() -> None:
    session = Session(script="import time\ndef start(cwd):\n    time.sleep(600)", wall_s=0.5)
    result = await session.run()
    assert (result.cause, result.results, result.timed_out) == (Cause.TIMED_OUT, 0, True)
    assert isinstance(session.events[0], Init), "what came before is kept"


async def test_one_that_stops_in_the_middle_of_a_line_leaves_it_as_evidence() -> None:
    script = 'import os\ndef start(cwd):\n    os.write(1, b\'{"type":"res\')\n    os._exit(3)'
    session = Session(script=script)
    result = await session.run()
    assert (result.cause, result.exit_code, result.broken_lines) == (Cause.CRASHED, 3, 1)
    assert session.events[-1] == Broken(b'{"type":"res')
    assert session.raw.endswith(b'\n{"type":"res')


async def test_one_that_leaves_without_a_result_is_classed_so() -> None:
    result = await Session(script="import os\ndef start(cwd):\n    os._exit(0)").run()
    assert (result.cause, result.total_cost_usd, result.num_turns) == (Cause.NO_RESULT, None, None)


async def test_one_that_closes_its_stream_and_stays_ends_at_its_deadline() -> None:
    script = "import os, time\ndef start(cwd):\n    os.close(1)\n    time.sleep(600)"
    result = await Session(script=script, wall_s=0.5).run()
    assert (result.cause, result.results) == (Cause.TIMED_OUT, 0)


async def test_what_ignores_signals_and_goes_on_editing_is_dead_on_return() -> None:
    script = f"""{STUBBORN}
import os
def start(cwd):
    if os.fork() == 0:
        os.setsid()
    with open("edited.txt", "ab", buffering=0) as file:
        while True:
            file.write(b"x")
"""
    session = Session(script=script, wall_s=0.5)
    result = await session.run()
    size = len(session.kept["edited.txt"])
    await anyio.sleep(0.1)
    assert size > 0
    assert (session.work / "edited.txt").stat().st_size == size
    assert result.cause is Cause.TIMED_OUT


async def test_of_two_results_the_last_counts_and_both_are_in_the_stream() -> None:
    first = "emit(type='result', subtype='success', is_error=False, total_cost_usd=1.0, result='1')"
    session = Session(script=f"def start(cwd):\n    {first}", judge=blocks(1))
    result = await session.run()
    assert (result.results, result.text, result.total_cost_usd) == (2, "Done.", 0.0)
    assert sum(isinstance(e, Result) for e in session.events) == 2
    assert len(session.deliveries) == 2


async def test_turns_that_are_used_up_are_classed() -> None:
    result = await Session(judge=blocks(9), max_turns=2).run()
    assert (result.cause, result.exit_code, result.num_turns) == (Cause.MAX_TURNS, 1, 2)


async def test_the_raw_stream_is_handed_on_unchanged() -> None:
    script = "import os\ndef start(cwd):\n    os.write(1, b'\\xff\\xfe no json\\r\\n')"
    session = Session(script=script)
    result = await session.run()
    assert b"\xff\xfe no json\r\n" in session.raw
    assert (result.cause, result.broken_lines) == (Cause.OK, 1)


async def test_what_it_says_on_stderr_is_kept() -> None:
    script = "import sys\ndef start(cwd):\n    print('a word', file=sys.stderr)"
    assert b"a word" in (await Session(script=script).run()).stderr
