"""Run trials some at a time, in order; stop starting when told to."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import anyio

from gatebench.model.trial import TrialId


@dataclass
class Drain:
    """A wish to start no more trials; running ones finish."""

    wanted: bool = field(default=False)

    def ask(self) -> None:
        """Start no more."""
        self.wanted = True


async def run_lanes(
    trials: Sequence[TrialId],
    lanes: int,
    run_one: Callable[[TrialId], Awaitable[None]],
    drain: Drain,
) -> int:
    """Run the trials in order, at most ``lanes`` at once.

    Returns:
        How many were started.
    """
    waiting = iter(trials)
    started = 0

    async def lane() -> None:
        nonlocal started
        for trial in waiting:
            if drain.wanted:
                return
            started += 1
            await run_one(trial)

    async with anyio.create_task_group() as group:
        for _ in range(max(1, min(lanes, len(trials)))):
            group.start_soon(lane)
    return started
