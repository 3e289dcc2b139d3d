"""A disk of a few megabytes that only what is started with it sees, and that can be filled."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from front import Front

_HOLD = 'mount -t tmpfs -o size="$1" tmpfs "$2" && echo ready && exec cat'


@dataclass(frozen=True)
class SmallDisk:
    """A tmpfs in a mount namespace of its own."""

    mount: Path
    """As those inside see it."""
    holder: int
    """The process that keeps the namespace."""

    @property
    def seen(self) -> Path:
        """The same from outside."""
        return Path(f"/proc/{self.holder}/root{self.mount}")

    def fill(self) -> None:
        """Leave no byte."""
        with (self.seen / "filler").open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"x" * size)

    def empty(self) -> None:
        """Give the room back."""
        (self.seen / "filler").unlink()

    def front(self, front: Front) -> Front:
        """The program, started where it sees this disk."""
        enter = ("nsenter", f"--mount=/proc/{self.holder}/ns/mnt", f"--wd={front.cwd}")
        return replace(front, before=enter)


@contextmanager
def small_disk(mount: Path, megabytes: int = 40) -> Iterator[SmallDisk]:
    """A disk at a directory; skips the test where none may be mounted."""
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("nsenter")):
        pytest.skip("mounting a small disk takes root, unshare and nsenter")
    mount.mkdir()
    size = f"{megabytes}m"
    holder = subprocess.Popen(
        ("unshare", "--mount", "--propagation", "private", "sh", "-c", _HOLD, "-", size, mount),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        if holder.stdout is None or holder.stdout.readline() != b"ready\n":
            pytest.skip("no tmpfs may be mounted here")
        yield SmallDisk(mount, holder.pid)
    finally:
        holder.communicate()
