"""A long-lived command: its stdout as it comes, its processes to be stopped and let go."""

import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteReceiveStream

from gatebench.sandbox.capture import Capture
from gatebench.sandbox.freezing import Freezer
from gatebench.sandbox.launched import Launched, check_started, drain, end, feed, put_away
from gatebench.sandbox.spec import Command

Launch = Callable[[Command, int], Awaitable[Launched]]
"""Starts a command with a given file descriptor as its stdout."""


class SocketOutput(ByteReceiveStream):
    """Our end of the socket pair that is a command's stdout.

    A pipe could be opened anew by any process of the same user, through
    ``/proc/<pid>/fd/1``, and written to; a socket refuses that.
    """

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)  # noqa: FBT003  # the socket's own signature
        self._socket = end

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """The next bytes.

        Raises:
            anyio.EndOfStream: every writer is gone.
        """
        while True:
            try:
                data = self._socket.recv(max_bytes)
            except BlockingIOError:
                await anyio.wait_readable(self._socket)
            except ConnectionResetError:
                raise anyio.EndOfStream from None
            else:
                if not data:
                    raise anyio.EndOfStream
                return data

    async def aclose(self) -> None:
        """Close our end."""
        self._socket.close()


class Process:
    """A running command.

    Attributes:
        stdout: what it writes, as bytes come.
        pid: of the outermost process on the host.
    """

    def __init__(self, launched: Launched, stdout: SocketOutput, errors: Capture) -> None:
        self._launched = launched
        self._errors = errors
        self._freezer = Freezer(launched.tree)
        self.stdout = stdout
        self.pid = launched.process.pid

    @property
    def stderr(self) -> bytes:
        """What it wrote on stderr so far, capped; whole once it has ended."""
        return self._errors.value()

    def members(self) -> tuple[int, ...]:
        """Host pids of all its live processes (the namespace's init is none of them)."""
        return self._launched.tree.members()

    def freeze(self, keep: Collection[int]) -> None:
        """Stop all its processes but ``keep`` (host pids); they stand still on return."""
        self._freezer.freeze(keep)

    def thaw(self) -> None:
        """Let what ``freeze`` stopped go on."""
        self._freezer.thaw()

    async def wait(self) -> int:
        """Wait for its end.

        Returns:
            The exit code; 128 + n where signal n ended it, 137 where it was ended from outside.

        Raises:
            SpawnFailed: it never started.
        """
        code = await self._launched.exit_code()
        if code is None:
            await self._launched.process.wait()
            check_started(self._launched, code, self.stderr)
        return 137 if code is None else code

    async def stop(self, grace_s: float = 2.0) -> None:
        """INT, TERM, KILL, each after half the grace; nothing is left on return."""
        self.thaw()
        await end(self._launched, grace_s)


@asynccontextmanager
async def hold(launch: Launch, command: Command) -> AsyncIterator[Process]:
    """Start a command and yield it; on leaving, all its processes are dead.

    Raises:
        SpawnFailed: it can't be started.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with ours:
        with theirs:
            launched = await launch(command, theirs.fileno())
        errors = Capture(command.limits.output_bytes)
        process = Process(launched, SocketOutput(ours), errors)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(drain, errors, launched.process.stderr)
                tasks.start_soon(feed, launched.process.stdin, command.stdin)
                try:
                    yield process
                finally:
                    with anyio.CancelScope(shield=True):
                        await _finish(process, launched)
                    tasks.cancel_scope.cancel()
        finally:
            await put_away(launched)


async def _finish(process: Process, launched: Launched) -> None:
    """End what still runs."""
    process.thaw()
    await launched.tree.destroy()
    with anyio.move_on_after(1), contextlib.suppress(ProcessLookupError):
        await launched.process.wait()
