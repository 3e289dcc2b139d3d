"""Lines added to a file: each whole or not at all, also where the disk is full."""

import contextlib
import os
from pathlib import Path
from typing import Self

from gatebench.errors import StoreError


class LineFile:
    """A file that lines are appended to.

    Unbuffered: what a write that failed has left is cut off at once, and is never written later.

    Args:
        path: where it is, or is made.

    Raises:
        StoreError: it can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._torn = False
        """The last line may have no end."""
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise self._failed(error) from error

    def append(self, line: bytes, *, durable: bool) -> None:
        """Add one line.

        Args:
            line: without its end.
            durable: wait until it is on the disk; it outlives this process in any case.

        Raises:
            StoreError: the disk is full or gone; the file is as it was.
        """
        end = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            self._mend(end)
            end = os.lseek(self._handle, 0, os.SEEK_END)
            self._write(line + b"\n")
            if durable:
                os.fsync(self._handle)
        except OSError as error:
            self._torn = True
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, end)
            raise self._failed(error) from error

    def mend(self) -> None:
        """Close a torn last line that an earlier process left, so that the next stands alone.

        It stays, as evidence: a reader reports it.
        """
        self._torn = True

    def _mend(self, end: int) -> None:
        if self._torn and end and os.pread(self._handle, 1, end - 1) != b"\n":
            self._write(b"\n")
        self._torn = False

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._handle, left) :]

    def _failed(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self._path} can't be written: {error.strerror or error}.",
            "Make room, then run the same command again: it resumes.",
        )

    def close(self) -> None:
        """Release the file."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_of_an_error: object) -> None:
        self.close()
