"""What a command in the sandbox is given, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

HOME = "/home/dev"
"""The user's home inside: a private tmpfs unless a bind covers it."""
USER = "dev"
UID = 1000
"""User and group id inside."""
HOSTNAME = "box"
Kind = Literal["bwrap", "none"]


@dataclass(frozen=True)
class Bind:
    """One file, directory or socket of the host that a command can see.

    The command can read the host path of ``source`` in ``/proc/self/mountinfo``: give sources
    whose names tell nothing.
    """

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True)
class Limits:
    """What a command may use."""

    wall_s: float
    """Seconds until it is ended; ``start`` leaves this to its caller."""
    output_bytes: int = 4_000_000
    """Bytes kept of each of stdout and stderr."""
    processes: int | None = 256
    """Processes and threads at once."""
    file_bytes: int | None = 200_000_000
    """Size of one file."""


@dataclass(frozen=True)
class Command:
    """One command, in the paths that it sees itself."""

    argv: tuple[str, ...]
    limits: Limits
    binds: tuple[Bind, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """The whole environment; nothing is inherited."""
    cwd: str = "/"
    stdin: bytes | None = None
    """``None`` is an empty stdin."""
    network: bool = False
    """Whether it shares the host's network."""


@dataclass(frozen=True)
class Completed:
    """What became of a command. By now none of its processes is left."""

    exit_code: int | None
    """128 + n where signal n ended it; ``None`` where it was ended from outside."""
    stdout: bytes
    stderr: bytes
    wall_s: float
    timed_out: bool
    cut: bool
    """Output was capped: head and tail are kept, the cut is marked in the bytes."""
    limit: str | None = None
    """``file_bytes`` or ``processes`` where one was seen to be reached."""


@dataclass(frozen=True)
class Probe:
    """What ``doctor`` says of the sandbox."""

    works: bool
    reason: str
    """Why it doesn't work; empty where it does."""
    remedy: str
    """What to do about it; empty where it works."""
    path: str | None
    """The bwrap executable on the host."""
    version: str | None
    identity: str
    """Whose id the commands have on the host, for people."""
