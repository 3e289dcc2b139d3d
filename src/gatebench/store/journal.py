r"""The job's journal: append-only JSON lines that survive a torn tail.

One record is one line, ended by ``\n``; the JSON is ASCII, so no other line separator of Unicode
can split it. A write that was killed leaves a torn last line: the next append starts on a line of
its own, and a reader reports the torn one and goes on. A write that failed leaves nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gatebench.store.appending import LineFile
from gatebench.store.redaction import Redactor


@dataclass(frozen=True)
class JournalContent:
    """What a journal holds."""

    entries: tuple[dict[str, Any], ...]
    torn: tuple[int, ...]
    """Numbers (from 1) of lines that aren't whole records."""


class Journal:
    """Append to a journal; an entry is on the disk when ``append`` returns."""

    def __init__(self, path: Path, redactor: Redactor | None = None) -> None:
        self._redactor = redactor or Redactor()
        self._file = LineFile(path)
        self._file.mend()

    def append(self, entry: Mapping[str, Any], *, durable: bool = True) -> None:
        """Write one entry.

        Args:
            entry: what happened.
            durable: wait until it is on the disk; else it outlives this process, not the machine.

        Raises:
            StoreError: the disk is full or gone; the journal is as it was.
        """
        line = json.dumps(entry, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        self._file.append(self._redactor.clean(line.encode("ascii")), durable=durable)

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_lines(path: Path) -> JournalContent:
    """Read a file of JSON lines; a missing one is empty.

    Torn or alien lines are reported by number, never raised: what is whole stays usable.
    """
    if not path.exists():
        return JournalContent((), ())
    entries: list[dict[str, Any]] = []
    torn: list[int] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if isinstance(entry, dict):
            entries.append(entry)
        else:
            torn.append(number)
    return JournalContent(tuple(entries), tuple(torn))
