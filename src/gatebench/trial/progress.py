"""What a running trial tells those who watch it."""

from dataclasses import dataclass
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


class Watcher(Protocol):
    """Somebody who watches a job: the command line, or nobody."""

    def started(self, trial: TrialId) -> None:
        """A trial begins."""

    def moment(self, moment: Moment) -> None:
        """A trial does something else now."""

    def ended(self, trial: TrialId, score: Score) -> None:
        """A trial is done, well or not."""


class Nobody:
    """A watcher that looks away."""

    def started(self, trial: TrialId) -> None:
        """Look away."""

    def moment(self, moment: Moment) -> None:
        """Look away."""

    def ended(self, trial: TrialId, score: Score) -> None:
        """Look away."""
