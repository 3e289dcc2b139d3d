"""Lay limits on a command from outside, before it runs.

They go onto the namespace's init when bwrap has made its user namespaces and waits: the kernel
then counts processes in those namespaces alone, so that commands of the same user, ours and other
people's, don't take each other's share.

Root without CAP_SYS_RESOURCE (in a container, say) may not limit another user's process. That
user may, being the owner of the namespaces. So a thread of ours takes that user's effective id
for the one call and ends; the system call is made directly because the C library's function
would change the ids of all threads.
"""

import contextlib
import ctypes
import platform
import re
import resource
import threading

from gatebench.sandbox.spec import Limits

_COUNTS_PER_NAMESPACE = (5, 14)
_SETRESUID = {"x86_64": 117, "aarch64": 147, "riscv64": 147}


def lay(init: int, limits: Limits, owner: int | None) -> None:
    """Limit a process and all that it will start.

    Args:
        init: host pid of the process.
        limits: what to hold it to.
        owner: host id of its user where that is not the caller.

    Raises:
        PermissionError: the kernel refuses.
    """
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: limits.file_bytes}
    if _kernel() >= _COUNTS_PER_NAMESPACE:
        # Before, the kernel counted all of the user's processes on the host.
        wanted[resource.RLIMIT_NPROC] = limits.processes
    try:
        _lay(init, wanted)
    except PermissionError:
        number = _SETRESUID.get(platform.machine())
        if owner is None or number is None:
            raise
        _as_owner(number, owner, init, wanted)


def _lay(init: int, wanted: dict[int, int | None]) -> None:
    for number, value in wanted.items():
        if value is not None:
            with contextlib.suppress(ProcessLookupError):
                _, hard = resource.prlimit(init, number)
                most = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.prlimit(init, number, (most, most))


def _as_owner(number: int, owner: int, init: int, wanted: dict[int, int | None]) -> None:
    failures: list[OSError] = []

    def act() -> None:
        try:
            if ctypes.CDLL(None).syscall(number, -1, owner, -1) == 0:
                _lay(init, wanted)
            else:
                failures.append(PermissionError("limits can't be laid on a command"))
        except OSError as error:
            failures.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
