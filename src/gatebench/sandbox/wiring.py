"""The descriptors through which bwrap is told everything."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from gatebench.sandbox import layout
from gatebench.sandbox.program import Program, nameless_copies
from gatebench.sandbox.seccomp import filter_program
from gatebench.sandbox.spec import Bind, Command
from gatebench.sandbox.staging import STAGE, Stage


@dataclass(frozen=True)
class Wiring:
    """What one start of bwrap needs; all descriptors are closed when the start is over."""

    argv: tuple[str, ...]
    """Of bwrap; all that it shows beyond the command's own argv is two numbers."""
    environment: dict[str, str]
    """Of bwrap itself; the command gets its own."""
    inherited: tuple[int, ...]
    """Descriptors for bwrap; it closes each before the command runs."""
    status: int
    """Our end: bwrap's JSON lines."""
    go: int
    """Our end: a byte lets the command start."""


class _Descriptors:
    """Opens descriptors, and closes them all in the end."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.inherited: list[int] = []

    def keep(self, fd: int, *, inherit: bool = True) -> int:
        self._stack.callback(os.close, fd)
        if inherit:
            self.inherited.append(fd)
        return fd

    def holding(self, data: bytes) -> int:
        """A descriptor from which ``data`` can be read."""
        fd = self.keep(os.memfd_create("data", os.MFD_CLOEXEC))
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.lseek(fd, 0, os.SEEK_SET)
        return fd


@contextmanager
def wired(
    program: Program, command: Command, stage: Stage | None = None
) -> Iterator[tuple[Wiring, ExitStack]]:
    """Everything for one start, and the stack that closes bwrap's side of it early.

    Args:
        program: the bwrap to use.
        command: what it is to run.
        stage: how its binds are made reachable for another id, where they must be.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        descriptors = _Descriptors(theirs)
        status_read, status_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        go_read, go_write = os.pipe2(os.O_CLOEXEC)
        for fd in (status_read, go_write):
            ours.callback(os.close, fd)
        descriptors.keep(status_write)
        descriptors.keep(go_read)
        arguments = [
            *layout.isolation(command),
            *("--json-status-fd", str(status_write), "--block-fd", str(go_read)),
            *layout.system_arguments(),
            *_etc(descriptors, command),
            *_binds(descriptors, program, command.binds if stage is None else stage.binds),
            *layout.command_arguments(command),
            *_forbidden(descriptors),
        ]
        start, environment = _start(descriptors, program, arguments)
        before = () if stage is None else stage.prefix()
        argv = (*before, *start, "--", *command.argv)
        inherited = tuple(descriptors.inherited)
        yield Wiring(argv, environment, inherited, status_read, go_write), theirs


def _start(
    descriptors: _Descriptors, program: Program, arguments: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The argv and environment."""
    path, environment, prefix = _nameless(descriptors, program)
    text = b"".join(os.fsencode(argument) + b"\0" for argument in (*prefix, *arguments))
    return (path, "--args", str(descriptors.holding(text))), environment


def _nameless(descriptors: _Descriptors, program: Program) -> tuple[str, dict[str, str], list[str]]:
    """Run bwrap from memory, and make it swallow the descriptors that takes."""
    copies = nameless_copies((program.path, *program.libraries))
    if not copies:
        return program.path, {}, []
    image, *libraries = (descriptors.keep(os.dup(copy)) for copy in copies)
    # The init keeps the descriptor of --sync-fd to itself.
    prefix = ["--sync-fd", str(image), "--clearenv"]
    for fd in libraries:
        # A descriptor is closed once a file has been made from it; /tmp is covered later.
        prefix += ["--file", str(fd), f"/tmp/{fd}"]  # noqa: S108  # inside
    preload = ":".join(f"/proc/self/fd/{fd}" for fd in libraries)
    return f"/proc/self/fd/{image}", {"LD_PRELOAD": preload} if preload else {}, prefix


def _etc(descriptors: _Descriptors, command: Command) -> list[str]:
    arguments: list[str] = []
    for name, text in layout.etc_files(command).items():
        fd = descriptors.holding(text.encode())
        arguments += ["--perms", "0444", "--file", str(fd), f"/etc/{name}"]
    return arguments


def _forbidden(descriptors: _Descriptors) -> list[str]:
    """The filter of system calls, where there is one for this machine."""
    text = filter_program()
    return ["--seccomp", str(descriptors.holding(text))] if text else []


def _binds(descriptors: _Descriptors, program: Program, binds: Sequence[Bind]) -> list[str]:
    """The command's binds, by descriptors that we opened where bwrap can take them."""
    arguments: list[str] = []
    for bind in binds:
        flag = "--bind" if bind.writable else "--ro-bind"
        if program.takes_descriptors and bind.source.parts[:2] != STAGE.parts[:2]:
            fd = descriptors.keep(os.open(bind.source, os.O_PATH | os.O_CLOEXEC))
            arguments += [f"{flag}-fd", str(fd), bind.target]
        else:
            arguments += [flag, str(bind.source), bind.target]
    return arguments
