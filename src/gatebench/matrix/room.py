"""A full disk that is waited out: nothing is started until there is room."""

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from gatebench.matrix.schedule import Drain
from gatebench.model.backoff import Backoff
from gatebench.model.room import out_of_room

NEEDED_BYTES = 16_000_000
"""On each disk, before anything is started again."""
_PACE = Backoff(first_s=1.0, most_s=30.0)
"""Between two looks."""


@dataclass(frozen=True)
class Disk:
    """A place that a job writes to."""

    what: str
    path: Path

    def __str__(self) -> str:
        return f"{self.what} ({self.path})"


def disks_of(job: Path, cache: Path) -> tuple[Disk, ...]:
    """The places that a job's trials write to."""
    temporary = Path(tempfile.gettempdir())
    return (
        Disk("the job's directory", job),
        Disk("temporary files", temporary),
        Disk("the cache", cache),
    )


def has_room(folder: Path) -> bool:
    """Whether so much can be had there, found out by having it: quotas show in no number."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".room.") as probe:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(probe.fileno(), 0, NEEDED_BYTES)
            else:
                probe.write(os.urandom(NEEDED_BYTES))
                probe.flush()
    except OSError as error:
        return not out_of_room(error)
    return True


@dataclass
class Room:
    """Whether there is room on the disks; one for all trials of an invocation."""

    disks: tuple[Disk, ...]
    patience_s: float
    """All that may be waited between two trials that went well."""
    tell: Callable[[str], None]
    """Gets what is waited for; nothing when that is over."""
    _missing: bool = False
    _waited_s: float = 0.0
    _turn: anyio.Lock = field(default_factory=anyio.Lock)

    def met(self) -> None:
        """A trial found a disk full: nothing is started before there is room."""
        self._missing = True

    def went_well(self) -> None:
        """A trial ended as it should: patience is whole again."""
        self._waited_s = 0.0

    async def over(self, drain: Drain) -> bool:
        """Wait until there is room; false where the job drained meanwhile, for want of it or not.

        One looks, and all the others wait for what it sees.
        """
        async with self._turn:
            looks = 0
            while self._missing and not drain.wanted:
                full = await anyio.to_thread.run_sync(_full, self.disks)
                if not full:
                    self._missing = False
                    self.tell("")
                    break
                looks += 1
                await self._wait(_words(full), looks, drain)
        return not drain.wanted

    async def _wait(self, what: str, looks: int, drain: Drain) -> None:
        """Until the next look; what is beyond patience drains the job."""
        left_s = min(_PACE.wait_s(looks), self.patience_s - self._waited_s)
        if left_s <= 0:
            drain.ask(what)
            return
        self.tell(f"{what}; waits for room")
        self._waited_s += left_s
        while left_s > 0 and not drain.wanted:
            await anyio.sleep(min(left_s, 1.0))
            left_s -= 1.0


def _full(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    """Those without room; of several places on one disk the first."""
    found: dict[int, Disk] = {}
    for disk in disks:
        if not has_room(disk.path):
            found.setdefault(disk.path.stat().st_dev, disk)
    return tuple(found.values())


def _words(full: tuple[Disk, ...]) -> str:
    what, verb = ("the disk of", "is") if len(full) == 1 else ("the disks of", "are")
    return f"{what} {' and '.join(map(str, full))} {verb} full"
