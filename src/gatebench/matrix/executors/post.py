"""The outgoing post of a machine of a cluster: what its trial said and left since last time."""

import asyncio
import json
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gatebench.matrix.executors.parcel import Limited, Parcel
from gatebench.model.score import Score
from gatebench.model.trial import TrialId
from gatebench.store.trial_dir import SESSION, TrialDir
from gatebench.trial.progress import Moment
from gatebench.workspace import TreeStore

_SAME_S = 2.0
"""A countdown whose end moves by less is still the same."""


class Post:
    """Collects what a trial says; a watcher."""

    def __init__(self) -> None:
        self.news = asyncio.Event()
        self._moments: list[Moment] = []
        self._drain = ""
        self._limited: Limited | None = None
        self._paused_until = float("-inf")

    def started(self, trial: TrialId) -> None:
        """The head has said so already."""

    def moment(self, moment: Moment) -> None:
        """Keep it for the next parcel."""
        self._moments.append(moment)
        self.news.set()

    def ended(self, trial: TrialId, score: Score) -> None:
        """The head says so itself."""

    def drain(self, why: str) -> None:
        """The gateway says that nothing more should be started."""
        self._drain = why
        self.news.set()

    def limited(self, left_s: float, why: str) -> None:
        """A trial ends at a usage limit."""
        self._limited = Limited(left_s, why, waited_out=False)
        self.news.set()

    def paused(self, left_s: float, why: str) -> None:
        """Calls wait for a usage limit; told every second, and sent once."""
        until = time.monotonic() + left_s
        if until > self._paused_until + _SAME_S:
            self._paused_until = until
            self._limited = self._limited or Limited(left_s, why, waited_out=True)
            self.news.set()

    def taken(self) -> Parcel:
        """What was collected; gone then."""
        parcel = Parcel(tuple(self._moments), drain=self._drain, limited=self._limited)
        self._moments, self._drain, self._limited = [], "", None
        self.news.clear()
        return parcel


@dataclass
class Packer:
    """Makes the parcels of one errand.

    Calls and moments travel at once; files and trees at each stop, when the session has ended, and
    at the end.
    """

    post: Post
    journal: Path
    home: TrialDir
    trees: TreeStore
    known: set[str]
    """Objects that the head has; grows."""
    _read: int = 0
    _seen: dict[str, tuple[int, int]] = field(default_factory=dict)

    async def parcel(self, *, whole: bool) -> Parcel:
        """What is new.

        Args:
            whole: nothing follows, so nothing is left for later.
        """
        news = self.post.taken()
        entries = self._entries()
        stopped = any(entry.get("event") == "stop" for entry in entries)
        if not (whole or stopped or self._session_ended):
            return replace(news, entries=entries)
        # Files before objects: whatever a file speaks of is among the objects then.
        files = await asyncio.to_thread(self.home.changed_since, self._seen)
        objects = await self.trees.since(self.known)
        return replace(news, entries=entries, objects=objects, files=files)

    @property
    def _session_ended(self) -> bool:
        return SESSION not in self._seen and (self.home.path / SESSION).exists()

    def _entries(self) -> tuple[dict[str, Any], ...]:
        """Whole lines of the journal that weren't read before."""
        with self.journal.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        data = data[: data.rfind(b"\n") + 1]
        self._read += len(data)
        return tuple(json.loads(line) for line in data.splitlines())
