"""While a matrix runs, and what is said when it ends."""

import signal
import sys
from functools import partial
from typing import Any

import anyio
import typer
from rich.console import Console

from gatebench.agents.alone import alone
from gatebench.cli import place
from gatebench.cli.display import WIDE, Board, watching
from gatebench.matrix.run import Order, Report, run_job
from gatebench.matrix.schedule import Drain
from gatebench.report.counts import count, render, render_narrow
from gatebench.store.job_dir import JobDir

LOOK, INTERRUPTED = 1, 130
ASKED = "you asked"


def run_order(order: Order, board: Board) -> Report | None:
    """Run it before the user's eyes; ``None`` where it was stopped at once."""
    with watching(board) as display:
        return anyio.run(partial(_interruptible, order, display), backend="asyncio")


async def _interruptible(order: Order, display: Any) -> Report | None:
    """Ctrl-C once drains, twice stops at once; ``None`` then."""
    report: Report | None = None
    with alone():
        async with anyio.create_task_group() as group:
            group.start_soon(_listen, order.drain, group.cancel_scope)
            report = await run_job(order, display)
            group.cancel_scope.cancel()
    return report


async def _listen(drain: Drain, everything: anyio.CancelScope) -> None:
    times = 0
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            times += 1
            if times > 1:
                everything.cancel()
                return
            drain.ask(ASKED)
            print("\nFinishing the running trials; once more stops them at once.", file=sys.stderr)


def finish(report: Report | None, home: JobDir) -> None:
    """The table, and the next step."""
    if report is None:
        print(f"Stopped. Nothing is lost: the same command goes on.  Job: {home.path}")
        raise typer.Exit(INTERRUPTED)
    console = Console() if sys.stdout.isatty() else Console(width=WIDE)
    counts = count(report.job)
    console.print(render(counts) if console.width >= WIDE else render_narrow(counts))
    console.print(f"Job: {home.path}", highlight=False)
    for kept in report.job.kept:
        changed = "; ".join(kept.differences)
        said = f"kept: {len(kept.trials)} trials were run under {kept.lock}: {changed}"
        console.print(said, highlight=False, markup=False)
    for trial, score in report.broken.items():
        console.print(
            f"invalid: {trial}: {score.status} {score.why}", highlight=False, markup=False
        )
    if report.unfinished:
        asked = report.stopped == ASKED
        why = "" if asked else f"No more trials were started: {report.stopped}. "
        console.print(f"{why}{report.unfinished} trials left. The same command goes on.")
        raise typer.Exit(INTERRUPTED if asked else LOOK)
    if report.broken:
        console.print(
            f"{len(report.broken)} trials are invalid through no fault of the agent. "
            f"The same command runs them again; '{place.program()} show' tells more."
        )
        raise typer.Exit(LOOK)
    console.print(f"Next: {place.program()} analyze {home.path}", highlight=False)
