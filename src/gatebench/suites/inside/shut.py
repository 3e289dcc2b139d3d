"""Puts the reporting process out of its children's reach."""

import ctypes

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


def shut_off() -> None:
    """Let no process of the same user open our memory or descriptors; adopt what children leave.

    Not being dumpable makes ``/proc/<pid>/mem`` and ``/proc/<pid>/fd`` unreadable to everyone
    without privileges, and forbids ptrace; forked children inherit it. Where the kernel refuses
    (it doesn't, for an ordinary process) the other layers still hold.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
