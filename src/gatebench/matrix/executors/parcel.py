"""What travels between the head of a cluster and the machines that run trials."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gatebench.matrix.executors.base import Where
from gatebench.matrix.hold import Hold
from gatebench.matrix.schedule import Drain
from gatebench.model.matrix import Choice
from gatebench.model.trial import Config, TrialId
from gatebench.suites import shipped_suites
from gatebench.suites.files import files_below
from gatebench.trial.bench import Means
from gatebench.trial.lifecycle import Job
from gatebench.trial.progress import Moment

SCORED = "scored"
"""The journal's event that follows the score."""


@dataclass(frozen=True, eq=False)
class Kit:
    """What a machine needs to open a bench like the head's; no secret is in it."""

    key: str
    """Of this invocation: machines keep a bench open as long as errands bring the same."""
    choice: Choice
    means: Means
    """The head's, without its credentials."""
    digests: Mapping[str, str]
    """Of the head's bench: a machine whose bench differs refuses."""
    where: Where
    needs_key: bool
    files: Mapping[str, Mapping[str, bytes]]
    """What the choice and the configs name by path: for each name the files below it."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kit) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class Errand:
    """One attempt of one trial."""

    trial: TrialId
    config: Config
    attempt: int


@dataclass(frozen=True)
class Limited:
    """A usage limit that a machine has met."""

    left_s: float
    """Until it lifts."""
    why: str
    waited_out: bool
    """Whether the call that met it waits; else its trial ends, and is to be run again."""


@dataclass(frozen=True)
class Parcel:
    """What has happened on a machine since its last parcel."""

    moments: tuple[Moment, ...] = ()
    entries: tuple[Mapping[str, Any], ...] = ()
    """For the journal."""
    objects: Mapping[str, bytes] = field(default_factory=dict)
    """Of the git store, as they lie on the disk."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Of the trial's directory."""
    drain: str = ""
    """Why nothing more should be started."""
    limited: Limited | None = None
    refused: tuple[str, str] | None = None
    """What the machine can't do, and what to do about it; ends the errand."""
    full: str = ""
    """Which disk of the machine had no room; ends the errand."""

    @property
    def worth_sending(self) -> bool:
        """Whether there is anything in it."""
        news = (self.moments, self.entries, self.files, self.drain, self.limited, self.refused)
        return any(news)


def heed(parcel: Parcel, drain: Drain, hold: Hold) -> None:
    """Start no more for good, or for as long as a usage limit holds: it is every machine's."""
    if parcel.drain:
        drain.ask(parcel.drain)
    if parcel.limited is not None:
        limited = parcel.limited
        if limited.waited_out:
            hold.pause(limited.left_s, limited.why)
        else:
            hold.ask(limited.left_s, limited.why, drain)


async def unpack(parcel: Parcel, job: Job, trial: TrialId) -> None:
    """File a parcel; what says how far the trial is comes after what it rests on.

    Raises:
        StoreError: it can't be filed.
    """
    await job.bench.trees.take(parcel.objects)
    for entry in parcel.entries:
        if entry.get("event") != SCORED:
            job.journal.append(entry)
    job.home.trial(trial).take(parcel.files)
    for entry in parcel.entries:
        if entry.get("event") == SCORED:
            job.journal.append(entry)
    for moment in parcel.moments:
        job.watcher.moment(moment)


def files_of(name: str) -> dict[str, bytes]:
    """The files of what is named by path: one file, or all below a directory."""
    path = Path(name)
    if path.is_file():
        return {path.name: path.read_bytes()}
    return {str(p.relative_to(path)): p.read_bytes() for p in files_below(path)}


def named_by_path(choice: Choice, configs: tuple[Config, ...]) -> tuple[str, ...]:
    """The suite, profiles and patch that are paths and not names."""
    profiles = [choice.profile, *(c.profile for c in configs)]
    files = [n for n in (*profiles, choice.inject) if n and _is_path(n)]
    suite = [] if choice.suite in shipped_suites() else [choice.suite]
    return tuple(dict.fromkeys([*suite, *files]))


def _is_path(name: str) -> bool:
    return Path(name).is_file() and ("/" in name or "." in name)
