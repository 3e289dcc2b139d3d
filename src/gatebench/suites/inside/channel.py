"""Sealed lines: JSON records under a keyed digest and a counter.

Code under test may find the file descriptor that carries the reports and write to it. Without the
key it can write nothing that is taken for a record: a line counts only if its digest is right and
its number is the next one.
"""

import hmac
import json
import os
from typing import Any

KEY_BYTES = 32
# Bound now: whatever code under test does to the json module later does not reach our records.
_ENCODE = json.JSONEncoder().encode
_DECODE = json.JSONDecoder().decode
_DIGEST_CHARS = 64


def _digest(key: "bytes | bytearray", body: bytes) -> bytes:
    return hmac.digest(key, body, "sha256").hex().encode()


class Sender:
    """Writes sealed lines to a file descriptor."""

    def __init__(self, fd: int, key: bytearray) -> None:
        self._fd = fd
        self._key = key
        self._number = 0

    def send(self, record: "dict[str, Any]") -> None:
        """Write one record.

        Raises:
            OSError: nobody reads the other end.
        """
        body = _ENCODE([self._number, record]).encode()
        self._number += 1
        view = memoryview(_digest(self._key, body) + b" " + body + b"\n")
        while view:
            view = view[os.write(self._fd, view) :]

    def blind(self) -> None:
        """Forget the key and close the descriptor: this process shall not report."""
        self._key[:] = bytes(len(self._key))
        os.close(self._fd)


class Receiver:
    """Takes bytes as they come and gives the records that are genuine."""

    def __init__(self, key: "bytes | bytearray") -> None:
        self._key = bytes(key)
        self._rest = b""
        self._next = 0
        self.strays = 0
        """Lines that were no genuine record, or came out of turn."""

    def feed(self, data: bytes) -> "list[dict[str, Any]]":
        """The records completed by these bytes, in order."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [record for line in lines if (record := self._open(line)) is not None]

    def close(self) -> None:
        """No more bytes will come: what is left over is a stray."""
        self.strays += bool(self._rest)
        self._rest = b""

    def _open(self, line: bytes) -> "dict[str, Any] | None":
        digest, body = line[:_DIGEST_CHARS], line[_DIGEST_CHARS + 1 :]
        if hmac.compare_digest(digest, _digest(self._key, body)):
            sealed = _DECODE(body.decode())
            if isinstance(sealed, list) and len(sealed) == 2 and sealed[0] == self._next:  # noqa: PLR2004
                self._next += 1
                return sealed[1] if isinstance(sealed[1], dict) else None
        self.strays += 1
        return None
