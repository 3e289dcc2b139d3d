"""The long-lived process: its stdout, its members, stopping and letting go."""

import time
from pathlib import Path

import anyio
from shutin import opened, script

from gatebench.sandbox import Bind, Limits, Process, open_sandbox, procfs
from gatebench.sandbox.procfs import still

_BUSY = "while :; do echo x >> /home/dev/project/log; done"


async def first_line(process: Process) -> bytes:
    return await process.stdout.receive()


def test_stdout_is_a_socket_that_cant_be_opened_anew() -> None:
    async def main() -> bytes:
        text = "readlink /proc/$$/fd/1; (echo forged > /proc/$$/fd/1) 2>&1 | cat >&2; sleep 9"
        async with opened().start(script(text)) as process:
            line = await first_line(process)
            await anyio.sleep(0.2)
            assert b"No such device" in process.stderr
            return line

    assert anyio.run(main).startswith(b"socket:")


def test_its_output_ends_and_its_code_is_told() -> None:
    async def main() -> tuple[bytes, int, bytes]:
        async with opened().start(script("echo a; echo b >&2; exit 4")) as process:
            out = b"".join([part async for part in process.stdout])
            code = await process.wait()
            await anyio.sleep(0.05)
            return out, code, process.stderr

    assert anyio.run(main) == (b"a\n", 4, b"b\n")


def test_freezing_stands_still_and_thawing_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = f"(setsid sh -c '{_BUSY}' &); ({_BUSY}) & echo up; wait"
    binds = (Bind(tmp_path, "/home/dev/project", writable=True),)

    async def main() -> None:
        async with opened().start(script(text, binds=binds)) as process:
            await first_line(process)
            await anyio.sleep(0.1)
            assert len(process.members()) >= 3
            process.freeze(())
            before = log.stat().st_size
            assert all(map(still, process.members()))
            await anyio.sleep(0.2)
            assert log.stat().st_size == before
            process.thaw()
            await anyio.sleep(0.1)
            assert log.stat().st_size > before

    anyio.run(main)


def test_freezing_catches_processes_that_beget_others(tmp_path: Path) -> None:
    log = tmp_path / "log"
    hop = "import os\nwhile True:\n    os.write(3, b'x')\n    if os.fork(): os._exit(0)\n"
    (tmp_path / "hop.py").write_text(hop)
    text = "cd /home/dev/project; python3 hop.py 3>log & sleep 0.2; echo up; sleep 20"
    binds = (Bind(tmp_path, "/home/dev/project", writable=True),)

    async def main() -> None:
        async with opened().start(script(text, binds=binds)) as process:
            await first_line(process)
            for _ in range(20):
                process.freeze(())
                before = log.stat().st_size
                await anyio.sleep(0.01)
                assert log.stat().st_size == before
                process.thaw()
                await anyio.sleep(0.02)
            assert log.stat().st_size > 20

    anyio.run(main)


def test_who_is_kept_goes_on() -> None:
    async def main() -> None:
        text = "while read x; do echo got $x; done < /tmp/none; sleep 0.3; echo kept; sleep 9"
        async with opened().start(script(text)) as process:
            await anyio.sleep(0.1)
            process.freeze(process.members())
            assert b"kept" in await first_line(process)

    anyio.run(main)


def test_freezing_is_quick() -> None:
    async def main() -> float:
        async with opened().start(script("sleep 20 & sleep 20 & echo up; wait")) as process:
            await first_line(process)
            begun = time.monotonic()
            process.freeze(())
            return time.monotonic() - begun

    assert anyio.run(main) < 0.1


def test_stopping_ends_frozen_and_stubborn_processes() -> None:
    async def main() -> tuple[int, ...]:
        text = "trap '' INT TERM; echo up; (setsid sleep 50 &) ; while :; do sleep 1; done"
        async with opened().start(script(text)) as process:
            await first_line(process)
            members = process.members()
            process.freeze(())
            await process.stop(0.2)
            assert process.members() == ()
            assert await process.wait() == 137
            return members

    assert not any(Path(f"/proc/{pid}").exists() for pid in anyio.run(main))


def test_it_can_be_stopped_from_two_sides_at_once() -> None:
    async def main() -> None:
        text = "trap '' INT TERM; echo up; while :; do sleep 1; done"
        async with opened().start(script(text)) as process:
            await first_line(process)
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(process.stop, 0.1)
            assert process.members() == ()

    anyio.run(main)


def test_leaving_ends_it() -> None:
    async def main() -> tuple[int, ...]:
        async with opened().start(script("(setsid sleep 50 &); echo up; sleep 50")) as process:
            await first_line(process)
            assert procfs.exists(process.pid)
            return process.members()

    members = anyio.run(main)
    assert members
    assert not any(Path(f"/proc/{pid}").exists() for pid in members)


def test_without_a_sandbox_the_same_calls_work(tmp_path: Path) -> None:
    plain = open_sandbox("none")
    assert plain.inside(Bind(tmp_path, "/x")) == str(tmp_path)

    async def main() -> None:
        done = await plain.run(script("cat; setsid sleep 50 & exit 3", stdin=b"in"))
        assert (done.exit_code, done.stdout, done.timed_out) == (3, b"in", False)
        done = await plain.run(script("setsid sleep 50 & sleep 50", limits=Limits(0.2)))
        assert done.timed_out
        async with plain.start(script("(setsid sleep 50 &); echo up; sleep 50")) as process:
            await first_line(process)
            await anyio.sleep(0.2)
            members = process.members()
            assert len(members) == 3
            process.freeze(())
            assert all(map(still, members))
            await process.stop(0.2)
        assert process.members() == ()

    anyio.run(main)
