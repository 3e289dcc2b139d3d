"""``gatebench run``: the experiment."""

import signal
import sys
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer
from rich.console import Console

from gatebench.agents.alone import alone
from gatebench.cli import place
from gatebench.cli.asked import Asked, home_of, listed, matrix_of, terms_of, words_of
from gatebench.cli.display import WIDE, Board, watching
from gatebench.cli.node import here
from gatebench.errors import UsageError
from gatebench.gateway import ANTHROPIC, Hooks, Upstream
from gatebench.matrix.allowance import Allowance
from gatebench.matrix.executors import Where
from gatebench.matrix.run import Order, Report, run_job
from gatebench.matrix.schedule import Drain
from gatebench.model.matrix import Matrix
from gatebench.report.counts import count, render, render_narrow
from gatebench.store.job_dir import JobDir
from gatebench.suites import Suite
from gatebench.trial.bench import SHARED, Means, Upstreams

LOOK, INTERRUPTED = 1, 130
ASKED = "you asked"
PAID = ("live", "record")
"""Ways to a model that cost money."""


class SandboxKind(StrEnum):
    """What the agent is shut in with."""

    AUTO = "auto"
    BWRAP = "bwrap"
    NONE = "none"


class ExecutorKind(StrEnum):
    """What runs the trials."""

    LOCAL = "local"
    RAY = "ray"


SECONDS_PER_TRIAL = 8.0
"""Of one lane in scripted mode, for the estimate of --dry-run; measured on two cores."""


