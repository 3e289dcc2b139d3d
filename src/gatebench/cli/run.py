"""``gatebench run``: the experiment."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio

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
from gatebench.gateway import Fault, Hooks, Terms
from gatebench.matrix.allowance import Allowance
from gatebench.matrix.executors import Where
from gatebench.matrix.hold import Hold
from gatebench.matrix.run import Order, Report, run_job
from gatebench.matrix.schedule import Drain
from gatebench.model.matrix import Choice, Matrix
from gatebench.store.job_dir import JobDir
from gatebench.trial.bench import SHARED, Means


def main(
    target: options.Target = None,
    tasks: options.Tasks = "",
    configs: options.Configs = "",
    reps: options.Reps = None,
    jobs: options.Lanes = 3,
    via: options.Via = None,
    model: options.Model = None,
    reviewer_model: options.ReviewerModel = None,
    writer_model: options.WriterModel = None,
    upstream: options.UpstreamUrl = None,
    reviewer_upstream: options.ReviewerUpstream = None,
    writer_upstream: options.WriterUpstream = None,
    key: options.Key = None,
    reviewer_key: options.ReviewerKey = None,
    writer_key: options.WriterKey = None,
    agent: options.Agent = None,
    agent_bin: options.AgentBin = None,
    profile: options.Profile = None,
    seed: options.Seed = None,
    prompt: options.Prompt = None,
    inject: options.Inject = None,
    give_up: options.GiveUp = None,
    tag: options.Tag = "",
    sandbox: options.Sandbox = options.SandboxKind.AUTO,
    no_cache: options.NoCache = False,
    reuse: options.Reuse = None,
    max_cost: options.MaxCost = None,
    max_cost_trial: options.MaxCostTrial = None,
    max_cost_role: options.MaxCostRole = "",
    patience: options.PatienceMinutes = None,
    on_mismatch: options.Mismatch = options.OnMismatch.STOP,
    expose_login: options.ExposeLogin = False,
    rehearsal: options.Rehearsal = False,
    max_wall: options.MaxWall = None,
    executor: options.Executor = options.ExecutorKind.LOCAL,
    ray_address: options.RayAddress = None,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
    new: options.New = False,
    keep_old: options.KeepOld = False,
    out: options.Out = None,
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
    matrix, suite = matrix_of(asked, asked.request(reps=reps, give_up=give_up, tag=tag))
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
    manner = _Manner(
        lanes=jobs,
        sandbox=sandbox.value,
        agent_bin=agent_bin,
        fresh=no_cache,
        reuse=_reused(reuse, no_cache=no_cache),
        max_wall_s=max_wall,
        where=Where(executor.value, ray_address, here),
        keep_old=keep_old,
    )
    ear = _listening(asked, matrix.choice, home, spending)
    order = _order(matrix, home, spending, manner, ear)
    finish(_run(order, ear.board), home, spending.max_cost)


@dataclass(frozen=True)
class _Manner:
    """How trials are run: nothing of it changes what comes out."""

    lanes: int
    sandbox: str
    agent_bin: Path | None
    fresh: bool
    """Nothing that is known of a tree already is used."""
    reuse: str | None
    max_wall_s: float | None
    where: Where
    keep_old: bool


@dataclass(frozen=True)
class _Ear:
    """Who hears what the gateway has to say about the whole job."""

    board: Board
    drain: Drain
    hold: Hold
    terms: Terms


def _listening(asked: Asked, choice: Choice, home: JobDir, spending: Spending) -> _Ear:
    """On what terms models are asked, and where their troubles are told."""
    drain, hold = Drain(), Hold()
    board = Board(drain)
    terms = terms_of(asked, choice, home, spending)
    if terms.spent_up and metered(choice):
        drain.ask(terms.spent_up)
    hold.patience_s, hold.tell = terms.patience.hold_s, board.paused
    hooks = Hooks(
        on_pause=board.paused,
        on_hold=lambda left_s, why: hold.ask(left_s, why, drain),
        on_drain=lambda fault, why: drain.ask(_said(fault, why, asked)),
        on_mismatch=board.note,
    )
    return _Ear(board, drain, hold, replace(terms, hooks=hooks))


def _order(matrix: Matrix, home: JobDir, spending: Spending, manner: _Manner, ear: _Ear) -> Order:
    """What is handed on to be run."""
    upstreams = upstreams_of(matrix.choice, spending)
    means = Means(
        place.cache(),
        place.search_path(),
        manner.sandbox,
        manner.agent_bin,
        fresh=manner.fresh,
        reuse=manner.reuse,
        roles=any(c.asks for c in matrix.configs),
        secrets=secrets_of(upstreams, matrix.choice),
        terms=ear.terms,
        upstreams=upstreams,
        login=place.login(),
    )
    # Here the gateway counts each call; on a cluster each machine's own would, so the head does.
    counted = metered(matrix.choice) and manner.where.name == options.ExecutorKind.LOCAL
    return Order(
        matrix,
        home,
        means,
        manner.lanes,
        ear.drain,
        Allowance(None if counted else spending.max_cost, manner.max_wall_s),
        ear.hold,
        manner.where,
        ear.board.note,
        manner.keep_old,
    )


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
