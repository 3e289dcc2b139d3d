"""A trial whose machine was lost: what is known of it is kept, and it is nobody's failure."""

from gatebench.model.score import Score
from gatebench.model.trial import Config, TrialId
from gatebench.trial.run import Job, Run, surroundings
from gatebench.trial.scoring import file_score


async def file_lost(job: Job, trial: TrialId, config: Config, status: str, why: str) -> Score:
    """File an invalid score beside what had come back of the trial.

    Args:
        job: of the trial.
        trial: the one that was lost.
        config: its config.
        status: what broke, a row of `model.faults`.
        why: one sentence.
    """
    home = job.home.trial(trial)
    async with surroundings(job.bench) as around:
        run = Run.begin(job, home, config, around)
        run.broke(status, why)
    return file_score(run)
