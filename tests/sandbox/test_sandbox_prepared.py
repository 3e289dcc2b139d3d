"""Commands that are started first and told later what they are to do."""

import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from shutin import opened, script

from gatebench.sandbox import Bind, Completed, Prepared, open_sandbox

TREE = "/home/dev/project"
Way = Callable[[Prepared], Awaitable[Completed]]


@pytest.fixture
def number() -> str:
    """A duration for ``sleep`` that no one else uses, to find the process by."""
    return f"600.{secrets.randbelow(10**9):09}"


def alive_with(word: str) -> list[str]:
    """Command lines that hold a word."""
    lines = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())
    return [line.decode() for line in lines if word.encode() in line]


def prepared(text: str, way: Way, binds: tuple[Bind, ...] = ()) -> Completed:
    """What becomes of a shell script that is dealt with in some way once it waits."""

    async def session() -> Completed:
        process = await opened().prepare(script(text, binds=binds))
        assert process is not None
        try:
            return await way(process)
        finally:
            await process.end()

    return anyio.run(session)


@pytest.mark.parametrize("writable", [True, False])
def test_what_is_filled_in_later_is_seen_and_used(tmp_path: Path, writable: bool) -> None:  # noqa: FBT001
    place = tmp_path / "w"
    place.mkdir()
    bind = Bind(place, TREE, writable=writable)

    async def way(process: Prepared) -> Completed:
        (place / "below").mkdir(mode=0o700)
        (place / "below/a").write_text("late")
        (place / "below/a").chmod(0o600)
        return await process.go(b"cat below/a; echo more >> below/a || echo refused", 20, (bind,))

    done = prepared(f"cd {TREE}; read -r line; eval $line", way, (bind,))
    assert done.stdout.startswith(b"late")
    assert (b"refused" in done.stdout) is not writable
    assert (place / "below/a").read_text() == ("latemore\n" if writable else "late")


def test_the_deadline_starts_when_it_is_let_go(number: str) -> None:
    async def way(process: Prepared) -> Completed:
        await anyio.sleep(0.6)
        return await process.go(b"\n", 0.5)

    began = time.monotonic()
    done = prepared(f"read -r line; echo begun; sleep {number}", way)
    assert done.timed_out
    assert done.stdout == b"begun\n"
    assert 0.4 < done.wall_s < time.monotonic() - began - 0.5
    assert alive_with(number) == []


def test_waiting_takes_nothing_from_its_time() -> None:
    async def way(process: Prepared) -> Completed:
        await anyio.sleep(1.2)
        return await process.go(b"\n", 1.0)

    done = prepared("read -r line; echo done", way)
    assert (done.exit_code, done.stdout, done.timed_out) == (0, b"done\n", False)
    assert done.wall_s < 1


def test_what_is_ended_leaves_nothing_and_is_alive_no_more(number: str) -> None:
    async def session() -> list[bool]:
        process = await opened().prepare(script(f"sleep {number}"))
        assert process is not None
        seen = [process.alive]
        for _ in range(2):
            await process.end()
            seen.append(process.alive)
        return seen

    assert anyio.run(session) == [True, False, False]
    assert alive_with(number) == []


def test_what_was_killed_while_it_waited_says_nothing() -> None:
    async def way(process: Prepared) -> Completed:
        await process.launched.tree.destroy()
        return await process.go(b"\n", 5)

    done = prepared("read -r line; echo here", way)
    assert done.exit_code is None
    assert done.stdout == b""


def test_without_a_sandbox_nothing_is_prepared() -> None:
    assert anyio.run(open_sandbox("none").prepare, script("true")) is None
