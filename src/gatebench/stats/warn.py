"""What a reader must know before believing a job's numbers: one sentence each."""

from collections.abc import Iterator

from gatebench.model.labels import Label, label
from gatebench.stats.cells import Cells
from gatebench.stats.mde import measured_points

HOPELESS = 0.1
FEW_TASKS = 10


def warnings(cells: Cells) -> tuple[str, ...]:
    """All warnings about one job."""
    return tuple(
        sentence
        for rule in (_missing, _tasks, _reps, _hopeless, _kept, _marks, _untold)
        for sentence in rule(cells)
    )


def _missing(cells: Cells) -> Iterator[str]:
    planned = len(cells.job.trials)
    done = sum(t.score is not None for t in cells.job.trials)
    valid = sum(t.valid for t in cells.job.trials)
    if not planned:
        yield "The job has no trials: there is nothing to analyse."
    if done < planned:
        yield f"{planned - done} of {planned} trials are not done: every number may still change."
    if valid < done:
        yield (
            f"{done - valid} of {done} finished trials are invalid (a fault of the harness, not "
            "of the agent) and stand in no number; if faults are likelier in hard trials, what is "
            "left is biased."
        )


def _tasks(cells: Cells) -> Iterator[str]:
    tasks = len(cells.job.tasks)
    if tasks == 1:
        yield (
            "One task: intervals over tasks are impossible, and nothing here speaks about other "
            "tasks."
        )
    elif 1 < tasks < FEW_TASKS:
        yield (
            f"{tasks} tasks: only large differences can be told apart{_rule_of_thumb(cells)}. More "
            "tasks help more than more repetitions."
        )


def _rule_of_thumb(cells: Cells) -> str:
    """What designs of this size could tell apart on simulated jobs."""
    found = measured_points(len(cells.job.tasks), cells.job.reps)
    if found is None:
        return ""
    return (
        f" (on simulated jobs with assumed variances, designs like this one needed some {found[0]} "
        "points between two configs)"
    )


def _reps(cells: Cells) -> Iterator[str]:
    if cells.job.reps == 1 and cells.job.trials:
        yield (
            "One repetition: what one trial did by chance can't be told from what its config "
            "does; there is no interval for these tasks alone."
        )


def _hopeless(cells: Cells) -> Iterator[str]:
    means = cells.end_means("bare")
    low = [task for task, mean in means.items() if mean <= HOPELESS]
    if low:
        yield (
            f"Nearly hopeless for bare: {', '.join(low)}. Where one task in five is, intervals of "
            "bare pass rates were measured to cover 88–94 %, not 95 %."
        )


def _kept(cells: Cells) -> Iterator[str]:
    for kept in cells.job.kept:
        if kept.trials:
            yield (
                f"{len(kept.trials)} trials were run under another lock ({kept.lock}) and count "
                f"like the others: {'; '.join(kept.differences)}."
            )


def _marks(cells: Cells) -> Iterator[str]:
    trials = cells.everything()
    tampered = sum(bool(d.score.tampered) for d in trials)
    if tampered:
        yield f"Tampering was seen in {tampered} valid trials; they count as they ended."
    if any(d.score.unsandboxed for d in trials):
        yield "Some trials ran without a sandbox: the hidden tests were within the agent's reach."
    if any(d.score.credential_exposed for d in trials):
        yield (
            "Some trials ran with the user's own login and an open network: what is said about the "
            "sandbox doesn't hold for them."
        )
    if any(d.score.model_ok is False for d in trials):
        yield "In some trials another model served than the one asked for."
    if any(d.score.hidden_unscorable for d in trials):
        yield "Some requirements have no verdict; they are left out of every denominator."
    if len({d.setup for d in trials}) > 1:
        yield (
            "Configs differ in more than their gates (agent, model, prompt, profile or injection): "
            "their differences are not the gates' alone."
        )


def _untold(cells: Cells) -> Iterator[str]:
    blocks = untriaged(cells)
    if blocks:
        yield (
            f"{blocks} right and false blocks were not looked into: 'gatebench triage' tells those "
            "that pointed at what was wrong from lucky ones, and over-strict tests from defects."
        )


def untriaged(cells: Cells) -> int:
    """Right and false blocks of which nobody has asked what they were about."""
    found = 0
    for done in cells.everything():
        known = {t.n for t in done.trial.triage}
        found += sum(
            label(stop) in {Label.RIGHT_BLOCK, Label.FALSE_BLOCK} and stop.n not in known
            for stop in done.trial.stops
        )
    return found
