"""Trials as Ray tasks, on whatever machines a cluster has.

The head alone writes the job: a task sends parcels through Ray's object store while it runs, so no
shared disk is needed. A machine that is lost takes what it hadn't sent; the trial is run again.
"""

import os
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import anyio
import ray
from ray.exceptions import RayError, RayTaskError

from gatebench.errors import LookError, StoreError, UsageError
from gatebench.gateway import Hooks
from gatebench.matrix.executors.base import Where
from gatebench.matrix.executors.parcel import (
    Errand,
    Kit,
    Parcel,
    files_of,
    heed,
    named_by_path,
    unpack,
)
from gatebench.matrix.executors.station import station_of
from gatebench.matrix.hold import Hold
from gatebench.matrix.schedule import Drain
from gatebench.model.room import out_of_room
from gatebench.model.score import Score
from gatebench.model.trial import Config, TrialId
from gatebench.trial.lifecycle import Job, run_trial
from gatebench.trial.lost import file_lost
from gatebench.trial.progress import Moment

CPUS = 1
"""Of a node, per trial."""
MEMORY_BYTES = 1_000_000_000
"""Of a node, per trial: an agent's program, its tests and ours."""
REPORTING = "RAY_USAGE_STATS_ENABLED"


@asynccontextmanager
async def open_ray(where: Where, job: Job, drain: Drain, hold: Hold) -> AsyncIterator["OnRay"]:
    """Join a cluster, or make one of this machine alone, until the job is done.

    Raises:
        LookError: there is no cluster at that address.
        UsageError: the job records or plays back, which needs the head's disk.
    """
    means = job.bench.means
    if means.terms.record is not None or means.terms.play is not None:
        raise UsageError(
            "--executor ray can't record or play back.", "Use --executor local for that."
        )
    others = (means.upstreams.reviewer, means.upstreams.writer)
    if job.bench.choice.exposed or any(o is not None and o.credential for o in others):
        raise UsageError(
            "--executor ray sends no login and no key of a role's own to another machine.",
            "Use --executor local for that.",
        )
    await anyio.to_thread.run_sync(_join, where.address)
    try:
        yield OnRay(job, drain, hold, ray.put(_kit(where, job)))
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(ray.shutdown)


def _join(address: str | None) -> None:
    """In a thread of its own: Ray would take the signals of the main one."""
    os.environ.setdefault(REPORTING, "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    alone = {} if address or os.environ.get("RAY_ADDRESS") else {"include_dashboard": False}
    try:
        ray.init(address=address, **quiet, **alone)
    except (ConnectionError, ValueError, RuntimeError, RayError) as error:
        said = _first_sentence(error)
        raise LookError(
            f"the Ray cluster {address or 'of this machine'} can't be joined: {said}.",
            "Start one with 'ray start --head', or leave --ray-address out.",
        ) from error


def _first_sentence(error: Exception) -> str:
    """Ray says a lot."""
    said: str = str(error).strip().partition("\n")[0].partition(". ")[0]
    return said.rstrip(".") or type(error).__name__


def _kit(where: Where, job: Job) -> Kit:
    bench, lock = job.bench, job.home.lock()
    means, configs = bench.means, lock.matrix.configs if lock else ()
    ours = means.upstreams
    return Kit(
        key=secrets.token_hex(8),
        choice=bench.choice,
        means=replace(
            means,
            secrets=(),
            login=None,
            terms=replace(means.terms, hooks=Hooks()),
            upstreams=replace(ours, worker=replace(ours.worker, credential=None)),
        ),
        digests=bench.digests,
        where=where,
        needs_key=not bench.choice.simulated and ours.worker.credential is not None,
        files={name: files_of(name) for name in named_by_path(bench.choice, configs)},
    )


def _errand(kit: Kit, errand: Errand) -> Iterator[Parcel]:
    """On some machine: run a trial, in a process that keeps its bench for the next one."""
    try:
        station = station_of(kit)
    except LookError as error:
        yield Parcel(refused=(error.message, error.hint))
        return
    yield from station.run(errand)


_TASK = ray.remote(num_cpus=CPUS, memory=MEMORY_BYTES, max_retries=0, scheduling_strategy="SPREAD")(
    _errand
)


@dataclass(frozen=True)
class OnRay:
    """Runs trials on a cluster."""

    job: Job
    drain: Drain
    hold: Hold
    kit: Any
    """A reference to it in Ray's object store."""

    async def run(self, trial: TrialId, config: Config) -> Score:
        """Run it wherever there is room; a lost machine becomes the score's status.

        Raises:
            LookError: a machine can't do what the head can, or the disk here is full.
        """
        home = self.job.home.trial(trial)
        if home.session() is not None:
            # Its agent has ended and all of it is here: what is left needs no other machine.
            return await run_trial(self.job, trial, config)
        home.begin_attempt()
        self.job.watcher.moment(Moment(trial, "waiting for a node"))
        status, why = "harness_error", "the node sent no score."
        try:
            full = await self._receive(Errand(trial, config, home.attempt))
            if full:
                status, why = "disk_full", full
        except RayTaskError as error:
            if out_of_room(error.cause):
                status, why = "disk_full", f"on a node: {error.cause}"
            else:
                home.write("harness-error.txt", str(error))
                why = f"a bug of ours on a node: {error.cause!r}; see harness-error.txt."
        except RayError as error:
            status, why = "node_lost", f"the node was lost: {_first_sentence(error)}."
        score = home.score()
        if score is not None:
            return score
        if home.session() is not None:
            return await run_trial(self.job, trial, config)
        return await file_lost(self.job, trial, config, status, why)

    async def _receive(self, errand: Errand) -> str:
        """File what comes, as it comes; gives which disk of the machine had no room.

        Raises:
            LookError: the machine refuses, or the disk here is full.
            RayError: the machine is gone.
        """
        stream = _TASK.options(num_returns="streaming", name=str(errand.trial)).remote(
            self.kit, errand
        )
        full = ""
        try:
            async for reference in stream:
                parcel: Parcel = await reference
                full = full or parcel.full
                await unpack(parcel, self.job, errand.trial)
                heed(parcel, self.drain, self.hold)
                if parcel.refused:
                    raise LookError(*parcel.refused)
        except (anyio.get_cancelled_exc_class(), StoreError):
            ray.cancel(stream, force=True)
            raise
        return full
