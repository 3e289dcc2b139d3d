"""Which of the agent's processes are its CLI, and how those that were stopped go on."""

import contextlib
import os
import signal
from collections.abc import Collection, Iterable
from pathlib import Path

from gatebench.sandbox import Process

_PROGRAM_PID = 2
"""Pid inside its namespace of the program: init is 1, and starts nothing else before it."""


def cli_pids(process: Process) -> frozenset[int]:
    """Host pids of the CLI: the program that was started, and who shares its stdout.

    A wrapper script's child has the stream's socket as its stdout as well; what the agent starts
    through its tools never has.
    """
    members = process.members()
    own = next((p for p in members if _inner_pid(p) == _PROGRAM_PID), process.pid)
    stream = _stdout_of(own)
    same = (p for p in members if stream and _stdout_of(p) == stream)
    return frozenset((own, *same))


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


def _inner_pid(pid: int) -> int | None:
    numbers = _numbers(pid, "NSpid:")
    return numbers[-1] if len(numbers) > 1 else None


def _numbers(pid: int, label: str) -> list[int]:
    """The numbers on one line of a process's status; none when it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return []
    line = next((row for row in text.splitlines() if row.startswith(label)), "")
    return [int(word) for word in line.split()[1:]]


def _stdout_of(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/fd/1").readlink())
    except OSError:
        return None
