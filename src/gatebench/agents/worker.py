"""Runs one session of the worker: starts it, reads its stream, sees to its end."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

from gatebench.agents.alone import alone
from gatebench.agents.claude_code import WorkerCall, worker_env, worker_flags
from gatebench.agents.clock import Stopwatch
from gatebench.agents.paths import WORK, locate
from gatebench.agents.program import AgentProgram
from gatebench.agents.result import Ending, Tally, WorkerResult
from gatebench.agents.stream import Event, Result, StreamParser
from gatebench.sandbox import Command, Process, Sandbox

GRACE_S = 10.0
"""How long a session may go on without a word after its result, or after closing its stream."""


async def _ignore(_event: Event) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Watch:
    """Who looks on while the worker runs."""

    on_event: Callable[[Event], Awaitable[None]] = _ignore
    """Gets every event in order; must be quick, the stream waits for it."""
    on_bytes: Callable[[bytes], None] | None = None
    """Gets the stream's bytes unchanged, before their events."""
    on_start: Callable[[Process], None] | None = None
    """Gets the process as soon as it runs."""
    clock: Stopwatch = field(default_factory=Stopwatch)
    """The worker's own time; whoever makes the worker wait pauses it."""
    grace_s: float = GRACE_S


def worker_command(program: AgentProgram, sandbox: Sandbox, call: WorkerCall) -> Command:
    """The whole command of a session."""
    binds = (*call.binds(), *program.binds)
    return Command(
        argv=(*program.command(sandbox, binds), *worker_flags(call, sandbox)),
        binds=binds,
        env=worker_env(call, sandbox),
        cwd=locate(sandbox, binds, WORK),
        limits=call.limits,
        network=call.login is not None,
    )


async def run_worker(
    program: AgentProgram, sandbox: Sandbox, call: WorkerCall, watch: Watch | None = None
) -> WorkerResult:
    """Run a session to its end, whichever way it ends.

    Nothing of it is left when this returns.

    Raises:
        SpawnFailed: it could not be started.
    """
    session = _Session(watch or Watch(), call.limits.wall_s)
    with alone():
        async with sandbox.start(worker_command(program, sandbox, call)) as process:
            return await session.run(process)


class _Session:
    """One run's state."""

    def __init__(self, watch: Watch, limit_s: float) -> None:
        self._watch = watch
        self._limit_s = limit_s
        self._tally = Tally()
        self._timed_out = False
        self._lingered = False
        self._closing_at: float | None = None
        self._closing = anyio.Event()

    async def run(self, process: Process) -> WorkerResult:
        started = time.monotonic()
        self._watch.clock.restart()
        if self._watch.on_start:
            self._watch.on_start(process)
        async with anyio.create_task_group() as group:
            group.start_soon(self._deadline, process)
            group.start_soon(self._linger, process)
            await self._read(process)
            self._close()
            exit_code = await process.wait()
            group.cancel_scope.cancel()
        await process.stop()
        return self._tally.finish(
            Ending(
                exit_code=exit_code,
                timed_out=self._timed_out,
                lingered=self._lingered,
                worker_wall_s=self._watch.clock.elapsed_s,
                wall_s=time.monotonic() - started,
                stderr=process.stderr,
            )
        )

    async def _read(self, process: Process) -> None:
        parser = StreamParser()
        try:
            async for data in process.stdout:
                if self._watch.on_bytes:
                    self._watch.on_bytes(data)
                await self._hand_on(parser.feed(data))
        except anyio.BrokenResourceError:
            pass  # a session that was killed may end its stream so
        await self._hand_on(parser.close())

    async def _hand_on(self, events: list[Event]) -> None:
        for event in events:
            self._tally.add(event)
            if isinstance(event, Result) or self._closing_at is not None:
                self._close()
            await self._watch.on_event(event)

    def _close(self) -> None:
        """From here on the session should end soon."""
        self._closing_at = time.monotonic()
        self._closing.set()

    async def _deadline(self, process: Process) -> None:
        await self._watch.clock.wait_until(self._limit_s)
        self._timed_out = not self._tally.results
        self._lingered = not self._timed_out
        await process.stop()

    async def _linger(self, process: Process) -> None:
        await self._closing.wait()
        while (left := self._left_s()) > 0:  # noqa: ASYNC110  # every event puts the end off
            await anyio.sleep(left)
        self._lingered = True
        await process.stop()

    def _left_s(self) -> float:
        return (self._closing_at or 0.0) + self._watch.grace_s - time.monotonic()
