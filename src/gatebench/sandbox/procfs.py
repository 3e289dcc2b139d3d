"""Processes seen from the host through ``/proc``, stopped and ended by pidfd.

A pid is only ever signalled through a pidfd that was opened first and checked afterwards, so
that a number which has been given to another process meanwhile hits no one.
"""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

_STILL = frozenset("TtZXx")


def pids() -> tuple[int, ...]:
    """Every process that ``/proc`` shows."""
    return tuple(int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit())


def stat_fields(path: str) -> list[str]:
    """State, parent, process group, session … of a ``stat`` file; empty when it is gone."""
    try:
        text = Path(path, "stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _tasks(pid: int) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(f"/proc/{pid}/task")]
    except OSError:
        return []


def still(pid: int) -> bool:
    """Whether every thread of a process is stopped, or the process is gone."""
    states = (stat_fields(f"/proc/{pid}/task/{task}")[:1] for task in _tasks(pid))
    return all(state[0] in _STILL for state in states if state)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    fields = stat_fields(f"/proc/{pid}")
    return bool(fields) and fields[0] not in "ZXx"


def exists(pid: int) -> bool:
    """Whether ``/proc`` still shows a process, be it a zombie."""
    return Path(f"/proc/{pid}").exists()


def threads(members: Iterable[int]) -> int:
    """How many threads the processes have together."""
    return sum(len(_tasks(pid)) for pid in members)


def namespace_of(pid: int) -> int | None:
    """Inode of a process's pid namespace; ``None`` when it is gone or not ours to see."""
    try:
        return Path(f"/proc/{pid}/ns/pid").stat().st_ino
    except OSError:
        return None


def inner_pid(pid: int) -> int | None:
    """A process's pid in its own namespace; ``None`` when it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return None
    line = next((row for row in text.splitlines() if row.startswith("NSpid:")), "")
    numbers = line.split()[1:]
    return int(numbers[-1]) if len(numbers) > 1 else None


def send(fd: int, number: signal.Signals) -> None:
    """Signal the process behind a pidfd; one that is gone is no error."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(fd, number)


def children(pid: int) -> list[int] | None:
    """The children of all of a process's threads; ``None`` when it is gone.

    Raises:
        FileNotFoundError: the kernel was built without such lists.
    """
    found: list[int] = []
    for task in _tasks(pid):
        try:
            text = Path(f"/proc/{pid}/task/{task}/children").read_text()
        except ProcessLookupError:
            return None
        except FileNotFoundError:
            if Path(f"/proc/{pid}/task/{task}").exists():
                raise
            return None
        found += map(int, text.split())
    return found


@contextlib.contextmanager
def held(pid: int) -> Iterator[int]:
    """A pidfd for as long as the block lasts.

    Raises:
        ProcessLookupError: there is no such process.
    """
    fd = os.pidfd_open(pid)
    try:
        yield fd
    finally:
        os.close(fd)
