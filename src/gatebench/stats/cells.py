"""A job's valid trials by config and task, and the figures estimators are fed with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import fmean

from gatebench.model.job import JobData, TrialData
from gatebench.model.score import Score

Setup = tuple[object, ...]


@dataclass(frozen=True)
class Done:
    """A valid trial and its score, which is there."""

    trial: TrialData
    score: Score

    @property
    def task(self) -> str:
        """Its task's id."""
        return self.trial.id.task

    @property
    def setup(self) -> Setup:
        """All that must be equal for the first stops of two trials to be of one kind."""
        s = self.score
        return (s.agent, s.agent_version, s.model, s.prompt, s.profile, s.injected)


@dataclass(frozen=True)
class Cells:
    """The valid trials of a job."""

    job: JobData

    @cached_property
    def done(self) -> dict[str, tuple[Done, ...]]:
        """By config, in the matrix's order."""
        return {
            config: tuple(
                Done(t, t.score) for t in self.job.of(config) if t.valid and t.score is not None
            )
            for config in self.job.configs
        }

    def of(self, config: str, task: str | None = None) -> tuple[Done, ...]:
        """The valid trials of one config, and of one task of it where given."""
        return tuple(d for d in self.done.get(config, ()) if task in {None, d.task})

    def everything(self) -> tuple[Done, ...]:
        """The valid trials of all configs."""
        return tuple(d for config in self.job.configs for d in self.of(config))

    def ends(self, config: str, task: str) -> tuple[Fraction, ...]:
        """Shares of passing requirements at the end, one per trial that has a verdict."""
        return known(end_share(d.score) for d in self.of(config, task))

    def money(self, config: str, task: str, what: Callable[[Score], float | None]) -> list[float]:
        """Known figures of one cell."""
        return [v for d in self.of(config, task) if (v := what(d.score)) is not None]

    def end_mean(self, config: str, task: str) -> float | None:
        """Mean share at the end of one cell; ``None`` where nothing is known."""
        ends = self.ends(config, task)
        return float(sum(ends) / len(ends)) if ends else None

    def means(self, config: str, what: Callable[[Score], float | None]) -> dict[str, float]:
        """Mean figure by task, tasks with nothing known left out."""
        found = {task: self.money(config, task, what) for task in self.job.tasks}
        return {task: fmean(figures) for task, figures in found.items() if figures}

    def end_means(self, config: str) -> dict[str, float]:
        """Mean share at the end by task, tasks with nothing known left out."""
        found = {task: self.end_mean(config, task) for task in self.job.tasks}
        return {task: mean for task, mean in found.items() if mean is not None}

    def first_share(self, done: Done) -> Fraction | None:
        """Share of requirements passing at the first stop; without a hook, at the end."""
        score = done.score
        if score.hook_calls is None:
            return end_share(score)
        whole = self.job.requirements.get(done.task)
        if score.hidden_first_stop is None or not whole:
            return None
        return Fraction(score.hidden_first_stop, whole)

    def first_mean(self, task: str, setup: Setup) -> float | None:
        """Mean over all first stops of a task, of all configs whose trials start alike."""
        alike = (d for d in self.everything() if d.task == task and d.setup == setup)
        shares = known(self.first_share(d) for d in alike)
        return float(sum(shares) / len(shares)) if shares else None


def end_share(score: Score) -> Fraction | None:
    """Passing requirements of those with a verdict at the end."""
    if score.hidden_pass is None or score.hidden_fail is None:
        return None
    whole = score.hidden_pass + score.hidden_fail
    return Fraction(score.hidden_pass, whole) if whole else None


def known(figures: Iterable[Fraction | None]) -> tuple[Fraction, ...]:
    """Those that are there."""
    return tuple(f for f in figures if f is not None)


def common(one: dict[str, float], two: dict[str, float]) -> list[tuple[float, float]]:
    """Figures of the tasks that both have, in the first's order."""
    return [(one[task], two[task]) for task in one if task in two]
