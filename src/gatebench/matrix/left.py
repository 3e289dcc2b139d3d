"""Which trials of a matrix are still to be run."""

from gatebench.model.matrix import Matrix
from gatebench.model.trial import TrialId
from gatebench.store.job_dir import JobDir


def left_of(matrix: Matrix, home: JobDir, budgets: dict[str, float]) -> list[TrialId]:
    """In the order in which they are started.

    Args:
        matrix: theirs.
        home: where they are kept.
        budgets: dollars that each trial has of its own, see `gateway.Limits.of_a_trial`.
    """
    return [trial for trial in matrix.trials() if not _settled(home, trial, budgets)]


def _settled(home: JobDir, trial: TrialId, budgets: dict[str, float]) -> bool:
    """A finished trial isn't run again; one that a fault of ours broke is.

    One that its own budget ended would end so again, unless it has another budget now.
    """
    score = home.trial(trial).score()
    return score is not None and (score.valid or score.budgets == budgets)
