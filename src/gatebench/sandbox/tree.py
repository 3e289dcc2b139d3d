"""All processes of one command: a pid namespace, or without one the best guess."""

import contextlib
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

import anyio

from gatebench.sandbox import procfs

_DESTROY_S = 5.0
MARKER = "SESSION_TAG"
"""Variable by which processes of an unsandboxed command are found again."""
_PROGRAM_PID = 2
"""Pid inside its namespace of the program: init is 1, and starts nothing else before it."""


class Tree(Protocol):
    """The processes of one command."""

    @property
    def unseen(self) -> tuple[int, ...]:
        """Those that are none of its members and yet run with its rights: the init."""

    def members(self) -> tuple[int, ...]:
        """Host pids of those that are alive."""

    def look(self) -> tuple[Collection[int], bool]:
        """The same, quicker; and whether none vanished meanwhile, so that all were seen."""

    def owns(self, pid: int) -> bool:
        """Whether a process is one of them."""

    def program(self) -> int | None:
        """The process that was started; ``None`` when it is gone."""

    async def destroy(self) -> None:
        """Kill them all; returns when none is left."""

    def close(self) -> None:
        """Give back what is held open."""


def signal_all(tree: Tree, number: signal.Signals) -> None:
    """Send one signal to every process of a tree."""
    for pid in tree.members():
        with contextlib.suppress(OSError), procfs.held(pid) as fd:
            if tree.owns(pid):
                procfs.send(fd, number)


class NamespaceTree:
    """A pid namespace: when its init dies, the kernel kills the rest.

    Args:
        init: host pid of the namespace's first process, which must be alive.

    Raises:
        ProcessLookupError: it is gone.
    """

    def __init__(self, init: int) -> None:
        self.init = init
        self._fd = os.pidfd_open(init)
        self._waiting = anyio.Lock()
        self._inode = procfs.namespace_of(init)
        if self._inode is None:
            self.close()
            raise ProcessLookupError(init)

    @property
    def unseen(self) -> tuple[int, ...]:
        """The init."""
        return (self.init,)

    def members(self) -> tuple[int, ...]:
        """Every live process in the namespace but its init."""
        return tuple(
            pid
            for pid in procfs.pids()
            if pid != self.init and procfs.namespace_of(pid) == self._inode and procfs.alive(pid)
        )

    def look(self) -> tuple[Collection[int], bool]:
        """The init's descendants, read level by level."""
        found: set[int] = set()
        complete = True
        fresh = {self.init}
        try:
            while fresh:
                below: set[int] = set()
                for pid in fresh:
                    children = procfs.children(pid)
                    complete = complete and (children is not None or pid == self.init)
                    below.update(children or ())
                fresh = below - found
                found |= fresh
        except FileNotFoundError:
            return self.members(), True
        return found, complete and all(procfs.exists(pid) for pid in found)

    def owns(self, pid: int) -> bool:
        """Whether a process is in the namespace."""
        return procfs.namespace_of(pid) == self._inode

    def program(self) -> int | None:
        """The first that the init started; the number is given once in a namespace's life."""
        return next((p for p in self.members() if procfs.inner_pid(p) == _PROGRAM_PID), None)

    async def destroy(self) -> None:
        """Kill the init and wait for its end, which the kernel delays until all are dead."""
        procfs.send(self._fd, signal.SIGKILL)
        # A deadline, a limit and the session's own end may come at the same moment.
        with anyio.move_on_after(_DESTROY_S):
            async with self._waiting:
                await anyio.wait_readable(self._fd)

    def close(self) -> None:
        """Close the pidfd."""
        os.close(self._fd)


class LooseTree:
    """Without a namespace: session, descendants and a mark in the environment.

    A process that leaves its session, outlives its parent and clears its environment escapes;
    that is why trials run like this are marked.
    """

    def __init__(self, root: int, tag: str) -> None:
        self._root = root
        self._tag = f"{MARKER}={tag}".encode()

    @property
    def unseen(self) -> tuple[int, ...]:
        """None."""
        return ()

    def members(self) -> tuple[int, ...]:
        """Every live process that belongs to the command as far as can be told."""
        if not Path("/proc/self").is_dir():
            return ()
        found: set[int] = set()
        parents: dict[int, int] = {}
        for pid in procfs.pids():
            fields = procfs.stat_fields(f"/proc/{pid}")
            if not fields or fields[0] in "ZXx":
                continue
            parents[pid] = int(fields[1])
            if pid == self._root or int(fields[3]) == self._root or self._tagged(pid):
                found.add(pid)
        return tuple(sorted(found | _descendants(parents, self._root)))

    def look(self) -> tuple[Collection[int], bool]:
        """The members; whether all were seen can't be told."""
        return self.members(), True

    def owns(self, pid: int) -> bool:
        """Whether a process is one of the members."""
        return pid in self.members()

    def program(self) -> int | None:
        """The session's leader."""
        return self._root

    def _tagged(self, pid: int) -> bool:
        try:
            return self._tag in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False

    async def destroy(self) -> None:
        """Kill the process group and everything that can be found, until nothing is."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._root, signal.SIGKILL)
        until = time.monotonic() + _DESTROY_S
        while self.members() and time.monotonic() < until:
            signal_all(self, signal.SIGKILL)
            await anyio.sleep(0.005)

    def close(self) -> None:
        """Nothing is held open."""


def _descendants(parents: dict[int, int], root: int) -> set[int]:
    """The processes below ``root``."""
    found: set[int] = set()
    fresh = {root}
    while fresh:
        fresh = {pid for pid, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found
