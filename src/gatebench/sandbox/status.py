"""What bwrap says of itself: JSON lines with the init's pid, and later the exit code."""

import json
import os
from typing import Any

import anyio


class Status:
    """Reads bwrap's status lines.

    Args:
        fd: the reading end, not blocking; closed when bwrap's end is.
    """

    def __init__(self, fd: int) -> None:
        self._fd: int | None = fd
        self._text = b""
        self._facts: dict[str, Any] = {}
        self._lock = anyio.Lock()

    async def init(self) -> int | None:
        """Host pid of the namespace's init; ``None`` where bwrap failed before there was one."""
        await self._until("child-pid")
        return self._facts.get("child-pid")

    async def exit_code(self) -> int | None:
        """The command's exit code, waited for; ``None`` where it never ended by itself."""
        await self._until("exit-code")
        return self._facts.get("exit-code")

    async def _until(self, key: str) -> None:
        async with self._lock:
            while key not in self._facts and self._fd is not None:
                await anyio.wait_readable(self._fd)
                self._take(os.read(self._fd, 65536))

    def _take(self, data: bytes) -> None:
        if not data:
            self.close()
        *lines, self._text = (self._text + data).split(b"\n")
        for line in lines:
            self._facts.update(json.loads(line or b"{}"))

    def close(self) -> None:
        """Give the descriptor back."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
