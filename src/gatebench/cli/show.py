"""``gatebench show``: a job's table, or one trial stop by stop."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.syntax import Syntax

from gatebench.cli.jobs import LATEST, find_job, find_trial
from gatebench.cli.ledger import ledger_lines
from gatebench.model.labels import label
from gatebench.model.stop import GateResult, StopRecord
from gatebench.report.counts import count, render
from gatebench.sandbox import clean_text
from gatebench.store.job_dir import JobDir
from gatebench.store.reading import load_job
from gatebench.store.trial_dir import TrialDir
from gatebench.trial.words import in_a_line

DIFF_LINES = 60


def main(
    job: Annotated[
        str, typer.Argument(help="A job by name or path; 'latest' is the last used.")
    ] = LATEST,
    trial: Annotated[str | None, typer.Argument(help="One of its trials, e.g. T1-g13-r1.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Whole diffs, not their first lines.")
    ] = False,
) -> None:
    """Show a job's table, or one trial stop by stop: verdict, gates, reason, diff.

    Example: gatebench show latest T1-g13-r1
    """
    home = find_job(job)
    if trial is None:
        _show_job(home, as_json=as_json)
        return
    found = find_trial(home, trial)
    if as_json:
        _print_json(found)
    else:
        _show_trial(found, None if full else DIFF_LINES)


def _show_job(home: JobDir, *, as_json: bool) -> None:
    data = load_job(home)
    if as_json:
        scores = {str(t.id): t.score and t.score.model_dump(mode="json") for t in data.trials}
        print(
            json.dumps({"job": data.name, "simulated": data.simulated, "trials": scores}, indent=2)
        )
        return
    console = Console()
    console.print(render(count(data)))
    for entry in data.trials:
        said = in_a_line(entry.score) if entry.score else "not done"
        console.print(f"{entry.id!s:<14} {escape(said)}", highlight=False)


def _print_json(trial: TrialDir) -> None:
    score = trial.score()
    stops = [s.model_dump(mode="json") for s in trial.stops()]
    print(json.dumps({"score": score and score.model_dump(mode="json"), "stops": stops}, indent=2))


def _show_trial(trial: TrialDir, diff_lines: int | None) -> None:
    console = Console()
    score = trial.score()
    if score is not None and score.simulated:
        console.print("SIMULATED: no model spoke in this trial.", style="bold reverse yellow")
    said = in_a_line(score) if score else "not done"
    console.print(f"[bold]{trial.path.name}[/]  {escape(said)}", highlight=False)
    for line in ledger_lines(trial):
        console.print(line, highlight=False, markup=False)
    seen: dict[str | None, int] = {}
    for stop in trial.stops():
        _show_stop(console, stop)
        if stop.tree in seen:
            console.print(f"[dim]the same tree as at stop {seen[stop.tree]}[/]")
        else:
            _show_diff(console, trial, f"snap-{stop.n}.diff", diff_lines)
        seen.setdefault(stop.tree, stop.n)
    if not trial.stops():
        _show_diff(console, trial, "post.diff", diff_lines)


def _show_stop(console: Console, stop: StopRecord) -> None:
    found = label(stop)
    console.rule(f"stop {stop.n}: {stop.decision or 'undecided'} · {found or ''}", align="left")
    console.print(f"truth     {_truth(stop)}", highlight=False)
    for gate in stop.gates:
        console.print(f"{gate.name:<9} {_gate(gate)}", highlight=False)
    for gate in stop.shadow:
        console.print(f"{gate.name:<9} {_gate(gate)} [dim](shadow: nobody was told)[/]")
    extra = f", {stop.forged} forged connections" if stop.forged else ""
    console.print(f"delivery  {stop.delivery or 'unknown'}{extra}", highlight=False)
    if stop.reason:
        console.print("[dim]told the agent:[/]")
        console.print(escape(clean_text(stop.reason.encode())), highlight=False, style="dim")


def _truth(stop: StopRecord) -> str:
    if stop.hidden is None:
        return "not judged yet"
    failing = ", ".join(stop.hidden.failed_reqs) or "none"
    suite = {None: "not run", True: "green", False: "red"}[stop.suite_green]
    return f"{stop.hidden.passed} pass, failing: {failing}; upstream's suite {suite}"


def _gate(gate: GateResult) -> str:
    wall = "" if gate.wall_s is None else f" in {gate.wall_s:.1f}s"
    cached = " (cached)" if gate.cached else ""
    error = f": {escape(clean_text(gate.error.encode()))}" if gate.error else ""
    return f"{gate.status}{wall}{cached}{error}"


def _show_diff(console: Console, trial: TrialDir, name: str, lines: int | None) -> None:
    path = trial.path / name
    if not path.exists():
        return
    shown = clean_text(path.read_bytes()).splitlines()
    if not shown:
        console.print("[dim]no changes[/]")
        return
    cut = len(shown) - lines if lines is not None and len(shown) > lines else 0
    text = "\n".join(shown[:lines])
    console.print(Syntax(text, "diff", background_color="default", word_wrap=True))
    if cut:
        console.print(f"[dim]… {cut} more lines in {path}[/]")
