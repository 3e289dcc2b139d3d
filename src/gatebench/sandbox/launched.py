"""A command that has been started: wait for its end, collect what it wrote."""

import contextlib
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream
from anyio.abc import Process as HostProcess

from gatebench.errors import SpawnFailed
from gatebench.sandbox import procfs
from gatebench.sandbox.capture import Capture
from gatebench.sandbox.spec import Command, Completed
from gatebench.sandbox.text import clean_text
from gatebench.sandbox.tree import Tree, signal_all

_RUN_GRACE_S = 1.0
_EOF_S = 0.5
_EXIT_S = 5.0
_SAMPLE_S = 0.25
_XFSZ = 128 + signal.SIGXFSZ


@dataclass(frozen=True)
class Launched:
    """What a kind of sandbox hands over once the command runs."""

    process: HostProcess
    tree: Tree
    exit_code: Callable[[], Awaitable[int | None]]
    """Waits for the command's end; ``None`` where it was ended from outside."""


def check_started(launched: Launched, code: int | None, stderr: bytes) -> None:
    """Tell a command that never started from one that failed.

    Raises:
        SpawnFailed: the sandbox could not be set up, or there is no such program in it.
    """
    if code is None and launched.process.returncode == 1 and stderr.startswith(b"bwrap: "):
        words = clean_text(stderr, 500).strip()
        raise SpawnFailed(f"A command could not be started: {words}.", "Run `gatebench doctor`.")


async def feed(stream: ByteSendStream | None, data: bytes | None) -> None:
    """Write stdin; a command that doesn't read it is no error."""
    if stream is None:
        return
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        await stream.send(data or b"")
        await stream.aclose()


async def drain(capture: Capture, stream: ByteReceiveStream | None) -> None:
    """Read an output to its end."""
    if stream is not None:
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await capture.drain(stream)


async def end(launched: Launched, grace_s: float) -> None:
    """INT, TERM, KILL; returns when no process of the command is left."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal_all(launched.tree, number)
        with anyio.move_on_after(grace_s / 2):
            await launched.process.wait()
            break
    await launched.tree.destroy()


async def put_away(launched: Launched) -> None:
    """Leave nothing behind: no process, no open pipe; not to be cancelled."""
    with anyio.CancelScope(shield=True):
        await launched.tree.destroy()
        with anyio.move_on_after(_EXIT_S):
            await launched.process.wait()
        if launched.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                launched.process.kill()
        await launched.process.aclose()
        launched.tree.close()


@dataclass
class Watch:
    """Notes a limit that was seen to be reached."""

    limit: str | None = None

    async def look(self, launched: Launched, processes: int | None) -> None:
        """Count processes now and then."""
        while processes is not None and self.limit is None:
            await anyio.sleep(_SAMPLE_S)
            if procfs.threads(launched.tree.members()) >= processes - 2:
                self.limit = "processes"


async def _wait(launched: Launched, command: Command, watch: Watch) -> tuple[int | None, bool]:
    """The exit code, and whether the deadline passed."""
    timed_out = True
    async with anyio.create_task_group() as helpers:
        helpers.start_soon(feed, launched.process.stdin, command.stdin)
        helpers.start_soon(watch.look, launched, command.limits.processes)
        with anyio.move_on_after(command.limits.wall_s):
            await launched.exit_code()
            timed_out = False
        if timed_out:
            await end(launched, _RUN_GRACE_S)
        helpers.cancel_scope.cancel()
    return await launched.exit_code(), timed_out


async def run_to_end(launched: Launched, command: Command) -> Completed:
    """Wait for a command, within its deadline, and collect what it wrote.

    Returns only when no process of it is left, also when it is cancelled.

    Raises:
        SpawnFailed: it never started.
    """
    out, err = Capture(command.limits.output_bytes), Capture(command.limits.output_bytes)
    watch, started = Watch(), time.monotonic()
    try:
        async with anyio.create_task_group() as readers:
            readers.start_soon(drain, out, launched.process.stdout)
            readers.start_soon(drain, err, launched.process.stderr)
            code, timed_out = await _wait(launched, command, watch)
            await launched.tree.destroy()
            # All writers are dead, so the ends come at once; unless a pipe was handed outside.
            readers.cancel_scope.deadline = anyio.current_time() + _EOF_S
    finally:
        await put_away(launched)
    if not timed_out:
        check_started(launched, code, err.value())
    return Completed(
        exit_code=code,
        stdout=out.value(),
        stderr=err.value(),
        wall_s=time.monotonic() - started,
        timed_out=timed_out,
        cut=out.cut or err.cut,
        limit="file_bytes" if code == _XFSZ else watch.limit,
    )
