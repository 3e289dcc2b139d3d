"""Which of the agent's processes are its CLI, and how those that were stopped go on."""

import signal
from collections.abc import Collection, Iterable
from pathlib import Path

from gatebench.sandbox import Process
from gatebench.sandbox.procfs import signal_all, stat_fields

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
    signal_all(lambda: tuple(wanted.intersection(process.members())), signal.SIGCONT)


def let_all_go(process: Process) -> None:
    """Continue everything, also what others have stopped."""
    process.thaw()
    signal_all(process.members, signal.SIGCONT)


def _parent(pid: int) -> int:
    fields = stat_fields(f"/proc/{pid}")
    return int(fields[1]) if len(fields) > 1 else 0


def _inner_pid(pid: int) -> int | None:
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return None
    line = next((row for row in text.splitlines() if row.startswith("NSpid:")), "")
    numbers = line.split()[1:]
    return int(numbers[-1]) if len(numbers) > 1 else None


def _stdout_of(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/fd/1").readlink())
    except OSError:
        return None
