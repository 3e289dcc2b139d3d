"""Keeps known secrets out of what is stored.

No secret ever gets into a sandbox; this is the second line: whatever is written below a job's
directory passes here, and a secret that is known by then is replaced.
"""

import json
from collections.abc import Callable, Iterable

MARK = b"[redacted]"
STREAM_BYTES = 100_000_000
"""An agent may write without end; the disk is everybody's."""
_SHORTEST = 8
"""Shorter ones are no secrets, and would turn up by chance."""


class Redactor:
    """Replaces known secrets, also where they stand inside JSON.

    Args:
        secrets: those known from the start.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: dict[bytes, None] = {}
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        """Learn one more."""
        if len(secret) < _SHORTEST:
            return
        for form in (secret, json.dumps(secret)[1:-1]):
            self._forms[form.encode("utf-8", "surrogateescape")] = None

    def clean(self, data: bytes) -> bytes:
        """The same bytes with a mark in the place of every secret."""
        for form in self._forms:
            data = data.replace(form, MARK)
        return data

    def words(self, text: str) -> str:
        """The same for text."""
        return self.clean(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def begun(self, data: bytes) -> int:
        """How many bytes at the end may be the beginning of a secret."""
        sizes = (
            size
            for form in self._forms
            for size in range(min(len(form) - 1, len(data)), 0, -1)
            if data.endswith(form[:size])
        )
        return max(sizes, default=0)


class RedactedStream:
    """Writes a stream on as it comes, secrets replaced wherever its pieces are cut.

    Args:
        redactor: knows the secrets.
        write: takes what may be written.
        most: bytes written on; of what comes after, a last line tells how much it was.
    """

    def __init__(
        self, redactor: Redactor, write: Callable[[bytes], object], most: int = STREAM_BYTES
    ) -> None:
        self._redactor = redactor
        self._out = write
        self._room = most
        self._cut = 0
        self._held = b""

    def feed(self, data: bytes) -> None:
        """The next piece."""
        data = self._redactor.clean(self._held + data)
        begun = self._redactor.begun(data)
        ready, self._held = data[: len(data) - begun], data[len(data) - begun :]
        self._write(ready)

    def close(self) -> None:
        """The end: what was held back is no secret."""
        self._write(self._held)
        self._held = b""
        if self._cut:
            self._out(b'\n{"type":"cut","bytes":%d}\n' % self._cut)

    def _write(self, data: bytes) -> None:
        kept = data[: self._room]
        self._room -= len(kept)
        self._cut += len(data) - len(kept)
        self._out(kept)
