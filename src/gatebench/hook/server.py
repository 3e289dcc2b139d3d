"""The trial's side of the Stop hook: hears the stream, holds the socket, has stops judged."""

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import SocketStream, TaskGroup

from gatebench.agents.alone import alone
from gatebench.agents.clock import Stopwatch
from gatebench.agents.stream import Assistant, Event, HookResponse, HookStarted
from gatebench.hook.lines import Lines
from gatebench.hook.stillness import Stillness
from gatebench.hook.tracker import Action, Drop, Open, Reply, Response, Settled, Tracker
from gatebench.model.stop import Delivery
from gatebench.sandbox import Process

STOP_LIMIT_S = 1_500.0
"""A whole stop; the CLI's own limit is longer, so that ours fires first."""

_ANSWERED_S = 0.5
"""How long a hook may take to end after its answer before everything is let go."""
_TICK_S = 0.5


@dataclass(frozen=True)
class StopRequest:
    """One stop to be judged."""

    n: int
    """From 1 inside the trial."""
    input: bytes | None
    """What the hook was told, unchanged; ``None`` where nobody connected."""
    pids: tuple[int, ...]
    """Host pids of those connected so far."""
    delivered_blocks: int
    """Blocks of earlier stops that reached the agent."""
    until: float
    """When the answer must be there, on the clock of `time.monotonic`."""

    @property
    def payload(self) -> dict[str, Any]:
        """The input as an object; empty where it is none."""
        try:
            data = json.loads(self.input or b"")
        except (ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}

    @property
    def stop_hook_active(self) -> bool | None:
        """As the CLI says; logged, never used."""
        value = self.payload.get("stop_hook_active")
        return value if isinstance(value, bool) else None


@dataclass(frozen=True)
class StopCallbacks:
    """What the trial does about stops."""

    judge: Callable[[StopRequest], Awaitable[bytes]]
    """Snapshot, gates, journal; gives the answer: JSON that blocks, or nothing to allow."""
    delivered: Callable[[int, Delivery, int], Awaitable[None]]
    """Stop, what became of its answer, forged connections; once for each stop, after `judge`."""
    failed: Callable[[int, Exception], Awaitable[None]]
    """The judge raised, or ran out of time (TimeoutError). The stop is allowed then."""


class _Stop:
    """What the server keeps of a stop."""

    def __init__(self) -> None:
        self.ended = anyio.Event()
        """Its hook has ended."""
        self.judged = anyio.Event()
        self.settled: Settled | None = None


