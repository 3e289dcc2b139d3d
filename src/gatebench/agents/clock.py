"""A clock that counts only the worker's own time."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio


class Stopwatch:
    """Runs from its making on; stands still while anything holds it paused.

    Gates and gateway waits pause it, several at once if need be. One event loop only.

    Args:
        now: a monotonic clock in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._start = now()
        self._paused_s = 0.0
        self._paused_at = 0.0
        self._holders = 0
        self._running = anyio.Event()
        self._running.set()

    def restart(self) -> None:
        """Back to 0; those that hold it paused keep it so."""
        self._start = self._paused_at = self._now()
        self._paused_s = 0.0

    def pause(self) -> None:
        """Stand still until as many `resume` calls have come."""
        if self._holders == 0:
            self._paused_at = self._now()
            self._running = anyio.Event()
        self._holders += 1

    def resume(self) -> None:
        """Undo one `pause`; a call too many does nothing."""
        if self._holders == 0:
            return
        self._holders -= 1
        if self._holders == 0:
            self._paused_s += self._now() - self._paused_at
            self._running.set()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stand still inside the block."""
        self.pause()
        try:
            yield
        finally:
            self.resume()

    @property
    def elapsed_s(self) -> float:
        """Seconds counted so far."""
        until = self._paused_at if self._holders else self._now()
        return until - self._start - self._paused_s

    async def wait_until(self, limit_s: float) -> None:
        """Return once `limit_s` seconds have been counted."""
        while (left := limit_s - self.elapsed_s) > 0:
            if self._holders:
                await self._running.wait()
            else:
                await anyio.sleep(left)
