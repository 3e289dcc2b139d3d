"""Runs of pytest that are started before their tree is there.

Starting a sandbox, an interpreter and pytest takes longer than many a suite's tests. None of it
needs the tree, so it can be done while the agent works. What waits has an empty directory in the
tree's place and no order, no key, no tests; all of that comes at the moment of its one run. It is
never handed to another trial and never used twice.

That a process waits is a saving and nothing else: where none does, or the one that did is gone, the
run starts one.
"""

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from gatebench.sandbox import Completed, Prepared, Sandbox
from gatebench.suites.environment import TestEnvironment
from gatebench.suites.stand import Shape, Stand, tools, tree_place

NEVER_S = 1e9
"""A waiting command's own deadline: its run brings the real one."""


@dataclass(frozen=True)
class Waiting:
    """One process that waits, and the directories that were made for it."""

    stand: Stand
    process: Prepared
    _files: ExitStack = field(repr=False)

    async def go(self, order: bytes, limit_s: float) -> Completed:
        """Its one run.

        Raises:
            SpawnFailed: it had never started.
        """
        return await self.process.go(order, limit_s, self.stand.own)

    async def end(self) -> None:
        """Nothing of it is left on return, process or file."""
        with anyio.CancelScope(shield=True):
            await self.process.end()
            await anyio.to_thread.run_sync(self._files.close)


class Waiters:
    """What waits for one trial; made by `open_waiters`."""

    def __init__(self, sandbox: Sandbox, environment: TestEnvironment, group: TaskGroup) -> None:
        self._sandbox = sandbox
        self._environment = environment
        self._group = group
        self._wanted: Counter[Shape] = Counter()
        """How many are being started."""
        self._free: list[Waiting] = []
        self._seated: dict[Path, Waiting] = {}
        """Those whose tree is being filled, by its directory."""

    def want(self, shapes: Iterable[Shape]) -> None:
        """See that one waits for each of these runs; they are started beside the caller."""
        missing = Counter(shapes) - self._wanted - Counter(w.stand.shape for w in self._free)
        self._wanted += missing
        for shape in missing.elements():
            self._group.start_soon(self._start, shape)

    @asynccontextmanager
    async def seat(self, shape: Shape) -> AsyncIterator[Path]:
        """An absent or empty directory for a tree, gone afterwards.

        Who lays the tree out there and runs pytest on it finds the process that waits for it.
        """
        waiting = next((w for w in self._free if w.stand.shape == shape), None)
        if waiting is None:
            async with tree_place() as place:
                yield place
            return
        self._free.remove(waiting)
        place = waiting.stand.tree
        self._seated[place] = waiting
        try:
            yield place
        finally:
            self._seated.pop(place, None)
            await waiting.end()

    def claim(self, tree: Path, shape: Shape) -> Waiting | None:
        """What waits for a tree that lies at this place; to the first who asks."""
        waiting = self._seated.pop(tree, None)
        fits = waiting and waiting.stand.shape == shape and waiting.process.alive
        return waiting if fits else None

    @property
    def free(self) -> tuple[Shape, ...]:
        """What waits for a tree now."""
        return tuple(waiting.stand.shape for waiting in self._free)

    async def end(self) -> None:
        """End all that wait."""
        while self._free:
            await self._free.pop().end()

    async def _start(self, shape: Shape) -> None:
        try:
            waiting = await _begun(self._sandbox, self._environment, shape)
        finally:
            self._wanted[shape] -= 1
        if waiting is not None:
            self._free.append(waiting)


async def _begun(sandbox: Sandbox, environment: TestEnvironment, shape: Shape) -> Waiting | None:
    """A process that waits; ``None`` where it can't be had."""
    # The boundary: whatever goes wrong here, the run will start anew, and say what is wrong.
    with ExitStack() as files, suppress(Exception):
        tree, folder = files.enter_context(_empty()), files.enter_context(tools())
        stand = Stand(sandbox, environment, shape, tree, folder)
        process = await sandbox.prepare(stand.command(NEVER_S))
        if process is not None:
            return Waiting(stand, process, files.pop_all())
    return None


@contextmanager
def _empty() -> Iterator[Path]:
    """An empty directory, which lies as other trees do; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="t", ignore_cleanup_errors=True) as name:
        tree = Path(name, "w")
        tree.mkdir()
        yield tree


@asynccontextmanager
async def open_waiters(sandbox: Sandbox, environment: TestEnvironment) -> AsyncIterator[Waiters]:
    """What waits for one trial; on leaving, nothing of it is left."""
    group = anyio.create_task_group()
    waiters = Waiters(sandbox, environment, group)
    try:
        async with group:
            try:
                yield waiters
            finally:
                group.cancel_scope.cancel()
    finally:
        # Now nothing is being started any more, and what came up at the last moment is among them.
        await waiters.end()
