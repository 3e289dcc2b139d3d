"""A job's directory: one locked matrix, any number of invocations."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from gatebench.errors import JobBusy, JobMismatch, StoreError
from gatebench.model.matrix import Lock
from gatebench.model.trial import TrialId
from gatebench.store.appending import LineFile
from gatebench.store.atomic import write_bytes, write_record, write_text
from gatebench.store.redaction import Redactor
from gatebench.store.trial_dir import TrialDir

LOCK = "lock.json"


@dataclass(frozen=True)
class JobDir:
    """``jobs/<name>-<digest>/``."""

    path: Path
    redactor: Redactor = field(default_factory=Redactor, compare=False, repr=False)
    """Knows what must not be stored."""

    @property
    def journal(self) -> Path:
        """The append-only journal of everything that happened."""
        return self.path / "journal.jsonl"

    @property
    def log(self) -> Path:
        """One line at each trial's start and end."""
        return self.path / "matrix.log"

    @property
    def trees(self) -> Path:
        """The job's own git store of snapshots."""
        return self.path / "trees.git"

    def trial(self, trial: TrialId) -> TrialDir:
        """The directory of one trial."""
        return TrialDir(self.path / str(trial), self.redactor)

    def trial_dirs(self) -> list[TrialDir]:
        """Every trial directory that is there."""
        found = (p for p in sorted(self.path.iterdir()) if p.is_dir() and "-r" in p.name)
        return [TrialDir(p) for p in found]

    def lock(self) -> Lock | None:
        """The job's lock, or ``None`` where there is none yet.

        Raises:
            StoreError: there is one that can't be read.
        """
        path = self.path / LOCK
        if not path.exists():
            return None
        try:
            return Lock.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise StoreError(
                f"{path} can't be read as a lock ({type(error).__name__}).",
                "The job was made by another version; use another --out.",
            ) from error

    def save_lock(self, lock: Lock) -> None:
        """Write the lock, and the plan beside it in words."""
        write_record(self.path / LOCK, lock)
        write_text(self.path / "matrix.txt", "".join(f"{t}\n" for t in lock.matrix.trials()))

    def keep_lock(self, name: str) -> None:
        """Keep the lock as it is under another name, before another takes its place."""
        write_bytes(self.path / name, (self.path / LOCK).read_bytes())

    def note(self, line: str) -> None:
        """Append one line to ``matrix.log``.

        Raises:
            StoreError: the disk is full or gone; the log is as it was.
        """
        with LineFile(self.log) as file:
            file.mend()
            file.append(line.rstrip("\n").encode(), durable=False)

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Hold the directory against a second invocation.

        The kernel releases the claim when the process ends, however it ends.

        Raises:
            JobBusy: another invocation holds it.
            JobMismatch: the directory holds something that is no job.
            StoreError: it can't be made or written.
        """
        self.refuse_alien()
        handle = self._open_claim()
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(handle, 32, 0).decode(errors="replace").strip() or "unknown"
                raise JobBusy(
                    f"{self.path} is in use by another invocation (process {holder}).",
                    "Wait for it, or give this one another --out.",
                ) from None
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(handle)

    def _open_claim(self) -> int:
        """Make the directory and the file that the claim is held on."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            return os.open(self.path / ".claim", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(
                f"{self.path} can't be made or written: {error.strerror or error}.",
                "Give another --out.",
            ) from error

    def refuse_alien(self) -> None:
        """Refuse a path that holds something that is no job.

        Raises:
            JobMismatch: it does.
        """
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise JobMismatch(f"{self.path} is no directory.", "Give another --out.")
        names = {p.name for p in self.path.iterdir()} - {".claim"}
        if names and LOCK not in names:
            raise JobMismatch(
                f"{self.path} holds files but no {LOCK}: it is no job of gate-bench.",
                "Give another --out.",
            )