def main(
    target: Annotated[
        list[str] | None,
        typer.Argument(help="A suite, a matrix.toml, tasks (T1 T2 …), or a job to go on with."),
    ] = None,
    tasks: Annotated[str, typer.Option(help="Tasks, comma-separated.")] = "",
    configs: Annotated[str, typer.Option(help="Configs, comma-separated: bare,g1,g3,…")] = "",
    reps: Annotated[int | None, typer.Option(min=1, help="Repetitions 1…N.  [2]")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Trials at once.")] = 3,
    via: Annotated[str | None, typer.Option(help="Way to the model.  [scripted]")] = None,
    model: Annotated[str | None, typer.Option(help="The worker's model; implies live.")] = None,
    reviewer_model: Annotated[str | None, typer.Option(help="The reviewers' model.")] = None,
    writer_model: Annotated[str | None, typer.Option(help="The test writer's model.")] = None,
    upstream: Annotated[
        str, typer.Option(help="A server that speaks the Messages API.")
    ] = ANTHROPIC,
    agent: Annotated[
        str | None, typer.Option(help="claude-code, nop or reference.  [claude-code]")
    ] = None,
    agent_bin: Annotated[
        Path | None, typer.Option(help="An executable that takes the CLI's flags.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="The simulated team's: mixed, perfect, refuser, hunter or a file."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the simulated team.  [1]")] = None,
    prompt: Annotated[str | None, typer.Option(help="terse or explicit.  [terse]")] = None,
    inject: Annotated[
        str | None, typer.Option(help="An injection of the suite, or a patch file.")
    ] = None,
    give_up: Annotated[
        int | None, typer.Option(min=0, help="Blocks before a gate gives up.  [6]")
    ] = None,
    tag: Annotated[str, typer.Option(help="Marks the trials; they stay out of analysis.")] = "",
    sandbox: Annotated[
        SandboxKind, typer.Option(help="auto is bwrap; none is no protection at all.")
    ] = SandboxKind.AUTO,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Judge and test every tree anew, equal ones too.")
    ] = False,
    reuse: Annotated[
        str | None,
        typer.Option(help="Share results of equal trees across jobs: 'shared', or a directory."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Dollars; reached, no more trials are started.")
    ] = None,
    max_wall: Annotated[
        float | None, typer.Option(min=0, help="Seconds; passed, no more trials are started.")
    ] = None,
    executor: Annotated[
        ExecutorKind, typer.Option(help="ray runs trials on a cluster (docs/scaling.md).")
    ] = ExecutorKind.LOCAL,
    ray_address: Annotated[
        str | None, typer.Option(help="The cluster's; without it Ray's own settings tell.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask before paying.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan, run nothing.")] = False,
    new: Annotated[bool, typer.Option("--new", help="A new job beside the old ones.")] = False,
    keep_old: Annotated[
        bool,
        typer.Option("--keep-old", help="Go on under a changed lock; old trials stay, marked."),
    ] = False,
    out: Annotated[Path | None, typer.Option(help="The job's directory.")] = None,
) -> None:
    """Run a matrix of trials; without arguments the shipped experiment, simulated.

    The same command again goes on where it was; more tasks, configs or reps extend the job.

    Examples:
      gatebench run
      gatebench run T1 --configs g1 --profile refuser --inject break
      gatebench run my-matrix.toml --jobs 4
    """
    flags = {
        "via": via,
        "model": model,
        "reviewer_model": reviewer_model,
        "writer_model": writer_model,
        "agent": agent,
        "profile": profile,
        "seed": seed,
        "prompt": prompt,
        "inject": inject,
    }
    asked = Asked(
        words_of(target or []),
        listed(tasks),
        listed(configs),
        {name: value for name, value in flags.items() if value is not None},
    )
    request = asked.request(reps=reps, give_up=give_up, tag=tag)
    matrix, suite = matrix_of(asked, request)
    if new and keep_old:
        raise UsageError("--new and --keep-old exclude each other.", "Leave one of them out.")
    home = JobDir(home_of(asked, matrix, out, give_up, new=new))
    if dry_run:
        _show_plan(matrix, suite, home, jobs)
        return
    if matrix.choice.via in PAID:
        _agree(matrix, upstream, yes=yes)
    drain = Drain()
    board = Board(drain)
    means = Means(
        place.cache(),
        place.search_path(),
        sandbox.value,
        agent_bin,
        fresh=no_cache,
        reuse=_reused(reuse, no_cache=no_cache),
        roles=any(c.gates for c in matrix.configs),
        secrets=place.secrets(),
        terms=replace(
            terms_of(asked, matrix, home, max_cost),
            hooks=Hooks(board.paused, on_drain=lambda _fault, why: drain.ask(why)),
        ),
        upstreams=Upstreams(Upstream(upstream, place.credential())),
    )
    where = Where(executor.value, ray_address, here)
    order = Order(matrix, home, means, jobs, drain, Allowance(max_cost, max_wall), where, keep_old)
    _finish(_run(order, board), home)


def _reused(where: str | None, *, no_cache: bool) -> str | None:
    """Where results of equal trees are shared; a directory by its whole path.

    Raises:
        UsageError: nothing is to be reused at the same time.
    """
    if where and no_cache:
        raise UsageError("--reuse and --no-cache exclude each other.", "Leave one of them out.")
    return where if where in {None, SHARED} else str(Path(str(where)).absolute())


def _agree(matrix: Matrix, upstream: str, *, yes: bool) -> None:
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


def _show_plan(matrix: Matrix, suite: Suite, home: JobDir, lanes: int) -> None:
    trials = matrix.trials()
    word = "SIMULATED, no cost" if matrix.choice.simulated else "real model"
    print(f"{len(trials)} trials of suite {suite.name} {suite.version} ({word}) into {home.path}")
    for config in matrix.configs:
        print(f"  {config.name:<8} {', '.join(config.gates) or 'no gate'}")
    for trial in trials:
        print(f"  {trial}")
    minutes = len(trials) * SECONDS_PER_TRIAL / lanes / 60
    print(f"about {minutes:.0f} min at {lanes} at once on two cores; nothing was run")


def _run(order: Order, board: Board) -> Report | None:
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


def _finish(report: Report | None, home: JobDir) -> None:
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