class StopServer:
    """One gated trial's server; made by `open_stop_server`."""

    def __init__(
        self, group: TaskGroup, callbacks: StopCallbacks, clock: Stopwatch, limit_s: float
    ) -> None:
        self._group = group
        self._callbacks = callbacks
        self._clock = clock
        self._limit_s = limit_s
        self._tracker = Tracker()
        self._still = Stillness()
        self._lines = Lines()
        self._stops: dict[int, _Stop] = {}

    @property
    def stops(self) -> int:
        """How many times the agent tried to stop."""
        return self._tracker.stops

    @property
    def forged(self) -> int:
        """Connections that were none of the hook's, all stops together."""
        return self._tracker.forged

    @property
    def delivered_blocks(self) -> int:
        """Blocks that reached the agent so far."""
        return self._tracker.delivered_blocks

    def attach(self, process: Process) -> None:
        """Tell which process is the agent's, so that it can be held still during a stop."""
        self._still.process = process

    async def feed(self, event: Event) -> None:
        """Take one event of the agent's stream; quick, judging goes on beside it."""
        now = time.monotonic()
        if isinstance(event, Assistant):
            await self._do(self._tracker.turn())
        elif isinstance(event, HookResponse) and event.event == "Stop":
            response = Response(event.stdout, event.exit_code, event.outcome)
            await self._do(self._tracker.responded(event.hook_id, response, now))
            n = self._tracker.number(event.hook_id)
            if n is not None:
                self._stop(n).ended.set()
        elif isinstance(event, HookStarted) and event.event == "Stop":
            await self._do(self._tracker.started(event.hook_id, now))

    async def finish(self, *, completed: bool) -> None:
        """The session is over: have judged what is left, and wait for every judge.

        Args:
            completed: it ended of its own will (`WorkerResult.completed`).
        """
        # Its number may be another's soon: nobody is signalled from here on.
        self._still.process = None
        await self._do(self._tracker.session_ended(completed=completed))
        for stop in tuple(self._stops.values()):
            stop.ended.set()
            await stop.judged.wait()

    async def serve(self, stream: SocketStream) -> None:
        """Take one connection: read what it says, wait for the answer, send it."""
        async with stream:
            peer, said = await self._lines.take(stream)
            now = time.monotonic()
            tracker = self._tracker
            await self._do(
                tracker.refused(peer) if said is None else tracker.connected(peer, said, now)
            )
            await self._lines.reply(peer, stream)

    async def ticks(self) -> None:
        """Tell the tracker that time passes, for ever."""
        while True:
            await anyio.sleep(_TICK_S)
            await self._do(self._tracker.tick(time.monotonic()))

    def _stop(self, n: int) -> _Stop:
        return self._stops.setdefault(n, _Stop())

    async def _do(self, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Open):
                self._open(action)
            elif isinstance(action, Reply):
                self._lines.answer(action.peer, action.answer)
            elif isinstance(action, Drop):
                self._lines.answer(action.peer, None)
            else:
                self._stop(action.n).settled = action
                await self._tell(action.n)

    def _open(self, action: Open) -> None:
        self._still.hold(action.n)
        self._clock.pause()
        self._stop(action.n)
        pids = self._lines.pids(self._tracker.peers(action.n))
        blocks = self._tracker.delivered_blocks
        until = time.monotonic() + self._limit_s
        request = StopRequest(action.n, action.input, pids, blocks, until)
        self._group.start_soon(self._judge, request)

    async def _judge(self, request: StopRequest) -> None:
        try:
            answer = await self._answer(request)
        finally:
            self._clock.resume()
        replies = self._tracker.answered(request.n, answer)
        peers = [r.peer for r in replies if isinstance(r, Reply)]
        self._still.release_peers(self._lines.pids(peers))
        await self._do(replies)
        stop = self._stop(request.n)
        stop.judged.set()
        await self._tell(request.n)
        with anyio.move_on_after(_ANSWERED_S):
            await stop.ended.wait()
        self._still.release(request.n)

    async def _answer(self, request: StopRequest) -> bytes:
        """The judge's answer; whatever goes wrong with it allows, and is told."""
        try:
            with anyio.fail_after(self._limit_s):
                return await self._callbacks.judge(request)
        except Exception as error:  # noqa: BLE001  # the boundary: a broken gate must not hang the agent
            await self._callbacks.failed(request.n, error)
            return b""

    async def _tell(self, n: int) -> None:
        """Say what became of a stop once it has been judged and settled, in either order."""
        stop = self._stop(n)
        settled = stop.settled
        if settled is not None and stop.judged.is_set():
            stop.settled = None
            await self._callbacks.delivered(n, settled.delivery, settled.forged)


@asynccontextmanager
async def open_stop_server(
    socket: Path,
    callbacks: StopCallbacks,
    clock: Stopwatch,
    limit_s: float = STOP_LIMIT_S,
) -> AsyncIterator[StopServer]:
    """Serve one trial's stops until the block is left.

    Args:
        socket: path of at most 107 bytes in a private directory (`HookFiles.socket`).
        callbacks: what to do about stops.
        clock: the worker's; stands still while a stop is judged.
        limit_s: most seconds for one stop.

    On leaving in peace, stops that are still being judged are waited for.
    """
    listener = await anyio.create_unix_listener(socket, mode=0o666)
    with alone():
        async with listener, anyio.create_task_group() as group:
            server = StopServer(group, callbacks, clock, limit_s)
            group.start_soon(listener.serve, server.serve)
            group.start_soon(server.ticks)
            try:
                yield server
                await server.finish(completed=False)
            finally:
                group.cancel_scope.cancel()
