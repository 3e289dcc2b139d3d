"""Directories that are made once: under a lock, beside their place, then renamed into it."""

import fcntl
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio

_MARK = ".complete"
_POLL_S = 0.05


@dataclass(frozen=True)
class Place:
    """Where something cached belongs: ``<cache>/<kind>/<key>``."""

    cache: Path
    kind: str
    key: str

    @property
    def path(self) -> Path:
        """The finished directory."""
        return self.cache / self.kind / self.key

    @property
    def part(self) -> Path:
        """The directory while it is made; only the holder of the lock touches it."""
        return self.cache / self.kind / f"{self.key}.part"


async def cached(place: Place, build: Callable[[Path], Awaitable[None]]) -> Path:
    """The cached directory, made by ``build`` if it isn't there whole.

    Two callers at once, in one process or two, make it once. What a killed builder left is
    made anew. ``build`` gets an empty directory, which is renamed into its place afterwards.

    Returns:
        the finished directory.
    """
    if _whole(place):
        return place.path
    async with _lock(place):
        if not _whole(place):
            await _make(place, build)
    return place.path


def _whole(place: Place) -> bool:
    """The mark is written last, inside, and travels with the rename."""
    return (place.path / _MARK).is_file()


async def _make(place: Place, build: Callable[[Path], Awaitable[None]]) -> None:
    """Make the directory; the caller holds the lock."""
    for stale in (place.part, place.path):
        await anyio.to_thread.run_sync(partial(shutil.rmtree, stale, ignore_errors=True))
    place.part.mkdir(parents=True)
    try:
        await build(place.part)
        (place.part / _MARK).touch()
        place.part.rename(place.path)
    finally:
        shutil.rmtree(place.part, ignore_errors=True)


@asynccontextmanager
async def _lock(place: Place) -> AsyncIterator[None]:
    """An advisory lock that ends with its process; polled, so that waiting can be cancelled."""
    place.part.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(place.path.with_name(f"{place.key}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while not _taken(handle):  # noqa: ASYNC110  # the other holder may be another process
            await anyio.sleep(_POLL_S)
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    """Try to take the lock."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
