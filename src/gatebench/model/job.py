"""What a job directory holds, read back for analysis."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gatebench.model.matrix import Kept
from gatebench.model.reasons import Triage
from gatebench.model.replay import ReplayData
from gatebench.model.score import Score
from gatebench.model.stop import StopRecord
from gatebench.model.trial import TrialId


@dataclass(frozen=True)
class TrialData:
    """One trial of a job as it is on disk."""

    id: TrialId
    score: Score | None
    """``None`` while it isn't done."""
    stops: tuple[StopRecord, ...] = ()
    triage: tuple[Triage, ...] = ()
    """What the complaints of stops are about, as far as it was looked into."""

    @property
    def valid(self) -> bool:
        """Done, and nothing of ours broke."""
        return self.score is not None and self.score.valid


@dataclass(frozen=True)
class JobData:
    """A job as it is on disk."""

    name: str
    suite: str
    tasks: tuple[str, ...]
    """In the matrix's order."""
    configs: tuple[str, ...]
    """In the matrix's order."""
    reps: int
    requirements: Mapping[str, int]
    """Number of requirements by task."""
    simulated: bool
    trials: tuple[TrialData, ...] = field(default=())
    """Every planned trial, tagged ones left out."""
    replay: ReplayData | None = None
    """What its replays have left, where it was read."""
    kept: tuple[Kept, ...] = ()
    """Trials that were run under an earlier lock."""

    def of(self, config: str, task: str | None = None) -> Iterator[TrialData]:
        """The trials of one config, and of one task of it where given."""
        for trial in self.trials:
            if trial.id.config == config and task in {None, trial.id.task}:
                yield trial
