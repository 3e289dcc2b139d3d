"""Watch how much disk a command's writable places take, and whether the disk has room at all."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import anyio

from gatebench.errors import DiskFull

_BLOCK = 512
LEAST_BYTES = 1_000_000
"""Less than that left, and what runs there can't be trusted to have written what it meant to."""
DISK_FULL = "disk_full"


def crowded(folder: Path) -> bool:
    """Whether the disk of a directory is as good as full; one that can't tell isn't."""
    try:
        info = os.statvfs(folder)
    except OSError:
        return False
    return info.f_blocks > 0 and info.f_bavail * info.f_frsize < LEAST_BYTES


def refuse_crowded(folder: Path) -> None:
    """Refuse what was made on a disk that is as good as full.

    Raises:
        DiskFull: it is.
    """
    if crowded(folder):
        raise DiskFull(
            f"the disk of {folder} is full.",
            "Make room, then run the same command again: it resumes.",
        )


@dataclass(frozen=True)
class DiskBounds:
    """What the watched directories may hold together."""

    bytes: int = 1_000_000_000
    """On disk, not by length: a sparse file counts what it takes."""
    inodes: int = 200_000


async def watch_disk(folders: tuple[Path, ...], bounds: DiskBounds, interval_s: float = 1.0) -> str:
    """Look at directories now and then; return only when they hold too much.

    Run it beside a command and end the command when it returns.

    Returns:
        ``disk_bytes`` or ``disk_inodes``; `DISK_FULL` where the disk has no room though they keep
        within their bounds.
    """
    while True:
        breach = await anyio.to_thread.run_sync(_breach, folders, bounds)
        breach = breach or (DISK_FULL if any(map(crowded, folders)) else "")
        if breach:
            return breach
        await anyio.sleep(interval_s)


def _breach(folders: tuple[Path, ...], bounds: DiskBounds) -> str:
    taken = 0
    for inodes, info in enumerate(_everything([str(folder) for folder in folders]), 1):
        taken += info.st_blocks * _BLOCK
        if inodes > bounds.inodes:
            return "disk_inodes"
        if taken > bounds.bytes:
            return "disk_bytes"
    return ""


def _everything(todo: list[str]) -> Iterable[os.stat_result]:
    """What lies below directories, links not followed; what vanishes meanwhile is left out."""
    while todo:
        try:
            entries = list(os.scandir(todo.pop()))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                yield entry.stat(follow_symlinks=False)
            except OSError:
                continue
