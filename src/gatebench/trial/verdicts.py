"""The oracle's verdicts of one trial, off the agent's path: nobody waits for them but the score."""

from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskGroup

from gatebench.model.labels import said_no
from gatebench.oracle import Judgement
from gatebench.store.trial_dir import TrialDir
from gatebench.suites.waiting import Waiters
from gatebench.trial.bench import Bench
from gatebench.trial.stop_log import StopLog


class Verdicts:
    """Starts a judgement at each snapshot and files what comes of it."""

    def __init__(
        self, bench: Bench, home: TrialDir, log: StopLog, group: TaskGroup, waiters: Waiters
    ) -> None:
        self._bench = bench
        self._home = home
        self._log = log
        self._group = group
        self._waiters = waiters
        self._open = 0
        self._idle = anyio.Event()
        self._idle.set()

    def begin(self, n: int, tree: str, first: Callable[[], Awaitable[None]] | None = None) -> None:
        """Judge the snapshot of a stop, beside whatever else is going on.

        Args:
            n: the stop.
            tree: its snapshot.
            first: what is to be done before, out of the agent's way too.
        """
        self._open += 1
        if self._open == 1:
            self._idle = anyio.Event()
        self._group.start_soon(self._judge, n, tree, first)

    async def settled(self) -> None:
        """Wait until every judgement that was begun is filed."""
        await self._idle.wait()

    async def final(self, tree: str) -> Judgement:
        """Judge the last tree; equal to the last stop's, it is not judged again."""
        judgement = await self._judged(tree)
        self._home.write("hidden.txt", judgement.log)
        self._home.save("hidden-final.json", judgement.verdict)
        return judgement

    async def _judged(self, tree: str) -> Judgement:
        return await self._bench.oracle.judge(tree, self._log.trial.task, self._waiters)

    async def suites_of_blocks(self) -> None:
        """Where a block met a tree with every requirement passing, ask upstream's suite too.

        That is what tells a false block from a regression block.
        """
        for stop in self._log.stops:
            whole = stop.hidden is not None and not (stop.hidden.failed or stop.hidden.unscorable)
            if whole and stop.tree is not None and said_no(stop):
                run = await self._bench.oracle.run_suite(stop.tree)
                self._log.update(stop.n, suite_green=run.green)

    async def _judge(self, n: int, tree: str, first: Callable[[], Awaitable[None]] | None) -> None:
        try:
            if first is not None:
                await first()
            judgement = await self._judged(tree)
            self._home.write(f"hidden-{n}.txt", judgement.log)
            self._home.save(f"hidden-{n}.json", judgement.verdict)
            self._log.update(n, hidden=judgement.verdict.summary())
        finally:
            self._open -= 1
            if not self._open:
                self._idle.set()
