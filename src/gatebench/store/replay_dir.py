"""``<job>/replay/``: states, looks, kept calls and preparations; the only writer of what is there.

Every record is written whole or not at all, and its presence means done: whatever is there is not
made again, so the same command goes on after an interruption of any kind.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from gatebench.errors import StoreError
from gatebench.model.replay import Kept, Look, Prepared, ReplayData, ReplayLock, State, spec_of
from gatebench.store.atomic import json_text, write_bytes, write_record, write_text
from gatebench.store.job_dir import LOCK, JobDir
from gatebench.store.redaction import Redactor

REPLAY = "replay"
LOOK = "look.json"
PREPARED = "prepared.json"

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class Shelf:
    """One directory below a replay: evidence by name, and records."""

    path: Path
    redactor: Redactor = field(default_factory=Redactor, compare=False, repr=False)

    def write(self, name: str, data: str | bytes) -> None:
        """Keep one piece of evidence."""
        raw = data if isinstance(data, bytes) else data.encode("utf-8", "replace")
        write_bytes(self._file(name), self.redactor.clean(raw), durable=False)

    def read(self, name: str) -> bytes | None:
        """One piece of evidence; ``None`` where there is none of that name."""
        path = self.path / name
        return path.read_bytes() if path.is_file() else None

    def save(self, name: str, record: BaseModel) -> None:
        """Keep one record; it is on the disk when this returns."""
        text = json_text(record.model_dump(mode="json"))
        write_text(self._file(name), self.redactor.words(text))

    def load(self, name: str, kind: type[R]) -> R | None:
        """A record; ``None`` where there is none.

        Raises:
            StoreError: the file isn't one.
        """
        path = self.path / name
        return _read(kind, path) if path.exists() else None

    def _file(self, name: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@dataclass(frozen=True)
class ReplayDir:
    """All that the replays of one job leave, but for the table (``<job>/replay.json``)."""

    path: Path
    redactor: Redactor = field(default_factory=Redactor, compare=False, repr=False)

    @property
    def journal(self) -> Path:
        """Append-only: invocations, model calls, looks."""
        return self.path / "journal.jsonl"

    def lock(self) -> ReplayLock | None:
        """What the looks have in common; ``None`` before the first replay."""
        path = self.path / LOCK
        return _read(ReplayLock, path) if path.exists() else None

    def save_lock(self, lock: ReplayLock) -> None:
        """Write it."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_record(self.path / LOCK, lock)

    def states(self) -> Shelf:
        """Where the states are, each in ``<id>.json``."""
        return Shelf(self.path / "states", self.redactor)

    def look(self, state: str, spec: str, time: int) -> Shelf:
        """Where one look and its evidence are."""
        return Shelf(self.path / "looks" / state / spec / f"t{time}", self.redactor)

    def calls(self, state: str, time: int) -> Shelf:
        """Where the calls made about a state at one time are."""
        return Shelf(self.path / "calls" / state / f"t{time}", self.redactor)

    def preparation(self, subject: str, spec: str, time: int) -> Shelf:
        """Where one preparation is."""
        return Shelf(self.path / "prepared" / subject / spec / f"t{time}", self.redactor)

    def all_states(self) -> tuple[State, ...]:
        """Every state, in the order of their names."""
        return tuple(_read(State, p) for p in sorted((self.path / "states").rglob("*.json")))

    def all_looks(self) -> tuple[Look, ...]:
        """Every look."""
        return tuple(_read(Look, p) for p in sorted((self.path / "looks").rglob(LOOK)))

    def spent_usd(self) -> float:
        """Dollars that are known to be spent: by kept calls, preparations, and other gates."""
        calls = [_read(Kept, p).cost_usd for p in (self.path / "calls").rglob("*.json")]
        looks = [look.apart_usd for look in self.all_looks()]
        known = (calls, looks, [p.cost_usd for p in self.preparations()])
        return sum(cost for costs in known for cost in costs if cost is not None)

    def preparations(self) -> tuple[Prepared, ...]:
        """Every preparation that came to its end."""
        found = sorted((self.path / "prepared").rglob(PREPARED))
        return tuple(_read(Prepared, path) for path in found)


def replay_dir(job: JobDir) -> ReplayDir:
    """The replay directory of a job."""
    return ReplayDir(job.path / REPLAY, job.redactor)


def load_replay(job: JobDir) -> ReplayData | None:
    """Everything a job's replays have left; ``None`` where there was none.

    Raises:
        StoreError: a record that can't be read.
    """
    home = replay_dir(job)
    lock, matrix = home.lock(), job.lock()
    if lock is None or matrix is None:
        return None
    costs = [p.cost_usd for p in home.preparations() if p.cost_usd is not None]
    choice = matrix.matrix.choice
    return ReplayData(
        simulated=choice.simulated,
        arms=lock.arms,
        states=home.all_states(),
        looks=home.all_looks(),
        writer_usd=sum(costs) if costs else None,
        asked_in={
            config.name: {gate: spec_of(config, gate, choice).id for gate in config.gates}
            for config in matrix.matrix.configs
        },
    )


def _read(kind: type[R], path: Path) -> R:
    try:
        return kind.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise StoreError(
            f"{path} can't be read as the record it should be ({type(error).__name__}).",
            "Move it away and run the same replay again: it makes what is missing.",
        ) from error
