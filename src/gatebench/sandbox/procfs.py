"""Processes seen from the host through ``/proc``, stopped and ended by pidfd.

A pid is only ever signalled through a pidfd that was opened first and checked afterwards, so
that a number which has been given to another process meanwhile hits no one.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

_STILL = frozenset("TtZXx")
_FREEZE_S = 0.5
_STEP_S = 0.0005


def pids() -> tuple[int, ...]:
    """Every process that ``/proc`` shows."""
    return tuple(int(name) for name in os.listdir("/proc") if name.isdigit())


def stat_fields(path: str) -> list[str]:
    """State, parent, process group, session … of a ``stat`` file; empty when it is gone."""
    try:
        text = Path(path, "stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _tasks(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
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


def threads(members: Iterable[int]) -> int:
    """How many threads the processes have together."""
    return sum(len(_tasks(pid)) for pid in members)


def namespace_of(pid: int) -> int | None:
    """Inode of a process's pid namespace; ``None`` when it is gone or not ours to see."""
    try:
        return os.stat(f"/proc/{pid}/ns/pid").st_ino
    except OSError:
        return None


def send(fd: int, number: signal.Signals) -> None:
    """Signal the process behind a pidfd; one that is gone is no error."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(fd, number)


def signal_all(members: Callable[[], tuple[int, ...]], number: signal.Signals) -> None:
    """Send one signal to every process that ``members`` names."""
    for pid in members():
        with contextlib.suppress(OSError):
            fd = os.pidfd_open(pid)
            try:
                if pid in members():
                    send(fd, number)
            finally:
                os.close(fd)


class Freezer:
    """Stops a changing set of processes, and lets them go on.

    Args:
        members: names the processes, newly each time.
    """

    def __init__(self, members: Callable[[], tuple[int, ...]]) -> None:
        self._members = members
        self._stopped: dict[int, int] = {}

    def freeze(self, keep: Collection[int]) -> None:
        """Stop every process but ``keep``; returns when all their threads stand still.

        Two looks in a row must find nothing that runs: what a process started just before it
        was stopped shows in the second. A process that the kernel can't stop (it waits for a
        device) is left after half a second.
        """
        until = time.monotonic() + _FREEZE_S
        clean = 0
        while clean < 2 and time.monotonic() < until:  # noqa: PLR2004  # two looks, see above
            running = [p for p in self._members() if p not in keep and not still(p)]
            clean = 0 if running else clean + 1
            for pid in running:
                self._stop(pid)
            if running:
                time.sleep(_STEP_S)

    def _stop(self, pid: int) -> None:
        with contextlib.suppress(OSError):
            if pid not in self._stopped:
                fd = os.pidfd_open(pid)
                if pid not in self._members():
                    os.close(fd)
                    return
                self._stopped[pid] = fd
            send(self._stopped[pid], signal.SIGSTOP)

    def thaw(self) -> None:
        """Let everything that was stopped here go on."""
        for fd in self._stopped.values():
            send(fd, signal.SIGCONT)
            os.close(fd)
        self._stopped.clear()
