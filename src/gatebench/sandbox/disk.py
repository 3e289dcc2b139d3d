"""Watch how much disk a command's writable places take."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import anyio

_BLOCK = 512


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
        ``disk_bytes`` or ``disk_inodes``.
    """
    while True:
        breach = await anyio.to_thread.run_sync(_breach, folders, bounds)
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
