"""Trials in this process."""

from dataclasses import dataclass

from gatebench.model.score import Score
from gatebench.model.trial import Config, TrialId
from gatebench.trial.lifecycle import Job, run_trial


@dataclass(frozen=True)
class Local:
    """Runs trials here."""

    job: Job

    async def run(self, trial: TrialId, config: Config) -> Score:
        """Run it."""
        return await run_trial(self.job, trial, config)
