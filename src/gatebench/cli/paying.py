"""What a real matrix is likely to cost, shown before it is asked for."""

import sys
from collections.abc import Iterator

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from gatebench.cli import place
from gatebench.cli.asked import PLAYBACK
from gatebench.cli.jobs import all_jobs
from gatebench.cli.spending import PAID, Spending, upstreams_of
from gatebench.errors import UsageError
from gatebench.gateway import ANTHROPIC
from gatebench.matrix.estimate import TYPICAL_SAID, Estimate, estimate
from gatebench.matrix.left import left_of
from gatebench.model.matrix import Choice, Matrix
from gatebench.report.counts import dollars
from gatebench.store.job_dir import JobDir

DIRECT = "direct"
FEWEST = 4
"""Trials that are worth a first one on its own."""


def pays(matrix: Matrix, spending: Spending) -> bool:
    """Whether a run costs money."""
    via = matrix.choice.via
    return via in {*PAID, DIRECT} or (via == PLAYBACK and spending.go_on_live)


def metered(choice: Choice) -> bool:
    """Whether the gateway counts what is spent, so that nobody else need."""
    return not choice.scripted and choice.via != DIRECT


def expected(matrix: Matrix, home: JobDir, spending: Spending) -> Estimate:
    """What the trials that are left are likely to cost."""
    return estimate(matrix, left_of(matrix, home, spending.limits.of_a_trial), pilots(home))


def agree(matrix: Matrix, home: JobDir, spending: Spending, *, yes: bool) -> None:
    """Nobody spends money by accident, and nobody starts without a key.

    Raises:
        UsageError: there is no model or no key, a budget that can't be kept, or no terminal to
            ask at and no ``--yes``.
    """
    _startable(matrix, spending)
    found = expected(matrix, home, spending)
    if spending.limits and found.unpriced and matrix.choice.via != DIRECT:
        raise UsageError(
            f"a budget can't be kept: there is no price for {'; '.join(found.unpriced)}.",
            "Leave the budget out, or name the model as its maker does.",
        )
    if yes or not found.trials:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{in_words(found, matrix)}; a real model is asked only with consent.", "Add --yes."
        )
    show_estimate(found, matrix, spending)
    if not typer.confirm("Go on?"):
        print("Nothing was run.")
        raise typer.Exit(1)


def _startable(matrix: Matrix, spending: Spending) -> None:
    choice = matrix.choice
    if not choice.model:
        raise UsageError(f"--via {choice.via} needs a model.", "Name it with --model.")
    if choice.exposed:
        _exposable(spending)
        return
    there = upstreams_of(choice, spending)
    for upstream in (there.worker, there.reviewer, there.writer):
        if upstream is None:
            continue
        if upstream.base == ANTHROPIC and upstream.credential is None:
            raise UsageError("there is no key for the provider.", "Set ANTHROPIC_API_KEY.")


def _exposable(spending: Spending) -> None:
    """Without a gateway the agent has the login itself: asked for by name, agreed to by name."""
    if not place.login().found:
        raise UsageError(
            f"there is no login of the CLI's in {place.login().folder}.",
            "Log in with 'claude' first, or use a key with --via live.",
        )
    if spending.max_cost_trial or spending.max_cost_role:
        raise UsageError(
            "without a gateway calls can't be metered, so a trial or a role has no budget.",
            "--max-cost works: what the CLI tells is counted after each trial.",
        )
    if not spending.expose_login:
        raise UsageError(
            "--via direct gives the agent your own login and opens its network; nothing that is "
            "said about the sandbox holds then.",
            "If you agree to that, add --expose-login; --via live with a key needs neither.",
        )


def pilots(home: JobDir) -> Iterator[JobDir]:
    """Jobs that may tell what a trial costs: this one, then the others, the newest first."""
    yield home
    yield from (JobDir(path) for path in all_jobs() if path.resolve() != home.path.resolve())


def in_words(found: Estimate, matrix: Matrix) -> str:
    """The estimate as the beginning of a sentence."""
    cost = "what that costs can't be told" if found.usd is None else f"about ${found.usd:,.2f}"
    return f"{found.trials} trials with {matrix.choice.model} cost money ({cost})"


def show_estimate(found: Estimate, matrix: Matrix, spending: Spending) -> None:
    """The estimate by config, where it comes from, and what limits it."""
    console = Console()
    console.print(_table(found))
    for name in found.unpriced:
        console.print(f"{found.prices} has no price for {name}.", highlight=False, markup=False)
    if any(row.source == "typical tokens" for row in found.rows):
        console.print(f"List prices of {found.prices}; {TYPICAL_SAID}", highlight=False)
    limit = spending.max_cost
    said = "no --max-cost" if limit is None else f"at most ${limit:,.2f} by --max-cost"
    console.print(f"{in_words(found, matrix)}; {said}.", highlight=False, markup=False)
    if limit is None and found.trials >= FEWEST:
        first = f"{place.program()} run … --configs bare --reps 1 --max-cost 1"
        console.print(f"Not sure? One task first tells more: {first}", highlight=False)


def _table(found: Estimate) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("config", "trials", "each $", "all $", "from"):
        table.add_column(header, justify="right" if "$" in header else "left")
    for row in found.rows:
        cells = (_dollars(row.each_usd), _dollars(row.usd), row.source)
        table.add_row(row.config, str(row.trials), *cells)
    return table


def _dollars(usd: float | None) -> str:
    return "–" if usd is None else dollars(usd)
