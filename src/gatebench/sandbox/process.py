"""A long-lived command: its stdout as it comes, its processes to be stopped and let go."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager

import anyio

from gatebench.sandbox import procfs
from gatebench.sandbox.capture import Capture
from gatebench.sandbox.freezing import Freezer
from gatebench.sandbox.launched import Launched, check_started, drain, end, feed, put_away
from gatebench.sandbox.output import SocketOutput, Writers, socket_pair
from gatebench.sandbox.spec import Command

Launch = Callable[[Command, int], Awaitable[Launched]]
"""Starts a command with a given file descriptor as its stdout."""


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

    @property
    def forged(self) -> bytes:
        """What others than its program wrote into its stdout, capped; no part of `stdout`."""
        return self.stdout.forged

    @property
    def writers(self) -> frozenset[int]:
        """Host pids of its program: those whose output is its stdout."""
        return self.stdout.writers.pids

    def threads(self) -> int:
        """How many threads its live processes have together."""
        found, _ = self._launched.tree.look()
        return procfs.threads(found)

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
    ours, theirs = socket_pair()
    with ours:
        with theirs:
            launched = await launch(command, theirs.fileno())
        errors = Capture(command.limits.output_bytes)
        process = Process(launched, SocketOutput(ours, Writers(launched.tree)), errors)
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
