"""What a running trial tells those who watch it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from gatebench.model.score import Score
from gatebench.model.trial import TrialId


@dataclass(frozen=True)
class Moment:
    """What one trial is doing."""

    trial: TrialId
    doing: str
    """A few words: ``writing acceptance tests``, ``working``, ``stop 2: review`` …"""
    stop: int | None = None
    cost_usd: float | None = None
    """Spent so far, as far as known."""
    waits_for: tuple[str, ...] = ()
    """What holds it up at the moment, in words; empty where it gets on."""


class Watcher(Protocol):
    """Somebody who watches a job: the command line, or nobody."""

    def started(self, trial: TrialId) -> None:
        """A trial begins."""

    def moment(self, moment: Moment) -> None:
        """A trial does something else now."""

    def ended(self, trial: TrialId, score: Score) -> None:
        """A trial is done, well or not."""


@dataclass
class Teller:
    """Tells a watcher what one trial does and what it waits for."""

    watcher: Watcher
    trial: TrialId
    _now: Moment | None = None
    _waits: list[str] = field(default_factory=list)

    def doing(self, what: str, stop: int | None, cost_usd: float | None) -> None:
        """Something else now."""
        self._tell(Moment(self.trial, what, stop, cost_usd))

    @contextmanager
    def waits(self, what: str) -> Iterator[None]:
        """Inside the block the trial, or one of its calls, waits for that."""
        self._waits.append(what)
        self._tell(self._now)
        try:
            yield
        finally:
            self._waits.remove(what)
            self._tell(self._now)

    def _tell(self, moment: Moment | None) -> None:
        self._now = moment or Moment(self.trial, "starting")
        self.watcher.moment(replace(self._now, waits_for=tuple(dict.fromkeys(self._waits))))


class Nobody:
    """A watcher that looks away."""

    def started(self, trial: TrialId) -> None:
        """Look away."""

    def moment(self, moment: Moment) -> None:
        """Look away."""

    def ended(self, trial: TrialId, score: Score) -> None:
        """Look away."""
