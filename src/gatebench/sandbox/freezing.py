"""Stop a changing set of processes, and let them go on."""

import contextlib
import os
import signal
import time
from collections.abc import Collection

from gatebench.sandbox import procfs
from gatebench.sandbox.tree import Tree

_FREEZE_S = 0.5
_STEP_S = 0.0002
_CLEAN_LOOKS = 2


class Freezer:
    """Stops the processes of one command.

    Args:
        tree: names them, newly each time.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._stopped: dict[int, int] = {}

    def freeze(self, keep: Collection[int]) -> None:
        """Stop every process but ``keep``; returns when all their threads stand still.

        Two looks in a row must miss nothing, find the same processes, and none that runs. A look
        from which a process vanished counts as one that missed something: a process that starts
        another and ends, over and over, would slip through else. A process that the kernel can't
        stop (it waits for a device) is left after half a second.

        The init comes last, as it clears up behind those that end. Its memory is open to the
        command's processes, so it may have been made to act for one of them.
        """
        until = time.monotonic() + _FREEZE_S
        for others in ((), self._tree.unseen):
            self._settle(keep, others, until)

    def _settle(self, keep: Collection[int], others: Collection[int], until: float) -> None:
        """Stop all, and some that are no members, until two looks agree that they stand."""
        clean = 0
        before: frozenset[int] = frozenset()
        while clean < _CLEAN_LOOKS and time.monotonic() < until:
            seen, complete = self._tree.look()
            found = frozenset((*seen, *others))
            running = [pid for pid in found if pid not in keep and not procfs.still(pid)]
            for pid in running:
                self._stop(pid)
            good = complete and not running
            clean = 1 + clean * (found == before) if good else 0
            before = found
            if running:
                time.sleep(_STEP_S)

    def _stop(self, pid: int) -> None:
        with contextlib.suppress(OSError):
            fd = self._stopped.get(pid)
            if fd is None:
                fd = os.pidfd_open(pid)
                if not self._tree.owns(pid):
                    os.close(fd)
                    return
                self._stopped[pid] = fd
            procfs.send(fd, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let everything that was stopped here go on."""
        for fd in self._stopped.values():
            procfs.send(fd, signal.SIGCONT)
            os.close(fd)
        self._stopped.clear()
