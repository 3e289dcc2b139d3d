"""Recordings of model calls: one cassette per call site, answers stored once by their content.

::

    <directory>/sites/T1-g1-r1/worker.jsonl.zst     one zstd frame per call: digests, status, record
    <directory>/bodies/<sha256>.zst                 an answer's bytes as the agent got them

No request is stored (it carries the agent's own prompt), only its digests (`canon`); of an answer's
headers nothing but the content type; no credential, as none gets as far as the agent.
"""

import hashlib
from pathlib import Path

import zstandard
from pydantic import ValidationError

from gatebench.errors import StoreError
from gatebench.gateway.canon import Digests
from gatebench.model.base import Filed
from gatebench.model.usage import Call

_LEVEL = 9


class Entry(Filed):
    """One recorded call."""

    n: int
    """Its position in the site, from 1, by arrival."""
    opened: int
    """When it began and ended, counted in such moments of the site: which calls overlapped."""
    closed: int
    path: str
    asked: Digests
    status: int
    content_type: str
    body: str
    """sha256 of the answer's bytes."""
    broke: bool
    """The answer was broken off."""
    call: Call | None
    """The call's record; ``None`` for a count of tokens."""


class Cassettes:
    """The recordings of a job.

    Args:
        directory: theirs alone; made when something is recorded.
    """

    def __init__(self, directory: Path) -> None:
        self._sites = directory / "sites"
        self._bodies = directory / "bodies"

    def begin(self, site: str) -> None:
        """Forget what was recorded of a site: an attempt at a trial starts anew."""
        path = self._path(site)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._bodies.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")

    def add(self, site: str, entry: Entry) -> None:
        """Record one call."""
        frame = zstandard.compress(entry.model_dump_json().encode() + b"\n", _LEVEL)
        with self._path(site).open("ab") as file:
            file.write(frame)

    def store(self, body: bytes) -> str:
        """Keep an answer; gives its sha256."""
        name = hashlib.sha256(body).hexdigest()
        path = self._bodies / f"{name}.zst"
        if not path.exists():
            fresh = path.with_suffix(".new")
            fresh.write_bytes(zstandard.compress(body, _LEVEL))
            fresh.replace(path)
        return name

    def entries(self, site: str) -> tuple[Entry, ...]:
        """What was recorded of a site, by position; nothing where nothing was.

        Raises:
            StoreError: a cassette that can't be read.
        """
        path = self._path(site)
        try:
            with path.open("rb") as file:
                reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
                lines = reader.readall().splitlines()
            found = [Entry.model_validate_json(line) for line in lines]
        except FileNotFoundError:
            return ()
        except (OSError, zstandard.ZstdError, ValidationError) as error:
            raise self._unreadable(path) from error
        return tuple(sorted(found, key=lambda e: e.n))

    def body(self, name: str) -> bytes:
        """An answer by its sha256.

        Raises:
            StoreError: it isn't there, or isn't what it was.
        """
        path = self._bodies / f"{name}.zst"
        try:
            # Frames carry their size, but a changed file may claim any.
            reader = zstandard.ZstdDecompressor().stream_reader(path.read_bytes())
            data = reader.readall()
        except (OSError, zstandard.ZstdError) as error:
            raise self._unreadable(path) from error
        if hashlib.sha256(data).hexdigest() != name:
            raise self._unreadable(path)
        return data

    def _path(self, site: str) -> Path:
        return self._sites / f"{site}.jsonl.zst"

    @staticmethod
    def _unreadable(path: Path) -> StoreError:
        return StoreError(
            f"the recording '{path}' can't be read.", "Record the job again, or run it live."
        )
