"""``gatebench run``: the experiment."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gatebench.cli import place
from gatebench.cli.asked import Asked, home_of, listed, matrix_of, terms_of, words_of
from gatebench.cli.before import agree, show_plan
from gatebench.cli.display import Board
from gatebench.cli.node import here
from gatebench.cli.running import finish, run_order
from gatebench.errors import UsageError
from gatebench.gateway import ANTHROPIC, Hooks, Upstream
from gatebench.matrix.allowance import Allowance
from gatebench.matrix.executors import Where
from gatebench.matrix.run import Order
from gatebench.matrix.schedule import Drain
from gatebench.store.job_dir import JobDir
from gatebench.trial.bench import SHARED, Means, Upstreams

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
        show_plan(matrix, suite, home, jobs)
        return
    if matrix.choice.via in PAID:
        agree(matrix, upstream, yes=yes)
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
    finish(run_order(order, board), home)


def _reused(where: str | None, *, no_cache: bool) -> str | None:
    """Where results of equal trees are shared; a directory by its whole path.

    Raises:
        UsageError: nothing is to be reused at the same time.
    """
    if where and no_cache:
        raise UsageError("--reuse and --no-cache exclude each other.", "Leave one of them out.")
    return where if where in {None, SHARED} else str(Path(str(where)).absolute())
