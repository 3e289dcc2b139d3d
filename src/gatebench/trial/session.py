"""One session of the worker, and those who watch it: its limits, and who speaks in its name."""

from dataclasses import replace

import anyio

from gatebench.agents.alone import alone
from gatebench.agents.claude_code import WorkerCall
from gatebench.agents.result import WorkerResult
from gatebench.agents.worker import Watch, run_worker
from gatebench.errors import DiskFull
from gatebench.sandbox import DISK_FULL, Bounds, Process, breach
from gatebench.trial.run import Run

FORGED = "forged stream output"


async def run_session(run: Run, call: WorkerCall, watch: Watch) -> WorkerResult:
    """Run the worker to its end, or to the first limit that it breaks.

    Raises:
        SpawnFailed: it could not be started.
        DiskFull: the disk of its work copy was as good as full; its session was ended.
    """
    processes: list[Process] = []
    with alone():
        async with anyio.create_task_group() as group:

            def began(process: Process) -> None:
                processes.append(process)
                group.start_soon(_hold_to_limits, run, call, process)
                if watch.on_start:
                    watch.on_start(process)

            seen = replace(watch, on_start=began)
            result = await run_worker(run.bench.program, run.bench.sandbox, call, seen)
            group.cancel_scope.cancel()
    for process in processes:
        _keep_forged(run, process)
    if run.limit == DISK_FULL:
        raise DiskFull(
            "the disk of the agent's work copy is full.",
            "Make room, then run the same command again: it resumes.",
        )
    return result


async def _hold_to_limits(run: Run, call: WorkerCall, process: Process) -> None:
    """End the session when it takes too much: the agent's own doing, and the trial's outcome."""
    writable = tuple(bind.source for bind in call.binds() if bind.writable)
    run.limit = await breach(process, Bounds(writable, call.limits.processes, run.disk))
    run.log.event("limit", limit=run.limit)
    await process.stop()


def _keep_forged(run: Run, process: Process) -> None:
    """What others wrote in the agent's name is evidence, and never part of its stream."""
    if process.forged:
        run.home.write("stream-forged.bin", process.forged)
        run.tampered.append(FORGED)
