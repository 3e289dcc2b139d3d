"""``gatebench replay``: gates on stored snapshots, without a worker."""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.console import Console

from gatebench.cli import options, place
from gatebench.cli.asked import listed
from gatebench.cli.interrupts import ASKED, interruptible
from gatebench.cli.jobs import LATEST, find_job
from gatebench.cli.sheets import show_sheet
from gatebench.cli.spending import Spending, secrets_of, upstreams_of
from gatebench.errors import UsageError
from gatebench.gateway import ANTHROPIC, Hooks, Terms
from gatebench.matrix.allowance import Allowance
from gatebench.matrix.file import read_matrix_file
from gatebench.matrix.replay import ReplayOrder, ReplayReport, replay_job
from gatebench.matrix.replay_cost import Outlook, outlook
from gatebench.matrix.replay_plan import Asked, Plan, make_plan
from gatebench.matrix.schedule import Drain
from gatebench.model.matrix import Choice
from gatebench.model.replay import Look
from gatebench.report.replay import ReplayResults, replay_json, replay_results
from gatebench.report.replay_sheets import replay_sheets
from gatebench.report.words import plural, usd
from gatebench.sandbox import clean_text
from gatebench.store.atomic import write_text
from gatebench.store.job_dir import JobDir
from gatebench.store.replay_dir import load_replay
from gatebench.trial.bench import Means, Upstreams

LOOK, INTERRUPTED = 1, 130
PLAIN_WIDTH = 140
"""Of tables where there is no terminal."""
RESULT = "replay.json"
SIMULATED = "SIMULATED: a script played every role."


def main(
    job: Annotated[str, typer.Argument(help="A job by name or path.")] = LATEST,
    gates: Annotated[
        str, typer.Option(help="Configs or single gates, comma-separated: g1,g3,g13adv,tests")
    ] = "",
    times: Annotated[int, typer.Option(min=1, help="Looks of each gate at each state.")] = 1,
    states: Annotated[
        str, typer.Option(help="Of stops, reference, second, lattice.")
    ] = "stops,reference,second",
    matrix: Annotated[
        Path | None, typer.Option(help="A matrix.toml whose configs may be named too.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Trials at once.")] = 3,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Dollars; reached, no more looks are begun.")
    ] = None,
    agent_bin: Annotated[
        Path | None, typer.Option(help="An executable that takes the CLI's flags.")
    ] = None,
    upstream: options.UpstreamUrl = None,
    key: options.Key = None,
    reviewer_key: options.ReviewerKey = None,
    writer_key: options.WriterKey = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask before paying.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan, ask nobody.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print replay.json.")] = False,
) -> None:
    """Run gates again on a job's stored snapshots and on known-right solutions; no worker runs.

    The same command goes on where it was; more gates, states or times extend. Writes replay.json
    into the job; 'analyze' takes it into the report.

    Example: gatebench replay latest --gates g1,g3,g13adv --times 3
    """
    if not listed(gates):
        raise UsageError("replay needs to be told which gates.", "For instance --gates g1,g3.")
    home = find_job(job)
    file = read_matrix_file(matrix) if matrix else None
    plan = make_plan(home, Asked(listed(gates), listed(states), times, file))
    before = outlook(home, plan)
    if dry_run:
        _show_plan(home, plan, before)
        return
    choice = plan.lock.matrix.choice
    upstreams = upstreams_of(
        choice.model_copy(update={"upstream": upstream or choice.upstream}),
        Spending(key=key, reviewer_key=reviewer_key, writer_key=writer_key),
    )
    if not choice.scripted and before.looks:
        _agree(plan, before, upstreams, yes=yes)
    drain = Drain()
    means = _means(agent_bin, upstreams, choice, drain)
    again = (
        f"{place.program()} replay {home.path} --gates {gates} --states {states} --times {times}"
    )
    ending = Ending(_console(as_json=as_json), again, as_json=as_json)
    _replay(ReplayOrder(plan, home, means, jobs, drain, Allowance(max_cost)), ending)


def _means(agent_bin: Path | None, upstreams: Upstreams, choice: Choice, drain: Drain) -> Means:
    return Means(
        place.cache(),
        place.search_path(),
        agent_bin=agent_bin,
        secrets=secrets_of(upstreams, choice),
        # No limit at the gateway: a call that is running is paid for, so it may finish.
        terms=Terms(hooks=Hooks(on_drain=lambda _fault, why: drain.ask(why.rstrip(".")))),
        upstreams=upstreams,
    )


def _console(*, as_json: bool) -> Console:
    """Where lines and tables go; what a program reads stays alone on standard output."""
    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    return Console(stderr=as_json, width=width)


def _replay(order: ReplayOrder, ending: "Ending") -> None:
    """Look, and tell what came of it."""
    work = partial(replay_job, order, Lines(ending.console))
    report = anyio.run(partial(interruptible, order.drain, work, "looks"), backend="asyncio")
    _finish(order.home, report, ending)


