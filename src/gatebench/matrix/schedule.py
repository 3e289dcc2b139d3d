"""Run trials some at a time, in order; stop starting when told to."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio

H = TypeVar("H", bound=Hashable)

LOOK_S = 1.0
"""How often the file that sets the lanes is looked at."""
LANES_FILE = "jobs"
"""In the job's directory: a number in it says how many trials run at once from now on."""
MOST_LANES = 256


@dataclass
class Drain:
    """A wish to start no more trials; running ones finish."""

    why: str = field(default="")

    @property
    def wanted(self) -> bool:
        """Whether it was asked for."""
        return bool(self.why)

    def ask(self, why: str) -> None:
        """Start no more; the first reason stays."""
        self.why = self.why or why


class Pace:
    """How many run at once: as many as wanted; fewer after the machine refused one.

    Additive increase, multiplicative decrease. What waits until it may try again holds no lane.

    Args:
        wanted: at once when all is well.
    """

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self._limit = float(wanted)
        self._lanes = anyio.CapacityLimiter(wanted)
        self._inside: set[Hashable] = set()
        self._slowed_at = float("-inf")

    @property
    def lanes(self) -> int:
        """How many may run at once now."""
        return int(self._lanes.total_tokens)

    async def enter(self, who: Hashable) -> None:
        """Wait for a lane."""
        await self._lanes.acquire_on_behalf_of(who)
        self._inside.add(who)

    def leave(self, who: Hashable) -> None:
        """Give a lane back; no matter where there is none."""
        if who in self._inside:
            self._inside.discard(who)
            self._lanes.release_on_behalf_of(who)

    @asynccontextmanager
    async def aside(self, who: Hashable) -> AsyncIterator[None]:
        """Without a lane inside the block, and with one again after it."""
        self.leave(who)
        yield
        await self.enter(who)

    def want(self, number: int) -> None:
        """So many from now on, whatever was before."""
        self.wanted = number
        self._settle(float(number))

    def slower(self, began: float) -> None:
        """The machine refused something that began then (`time.monotonic`).

        What ran side by side is refused together; only the first of them halves the lanes.
        """
        if began > self._slowed_at:
            self._slowed_at = time.monotonic()
            self._settle(max(1.0, self._limit / 2))

    def faster(self) -> None:
        """One went well: a lane more for each round of them."""
        self._settle(min(float(self.wanted), self._limit + 1 / self._limit))

    def _settle(self, limit: float) -> None:
        self._limit = limit
        self._lanes.total_tokens = int(limit)


async def run_lanes(
    trials: Sequence[H],
    pace: Pace,
    run_one: Callable[[H], Awaitable[None]],
    drain: Drain,
) -> int:
    """Run the trials (or whatever else) in order, at most as many at once as the pace allows.

    Returns:
        How many were started.
    """
    started = 0

    async def one(trial: H) -> None:
        try:
            await run_one(trial)
        finally:
            pace.leave(trial)

    async with anyio.create_task_group() as group:
        for trial in trials:
            await pace.enter(trial)
            if drain.wanted:
                pace.leave(trial)
                break
            started += 1
            group.start_soon(one, trial)
    return started


async def follow_file(pace: Pace, job: Path) -> None:
    """Set the lanes from the file in the job's directory, for ever: ``echo 5 > JOB/jobs``."""
    while True:
        wanted = await anyio.to_thread.run_sync(wanted_lanes, job / LANES_FILE)
        if wanted is not None and wanted != pace.wanted:
            pace.want(wanted)
        await anyio.sleep(LOOK_S)


def wanted_lanes(path: Path) -> int | None:
    """The number in the file; ``None`` where there is none that makes sense."""
    try:
        number = int(path.read_text().strip())
    except (OSError, ValueError):
        return None
    return number if 1 <= number <= MOST_LANES else None
