"""How many calls are on their way to an upstream at once.

Fewer when it complains, more again as it answers (additive increase, multiplicative decrease). A
usage limit stops all of them.
"""

import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio

OnPause = Callable[[float, str], None]
"""Gets seconds left and why, once a second while a limit holds everything up."""


def _untold(_left_s: float, _why: str) -> None:
    """Nobody listens."""


class Lanes:
    """The lanes to one upstream. One event loop only.

    Args:
        most: calls at once when all is well.
        on_pause: told of the countdown of a pause.
        now: a monotonic clock in seconds.
    """

    def __init__(
        self,
        most: int = 16,
        on_pause: OnPause = _untold,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most = most
        self.limit = float(most)
        """How many may be on their way now; whole lanes count."""
        self.in_use = 0
        self._on_pause = on_pause
        self._now = now
        self._queue: deque[anyio.Event] = deque()
        self._slowed_at = float("-inf")
        self._until = float("-inf")
        self._why = ""
        self._told: int | None = None

    @asynccontextmanager
    async def lane(self) -> AsyncIterator[float]:
        """One lane; waits for it and for the end of a pause. Gives the moment it was had."""
        await self._enter()
        try:
            yield self._now()
        finally:
            self.in_use -= 1
            self._wake()

    @property
    def paused(self) -> bool:
        """Whether a usage limit holds everything up."""
        return self._now() < self._until

    @property
    def free(self) -> bool:
        """Whether a lane could be had without waiting."""
        return self.in_use < max(1, int(self.limit)) and not self.paused

    def slower(self, began: float) -> None:
        """The upstream complained about a call that began then.

        Calls that were on their way together complain together; only the first halves the lanes.
        """
        if began > self._slowed_at:
            self._slowed_at = self._now()
            self.limit = max(1.0, self.limit / 2)

    def faster(self) -> None:
        """The upstream answered: a whole lane more per round of answers."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._wake()

    def pause(self, seconds: float, why: str) -> None:
        """Let nothing start for that long; a longer pause that holds already stays."""
        self._until = max(self._until, self._now() + seconds)
        self._why, self._told = why, None

    async def _enter(self) -> None:
        turn = anyio.Event()
        self._queue.append(turn)
        try:
            while self._queue[0] is not turn or not self.free:
                await self._wait(turn)
                if turn.is_set():
                    turn = self._again(turn)
        finally:
            self._queue.remove(turn)
            self._wake()
        self.in_use += 1

    def _again(self, old: anyio.Event) -> anyio.Event:
        """Events are set once: a fresh one in the same place of the queue."""
        fresh = anyio.Event()
        self._queue[self._queue.index(old)] = fresh
        return fresh

    async def _wait(self, turn: anyio.Event) -> None:
        left = self._until - self._now()
        if left <= 0:
            await turn.wait()
            return
        self._tell(left)
        with anyio.move_on_after(min(left, 1.0)):
            await turn.wait()

    def _tell(self, left: float) -> None:
        if self._told != int(left):
            self._told = int(left)
            self._on_pause(left, self._why)

    def _wake(self) -> None:
        if self._queue:
            self._queue[0].set()