def _agree(plan: Plan, before: Outlook, upstreams: Upstreams, *, yes: bool) -> None:
    """Nobody spends money by accident, and nobody starts without a key.

    Raises:
        UsageError: there is no key, or no terminal to ask at and no ``--yes``.
    """
    if plan.lock.matrix.choice.exposed:
        raise UsageError(
            "a job that ran with --via direct can't be replayed: there is no gateway to meter it.",
            "Replay a job that ran with --via live.",
        )
    named = (upstreams.worker, upstreams.reviewer, upstreams.writer)
    if any(u is not None and u.base == ANTHROPIC and u.credential is None for u in named):
        raise UsageError("there is no key for the provider.", "Set ANTHROPIC_API_KEY.")
    if yes:
        return
    what = f"{plural(before.looks, 'look')} with {plan.lock.matrix.choice.model}"
    if not sys.stdin.isatty():
        raise UsageError(
            f"{what} cost money; a real model is asked only with consent.", "Add --yes."
        )
    print(f"{what}: this costs money{_about(before)}.")
    typer.confirm("Go on?", abort=True)


def _about(before: Outlook) -> str:
    if before.usd is None:
        return ", how much isn't known: the job's trials hold no such call"
    rest = f", {before.unpriced} of them not counted" if before.unpriced else ""
    return f", about {usd(before.usd)} at most by what the job's trials cost{rest}"


def _show_plan(home: JobDir, plan: Plan, before: Outlook) -> None:
    choice = plan.lock.matrix.choice
    word = "SIMULATED, no cost" if choice.simulated else f"real model {choice.model}"
    looks = list(plan.looks())
    print(f"{len(looks)} looks ({word}) at snapshots of {home.path}; no worker runs")
    for arm in plan.arms:
        print(f"  {arm.name:<8} {', '.join(spec.gate for spec in arm.specs)}")
    kinds = [wanted.kind.value for wanted in plan.wanted]
    told = (f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    print(f"  states   {', '.join(told)}")
    writers = plural(before.writers, "set") + " of acceptance tests to be written"
    print(f"{before.looks} looks are left to be made, {writers}{_about(before)}; nothing was run")


@dataclass
class Lines:
    """Tells each look in a line."""

    console: Console
    done: int = 0
    planned: int = 0

    def begin(self, planned: int, done: int, agent: str) -> None:
        """Say how much there is to do."""
        self.planned, self.done = planned, done
        self._say(f"{planned} looks, {done} made before; {agent} plays the gates' roles")

    def looked(self, look: Look) -> None:
        """Say what a gate said."""
        self.done += 1
        again = f" (time {look.time})" if look.time > 1 else ""
        who = f"{look.state}{again} {look.spec.rpartition('-')[0]}"
        self._say(f"[{self.done}/{self.planned}] {who}: {look.result.status.value}")

    def _say(self, line: str) -> None:
        self.console.print(line, highlight=False, markup=False, soft_wrap=True)


@dataclass(frozen=True)
class Ending:
    """How the end is told."""

    console: Console
    again: str
    """The command that goes on."""
    as_json: bool


def _finish(home: JobDir, report: ReplayReport | None, ending: Ending) -> None:
    """The tables as far as there are any, and the next step."""
    data = load_replay(home)
    if data is not None and data.looks:
        found = replay_results(home.path.name, data)
        write_text(home.path / RESULT, replay_json(found))
        _tell(found, ending)
    say = partial(ending.console.print, highlight=False, markup=False, soft_wrap=True)
    if report is None:
        say(f"Stopped. Nothing is lost; this goes on: {ending.again}")
        raise typer.Exit(INTERRUPTED)
    for note in report.notes:
        say(f"left out: {note}")
    asked = ", ".join(f"{n} by {role}" for role, n in sorted(report.calls.items()))
    say(f"{report.made} looks made; requests: {asked or 'none'}; no worker ran.")
    say(f"Spent on replays of this job: {usd(report.spent_usd)}, as far as known.")
    for fault in dict.fromkeys(report.faults):
        say(f"not had: {clean_text(fault.encode())}")
    if report.left:
        stopped = report.stopped and report.stopped != ASKED
        why = f"No more looks were begun: {report.stopped}. " if stopped else ""
        more = " --max-cost MORE" if "--max-cost" in report.stopped else ""
        say(f"{why}{plural(report.left, 'look')} left. This goes on: {ending.again}{more}")
        raise typer.Exit(INTERRUPTED if report.stopped == ASKED else LOOK)
    say(f"Written: {home.path}/{RESULT}. Next: {place.program()} analyze {home.path}")


def _tell(found: ReplayResults, ending: Ending) -> None:
    if ending.as_json:
        print(replay_json(found), end="")
        return
    if found.simulated:
        ending.console.print(SIMULATED, style="bold reverse yellow")
    for sheet in replay_sheets(found.tables):
        show_sheet(ending.console, sheet, simulated=found.simulated)
