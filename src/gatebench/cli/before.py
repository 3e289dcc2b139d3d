"""Before a matrix is run: what it comes to, and consent where it costs money."""

import sys

import typer

from gatebench.cli import place
from gatebench.errors import UsageError
from gatebench.gateway import ANTHROPIC
from gatebench.model.matrix import Matrix
from gatebench.store.job_dir import JobDir
from gatebench.suites import Suite

SECONDS_PER_TRIAL = 8.0
"""Of one lane in scripted mode, for the estimate of --dry-run; measured on two cores."""


def agree(matrix: Matrix, upstream: str, *, yes: bool) -> None:
    """Nobody spends money by accident, and nobody starts without a key.

    Raises:
        UsageError: there is no model or no key, or no terminal to ask at and no ``--yes``.
    """
    if not matrix.choice.model:
        raise UsageError(f"--via {matrix.choice.via} needs a model.", "Name it with --model.")
    if upstream == ANTHROPIC and place.credential() is None:
        raise UsageError("there is no key for the provider.", "Set ANTHROPIC_API_KEY.")
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{len(matrix.trials())} trials with {matrix.choice.model} cost money; a real model is "
            "asked only with consent.",
            "Add --yes.",
        )
    print(f"{len(matrix.trials())} trials with {matrix.choice.model}: this costs money.")
    typer.confirm("Go on?", abort=True)


def show_plan(matrix: Matrix, suite: Suite, home: JobDir, lanes: int) -> None:
    """Every trial, and about how long they take; nothing is run."""
    trials = matrix.trials()
    word = "SIMULATED, no cost" if matrix.choice.simulated else "real model"
    print(f"{len(trials)} trials of suite {suite.name} {suite.version} ({word}) into {home.path}")
    for config in matrix.configs:
        print(f"  {config.name:<8} {', '.join(config.gates) or 'no gate'}")
    for trial in trials:
        print(f"  {trial}")
    minutes = len(trials) * SECONDS_PER_TRIAL / lanes / 60
    print(f"about {minutes:.0f} min at {lanes} at once on two cores; nothing was run")
