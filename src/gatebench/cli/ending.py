"""What a run says before it starts nothing and after it has ended: plan, table, next step."""

import shlex
import sys
from collections.abc import Sequence

import typer
from rich.console import Console

from gatebench.cli import place
from gatebench.cli.interrupts import ASKED
from gatebench.matrix.run import Report
from gatebench.model.matrix import Matrix
from gatebench.report.counts import count, fitting
from gatebench.store.job_dir import JobDir
from gatebench.suites import Suite

LOOK, INTERRUPTED = 1, 130
PLAIN_WIDTH = 120
"""Columns where no terminal says."""
SECONDS_PER_TRIAL = 8.0
"""Of one lane in scripted mode, for the estimate of --dry-run; measured on two cores."""
JOBS_BUDGET, TRIALS_BUDGET = "--max-cost", "--max-cost-trial"
OF_JOB = "of the job's $"
_MORE = 2.0
"""Times what was not enough, for the command that goes on."""


def show_plan(matrix: Matrix, suite: Suite, home: JobDir, lanes: int) -> None:
    """What would be run, and how long the simulated team takes for it."""
    trials = matrix.trials()
    choice = matrix.choice
    word = "SIMULATED, no cost" if choice.scripted else f"{choice.via}, {choice.model}"
    print(f"{len(trials)} trials of suite {suite.name} {suite.version} ({word}) into {home.path}")
    for config in matrix.configs:
        shadow = f" (shadow: {', '.join(config.shadow)})" if config.shadow else ""
        print(f"  {config.name:<8} {', '.join(config.gates) or 'no gate'}{shadow}")
    for trial in trials:
        print(f"  {trial}")
    minutes = len(trials) * SECONDS_PER_TRIAL / lanes / 60
    told = f"about {minutes:.0f} min at {lanes} at once on two cores; " if choice.scripted else ""
    print(f"{told}nothing was run")


def finish(report: Report | None, home: JobDir, max_cost: float | None) -> None:
    """The table, and the next step.

    Args:
        report: ``None`` where it was stopped at once.
        home: the job's.
        max_cost: the job's budget in dollars.
    """
    if report is None:
        print(f"Stopped. Nothing is lost: the same command goes on.  Job: {home.path}")
        raise typer.Exit(INTERRUPTED)
    console = Console() if sys.stdout.isatty() else Console(width=PLAIN_WIDTH)
    counts = count(report.job)
    console.print(fitting(counts, console.width))
    console.print(f"Job: {home.path}", highlight=False)
    for kept in report.job.kept:
        changed = "; ".join(kept.differences)
        said = f"kept: {len(kept.trials)} trials were run under {kept.lock}: {changed}"
        console.print(said, highlight=False, markup=False)
    for trial, score in report.broken.items():
        console.print(
            f"invalid: {trial}: {score.status} {score.why}", highlight=False, markup=False
        )
    _budget(report, max_cost)
    if report.unfinished:
        asked = report.stopped == ASKED
        for line in _left(report, asked=asked):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        raise typer.Exit(INTERRUPTED if asked else LOOK)
    if report.broken:
        if report.stopped and report.stopped != ASKED:
            console.print(f"{report.stopped}.", highlight=False, markup=False)
        console.print(
            f"{len(report.broken)} trials are invalid through no fault of the agent. "
            f"The same command runs them again; '{place.program()} show' tells more."
        )
        raise typer.Exit(LOOK)
    console.print(f"Next: {place.program()} analyze {home.path}", highlight=False)


def _left(report: Report, *, asked: bool) -> tuple[str, ...]:
    """What isn't done, and what goes on with it."""
    left = f"{report.unfinished} trials left."
    if asked:
        return (f"{left} The same command goes on.",)
    again = f"To go on: {place.program()} {shlex.join(sys.argv[1:])}"
    return f"No more trials were started: {report.stopped}. {left}", again


def _budget(report: Report, max_cost: float | None) -> None:
    """A budget that was used up: the command that goes on, whole; then nothing else is said."""
    of_job = max_cost and any(s.status == "budget" for s in report.broken.values())
    of_trials = sum(s.status == "trial_budget" for s in report.broken.values())
    if of_job or JOBS_BUDGET in report.stopped or OF_JOB in report.stopped:
        more = f"{(max_cost or 0.0) * _MORE:g}"
        left = len(report.asked) - len(report.scores) + len(report.broken)
        said = f" ({report.stopped})" if report.stopped else ""
        print(f"The job's budget is used up{said}; {left} trials are left.")
        print(f"To go on: {_again(sys.argv[1:], JOBS_BUDGET, more)}")
        raise typer.Exit(LOOK)
    if of_trials and of_trials == len(report.broken) and not report.unfinished:
        print(
            f"{of_trials} trials used up a budget of their own; they are run again only with "
            f"another one ({TRIALS_BUDGET}, --max-cost-role)."
        )
        raise typer.Exit(LOOK)


def _again(words: Sequence[str], flag: str, value: str) -> str:
    """The command that was given, with another value of a flag."""
    kept: list[str] = []
    skip = False
    for word in words:
        if not skip and word != flag and not word.startswith(f"{flag}="):
            kept.append(word)
        skip = word == flag
    return f"{place.program()} {shlex.join([*kept, flag, value])}"
