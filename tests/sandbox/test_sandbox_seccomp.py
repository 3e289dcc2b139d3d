"""The filter of system calls: as a program, and as the kernel runs it."""

import platform
import struct

import pytest
from shutin import shell

from gatebench.sandbox.seccomp import denied, filter_program

ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386 = 0x40000003
ALLOW = 0x7FFF0000
DENY = 0x00050001
HARMLESS = {"x86_64": (0, 1, 2, 9, 56, 57, 59, 257, 434, 435), "aarch64": (56, 63, 64, 220, 434)}
"""read, write, open, mmap, clone, fork, execve, openat, pidfd_open, clone3; and so on."""


def answer(program: bytes, arch: int, number: int) -> int:
    """Run the filter as the kernel does."""
    words = {0: number, 4: arch}
    code = list(struct.iter_unpack("=HBBI", program))
    at, value = 0, 0
    while True:
        kind, true, false, operand = code[at]
        at += 1
        if kind == 0x20:
            value = words[operand]
        elif kind == 0x15:
            at += true if value == operand else false
        elif kind == 0x35:
            at += true if value >= operand else false
        else:
            assert kind == 0x06
            return int(operand)


@pytest.mark.parametrize("machine", ARCHES)
def test_what_is_denied_fails_and_nothing_else(machine: str) -> None:
    program, arch = filter_program(machine), ARCHES[machine]
    numbers = denied(machine)
    assert {"ptrace", "pidfd_getfd", "process_vm_writev", "kcmp", "bpf", "mount"} <= set(numbers)
    wrong = [n for n, number in numbers.items() if answer(program, arch, number) != DENY]
    assert wrong == []
    others = set(range(600)) - set(numbers.values())
    assert {answer(program, arch, number) for number in others} == {ALLOW}
    assert others >= set(HARMLESS[machine])


@pytest.mark.parametrize("machine", ARCHES)
def test_another_set_of_calls_fails_whole(machine: str) -> None:
    program = filter_program(machine)
    assert {answer(program, I386, number) for number in range(600)} == {DENY}


def test_the_second_set_of_x86_fails_whole() -> None:
    program = filter_program("x86_64")
    assert {answer(program, ARCHES["x86_64"], 0x40000000 + n) for n in range(600)} == {DENY}


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert filter_program("vax") == b""


@pytest.mark.skipif(platform.machine() not in ARCHES, reason="no filter for this machine")
def test_the_kernel_runs_it() -> None:
    done = shell("grep -E '^(Seccomp|NoNewPrivs|CapEff)' /proc/self/status")
    told = dict(line.split(":\t") for line in done.stdout.decode().splitlines())
    assert told["Seccomp"] == "2"
    assert told["NoNewPrivs"] == "1"
    assert int(told["CapEff"], 16) == 0
