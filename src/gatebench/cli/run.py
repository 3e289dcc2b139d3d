"""``gatebench run``: the experiment."""

from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer

from gatebench.cli import options, place
from gatebench.cli.asked import Asked, home_of, listed, matrix_of, words_of
from gatebench.cli.display import Board, watching
from gatebench.cli.ending import finish, show_plan
from gatebench.cli.interrupts import interruptible
from gatebench.cli.node import here
from gatebench.cli.paying import agree, expected, metered, pays, show_estimate
from gatebench.cli.spending import (
    Spending,
    dollars_by_role,
    recorded_with,
    secrets_of,
    terms_of,
    upstreams_of,
)
from gatebench.errors import UsageError
from gatebench.gateway import Fault, Hooks
from gatebench.matrix.allowance import Allowance
from gatebench.matrix.executors import Where
from gatebench.matrix.hold import Hold
from gatebench.matrix.run import Order, Report, run_job
from gatebench.matrix.schedule import Drain
from gatebench.store.job_dir import JobDir
from gatebench.trial.bench import SHARED, Means


class SandboxKind(StrEnum):
    """What the agent is shut in with."""

    AUTO = "auto"
    BWRAP = "bwrap"
    NONE = "none"


class ExecutorKind(StrEnum):
    """What runs the trials."""

    LOCAL = "local"
    RAY = "ray"


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
    upstream: options.UpstreamUrl = None,
    reviewer_upstream: options.ReviewerUpstream = None,
    writer_upstream: options.WriterUpstream = None,
    key: options.Key = None,
    reviewer_key: options.ReviewerKey = None,
    writer_key: options.WriterKey = None,
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
    max_cost: options.MaxCost = None,
    max_cost_trial: options.MaxCostTrial = None,
    max_cost_role: options.MaxCostRole = "",
    patience: options.PatienceMinutes = None,
    on_mismatch: options.Mismatch = options.OnMismatch.STOP,
    expose_login: options.ExposeLogin = False,
    rehearsal: options.Rehearsal = False,
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
        "upstream": upstream,
        "reviewer_upstream": reviewer_upstream,
        "writer_upstream": writer_upstream,
        "rehearsal": rehearsal or None,
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
    spending = Spending(
        max_cost=max_cost,
        max_cost_trial=max_cost_trial,
        max_cost_role=dollars_by_role(max_cost_role),
        patience=patience,
        key=key,
        reviewer_key=reviewer_key,
        writer_key=writer_key,
        expose_login=expose_login,
        go_on_live=on_mismatch is options.OnMismatch.LIVE,
    ).over(asked.words.file)
    if dry_run:
        show_plan(matrix, suite, home, jobs)
        if pays(matrix, spending):
            show_estimate(expected(matrix, home, spending), matrix, spending)
        return
    if pays(matrix, spending):
        agree(matrix, home, spending, yes=yes)
    drain, hold = Drain(), Hold()
    board = Board(drain)
    upstreams = upstreams_of(matrix.choice, spending)
    terms = terms_of(asked, matrix.choice, home, spending)
    if terms.spent_up and metered(matrix.choice):
        drain.ask(terms.spent_up)
    hold.patience_s, hold.tell = terms.patience.hold_s, board.paused
    hooks = Hooks(
        on_pause=board.paused,
        on_hold=lambda left_s, why: hold.ask(left_s, why, drain),
        on_drain=lambda fault, why: drain.ask(_said(fault, why, asked)),
        on_mismatch=board.note,
    )
    means = Means(
        place.cache(),
        place.search_path(),
        sandbox.value,
        agent_bin,
        fresh=no_cache,
        reuse=_reused(reuse, no_cache=no_cache),
        roles=any(c.asks for c in matrix.configs),
        secrets=secrets_of(upstreams, matrix.choice),
        terms=replace(terms, hooks=hooks),
        upstreams=upstreams,
        login=place.login(),
    )
    # Here the gateway counts each call; on a cluster each machine's own would, so the head does.
    counted = metered(matrix.choice) and executor is ExecutorKind.LOCAL
    allowance = Allowance(None if counted else spending.max_cost, max_wall)
    where = Where(executor.value, ray_address, here)
    order = Order(matrix, home, means, jobs, drain, allowance, hold, where, keep_old)
    finish(_run(order, board), home, spending.max_cost)


def _said(fault: Fault, why: str, asked: Asked) -> str:
    """Why nothing more is started; another version of the agent is the usual mismatch."""
    words = why.rstrip(".")
    if fault is Fault.MISMATCH:
        return f"{words} (recorded with {recorded_with(asked)})"
    return words


def _run(order: Order, board: Board) -> Report | None:
    with watching(board) as display:
        work = partial(run_job, order, display)
        return anyio.run(partial(interruptible, order.drain, work, "trials"), backend="asyncio")


def _reused(where: str | None, *, no_cache: bool) -> str | None:
    """Where results of equal trees are shared; a directory by its whole path.

    Raises:
        UsageError: nothing is to be reused at the same time.
    """
    if where and no_cache:
        raise UsageError("--reuse and --no-cache exclude each other.", "Leave one of them out.")
    return where if where in {None, SHARED} else str(Path(str(where)).absolute())
