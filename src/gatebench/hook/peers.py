"""How those of the agent's processes that were stopped go on."""

import contextlib
import os
import signal
from collections.abc import Collection, Iterable
from pathlib import Path

from gatebench.sandbox import Process


def let_go(process: Process, pids: Iterable[int], until: Collection[int]) -> None:
    """Continue processes and their ancestors up to (not including) those in `until`.

    A client that runs under a shell is only seen to end when the shell runs too.
    """
    wanted: set[int] = set()
    for pid in pids:
        while pid > 1 and pid not in until and pid not in wanted:
            wanted.add(pid)
            pid = _parent(pid)  # noqa: PLW2901  # walks up
    _continue(process, wanted)


def let_all_go(process: Process) -> None:
    """Continue everything, also what others have stopped."""
    process.thaw()
    _continue(process, process.members())


def _continue(process: Process, pids: Iterable[int]) -> None:
    """Signal by pidfd, opened before the look at who is the agent's: numbers are used again."""
    with contextlib.ExitStack() as stack:
        opened: dict[int, int] = {}
        for pid in pids:
            with contextlib.suppress(OSError):
                opened[pid] = os.pidfd_open(pid)
                stack.callback(os.close, opened[pid])
        for pid in set(process.members()).intersection(opened):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(opened[pid], signal.SIGCONT)


def _parent(pid: int) -> int:
    return next(iter(_numbers(pid, "PPid:")), 0)


def _numbers(pid: int, label: str) -> list[int]:
    """The numbers on one line of a process's status; none when it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return []
    line = next((row for row in text.splitlines() if row.startswith(label)), "")
    return [int(word) for word in line.split()[1:]]
