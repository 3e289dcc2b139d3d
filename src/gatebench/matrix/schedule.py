"""Run trials some at a time, in order; stop starting when told to."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
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


async def run_lanes(
    trials: Sequence[H],
    lanes: anyio.CapacityLimiter,
    run_one: Callable[[H], Awaitable[None]],
    drain: Drain,
) -> int:
    """Run the trials (or whatever else) in order, at most as many at once as the limiter allows.

    Returns:
        How many were started.
    """
    started = 0

    async def one(trial: H) -> None:
        try:
            await run_one(trial)
        finally:
            lanes.release_on_behalf_of(trial)

    async with anyio.create_task_group() as group:
        for trial in trials:
            await lanes.acquire_on_behalf_of(trial)
            if drain.wanted:
                lanes.release_on_behalf_of(trial)
                break
            started += 1
            group.start_soon(one, trial)
    return started


async def follow_file(lanes: anyio.CapacityLimiter, job: Path) -> None:
    """Set the lanes from the file in the job's directory, for ever: ``echo 5 > JOB/jobs``."""
    while True:
        wanted = await anyio.to_thread.run_sync(wanted_lanes, job / LANES_FILE)
        if wanted is not None and wanted != lanes.total_tokens:
            lanes.total_tokens = wanted
        await anyio.sleep(LOOK_S)


def wanted_lanes(path: Path) -> int | None:
    """The number in the file; ``None`` where there is none that makes sense."""
    try:
        number = int(path.read_text().strip())
    except (OSError, ValueError):
        return None
    return number if 1 <= number <= MOST_LANES else None
