"""A seccomp filter: the system calls that no command in the sandbox may make.

The namespaces keep a command away from the rest of the machine. The filter keeps it away from its
own fellows' insides: an agent's tools run under the same user as the agent's program, and with
``ptrace`` or ``pidfd_getfd`` they could speak in its name. It also closes doors into the kernel
that no test and no agent needs.

The filter is classic BPF, put together here by hand; a library for it would be C. One instruction
is eight bytes: a code, where to jump if true, where if false, an operand. The program reads two
words of ``struct seccomp_data``: the call's number (offset 0) and its architecture (offset 4).

What isn't here: ``clone`` with new namespaces (user namespaces are used up by
``--disable-userns``, the others need capabilities, which nothing inside has), and writing to
``/proc/<pid>/mem``, which is an ordinary ``write``: `agents.shelter` meets that one.
"""

import errno
import platform
import struct
from collections.abc import Iterable
from functools import cache

_LOAD_WORD = 0x20
_JUMP_IF_EQUAL = 0x15
_JUMP_IF_AT_LEAST = 0x35
_RETURN = 0x06

_NUMBER_AT = 0
_ARCH_AT = 4
_ALLOW = 0x7FFF_0000
_DENY = 0x0005_0000 | errno.EPERM
_X32 = 0x4000_0000
"""Numbers from here on are x86-64's second set of system calls, with 32-bit pointers."""

_ARCHES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
"""The kernel's word for the architecture, and its column below."""

_CALLS: dict[str, tuple[int | None, int | None]] = {
    # another process's memory, descriptors and registers
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "userfaultfd": (323, 282),
    # the kernel's keyrings, which namespaces don't part
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # programs and counters in the kernel, and rings that go round this filter
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "fanotify_init": (300, 262),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    # the machine itself
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "iopl": (172, None),
    "ioperm": (173, None),
    "uselib": (134, None),
}
"""Each call with its number on x86-64 and on 64-bit ARM; ``None`` where it isn't there."""


def denied(machine: str) -> dict[str, int]:
    """The calls that fail with EPERM on a machine, with their numbers; empty where unknown."""
    if machine not in _ARCHES:
        return {}
    column = _ARCHES[machine][1]
    numbers = {name: row[column] for name, row in _CALLS.items()}
    return {name: number for name, number in numbers.items() if number is not None}


@cache
def filter_program(machine: str | None = None) -> bytes:
    """The filter as bwrap's ``--seccomp`` takes it.

    Calls of another architecture's set (32-bit ones on a 64-bit kernel) fail too: their numbers
    mean other things.

    Args:
        machine: as `platform.machine` says; by default this one.

    Returns:
        Nothing on a machine whose numbers aren't known here.
    """
    machine = machine or platform.machine()
    if machine not in _ARCHES:
        return b""
    numbers = sorted(denied(machine).values())
    tests = [(_JUMP_IF_EQUAL, number) for number in numbers]
    if machine == "x86_64":
        tests.insert(0, (_JUMP_IF_AT_LEAST, _X32))
    # From the test at index i it is so many steps over the rest, and over "allow", to "deny".
    chain = [
        _instruction(code, operand, true=len(tests) - index)
        for index, (code, operand) in enumerate(tests)
    ]
    return _joined(
        (
            _instruction(_LOAD_WORD, _ARCH_AT),
            _instruction(_JUMP_IF_EQUAL, _ARCHES[machine][0], false=len(tests) + 2),
            _instruction(_LOAD_WORD, _NUMBER_AT),
            *chain,
            _instruction(_RETURN, _ALLOW),
            _instruction(_RETURN, _DENY),
        )
    )


def _instruction(code: int, operand: int, *, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, true, false, operand)


def _joined(instructions: Iterable[bytes]) -> bytes:
    return b"".join(instructions)
