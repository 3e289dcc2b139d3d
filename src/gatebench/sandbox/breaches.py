"""Notice that a long-lived command takes more than it may."""

from dataclasses import dataclass
from pathlib import Path

import anyio

from gatebench.sandbox.disk import DiskBounds, watch_disk
from gatebench.sandbox.process import Process

_SAMPLE_S = 0.25
_NEAR = 2
"""The kernel refuses the one that would be too many; so close to it counts as reached."""


@dataclass(frozen=True)
class Bounds:
    """What a long-lived command may take."""

    folders: tuple[Path, ...]
    """Its writable places on disk, watched together."""
    processes: int | None
    """Processes and threads at once (`Limits.processes`)."""
    disk: DiskBounds


async def breach(process: Process, bounds: Bounds) -> str:
    """Watch a command; return only when it has reached a bound.

    Run it beside the command and end the command when it returns.

    Returns:
        ``processes``, ``disk_bytes``, ``disk_inodes``, or `DISK_FULL`, which is nobody's doing.
    """
    found: list[str] = []
    async with anyio.create_task_group() as group:

        async def processes(most: int) -> None:
            while process.threads() < most - _NEAR:  # noqa: ASYNC110  # the kernel tells nobody
                await anyio.sleep(_SAMPLE_S)
            found.append("processes")
            group.cancel_scope.cancel()

        async def disk() -> None:
            found.append(await watch_disk(bounds.folders, bounds.disk))
            group.cancel_scope.cancel()

        group.start_soon(disk)
        if bounds.processes is not None:
            group.start_soon(processes, bounds.processes)
    return found[0]
