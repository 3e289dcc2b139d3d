"""One trial of a job: run, and run again where a fault of ours broke it; waited for in between."""

import datetime as dt
import time
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from gatebench.errors import GateBenchError, StoreError
from gatebench.matrix.allowance import Allowance
from gatebench.matrix.executors import Executor
from gatebench.matrix.hold import Hold
from gatebench.matrix.room import Room
from gatebench.matrix.schedule import Drain, Pace
from gatebench.model.backoff import Backoff
from gatebench.model.faults import CROWDED, fault
from gatebench.model.room import out_of_room
from gatebench.model.score import Score
from gatebench.model.trial import Config, TrialId
from gatebench.trial.lifecycle import Job
from gatebench.trial.lost import file_lost
from gatebench.trial.progress import Moment
from gatebench.trial.words import in_a_line

USAGE_LIMIT, DISK_FULL = "usage_limit", "disk_full"
_PAUSE = Backoff(first_s=3.0, most_s=60.0)
"""Before a trial that a fault of ours broke is run again at once."""


@dataclass(frozen=True)
class Limits:
    """What keeps trials from being started, now or for good; one for all of an invocation."""

    drain: Drain
    allowance: Allowance
    hold: Hold
    room: Room
    pace: Pace


@dataclass(frozen=True)
class Runner:
    """Runs the trials of a job.

    Args:
        job: theirs.
        executor: where they run.
        limits: what keeps them from being started.
        config: of each, by its name.
    """

    job: Job
    executor: Executor
    limits: Limits
    config: Callable[[str], Config]

    async def run(self, trial: TrialId) -> None:
        """One trial, from its line at the start to its line at the end."""
        if not await self._may_start() or not await self._note(f"start {trial}"):
            return
        self.job.watcher.started(trial)
        score = await self._settled(trial)
        if score is None:
            return
        if score.valid:
            self.limits.hold.went_well()
            self.limits.room.went_well()
            self.limits.pace.faster()
        await self._note(f"end {trial} {in_a_line(score)}")
        self.job.watcher.ended(trial, score)
        self.limits.allowance.take(score, self.limits.drain)

    async def _may_start(self) -> bool:
        """Wait until nothing holds the job up; false where it drains."""
        drain = self.limits.drain
        return await self.limits.hold.over(drain) and await self.limits.room.over(drain)

    async def _settled(self, trial: TrialId) -> Score | None:
        """Run it as often as it takes; ``None`` where the job drained for want of room."""
        hold = self.limits.hold
        asked = hold.times
        score = await self._with_retries(trial)
        while score is not None and score.status == USAGE_LIMIT and hold.times > asked:
            asked = hold.times
            await self._note(f"waits {trial} {in_a_line(score)}")
            if not await self._may_start():
                break
            score = await self._attempt(trial)
        return score

    async def _with_retries(self, trial: TrialId) -> Score | None:
        """Again at once, as often as the table of faults says."""
        failures = 0
        while True:
            began = time.monotonic()
            score = await self._attempt(trial)
            if score is None or score.valid or failures >= fault(score.status).retries:
                return score
            failures += 1
            await self._note(f"again {trial} {in_a_line(score)}")
            if fault(score.status).who in CROWDED:
                self.limits.pace.slower(began)
            async with self.limits.pace.aside(trial):
                await anyio.sleep(_PAUSE.wait_s(failures))

    async def _attempt(self, trial: TrialId) -> Score | None:
        """One attempt; after a full disk the score that says so, once it can be written.

        What was interrupted after its agent's session had been filed goes on from there.
        """
        home = self.job.home.trial(trial)
        for _ in range(1 + fault(DISK_FULL).retries):
            try:
                return await self.executor.run(trial, self.config(trial.config))
            except (GateBenchError, OSError) as error:
                if not out_of_room(error):
                    raise
                if not await self._room_again(trial):
                    return None
                score = home.score()
                if score is not None:
                    return score
                if home.session() is None:
                    return await self._lost(trial, error)
        return None

    async def _room_again(self, trial: TrialId) -> bool:
        """Wait for room without a lane; false where the job drained."""
        limits = self.limits
        limits.room.met()
        waiting = Moment(trial, "stopped by a full disk", waits_for=("room",))
        self.job.watcher.moment(waiting)
        async with limits.pace.aside(trial):
            return await limits.room.over(limits.drain)

    async def _lost(self, trial: TrialId, full: Exception) -> Score | None:
        """The score of an attempt that a full disk ended; ``None``: not even that has room."""
        try:
            why = full.message if isinstance(full, GateBenchError) else str(full)
            return await file_lost(self.job, trial, self.config(trial.config), DISK_FULL, why)
        except StoreError as error:
            if out_of_room(error):
                return None
            raise

    async def _note(self, line: str) -> bool:
        """A line in the job's log, when there is room for it; false where the job drained."""
        while True:
            try:
                self.job.home.note(f"{now()} {line}")
            except StoreError as error:
                if not out_of_room(error):
                    raise
                self.limits.room.met()
                if not await self.limits.room.over(self.limits.drain):
                    return False
            else:
                return True


def now() -> str:
    """As the logs write it."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
