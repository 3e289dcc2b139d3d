"""``gatebench analyze``: the five questions, from what is on disk."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from gatebench.cli import place
from gatebench.cli.jobs import LATEST, find_job
from gatebench.model.job import JobData
from gatebench.report.html import to_html
from gatebench.report.markdown import to_markdown
from gatebench.report.results import Results, results, to_json
from gatebench.report.words import plural
from gatebench.stats.analysis import WORTH_USD
from gatebench.stats.cells import Cells
from gatebench.stats.warn import untriaged
from gatebench.store.atomic import write_text
from gatebench.store.reading import load_job
from gatebench.store.replay_dir import load_replay


def main(
    jobs: Annotated[
        list[str] | None, typer.Argument(help="Jobs by name or path.  [latest]")
    ] = None,
    worth: Annotated[
        float, typer.Option(min=0, help="Dollars a passing hidden requirement is worth.")
    ] = WORTH_USD,
    json_out: Annotated[bool, typer.Option("--json", help="Print results.json as well.")] = False,
) -> None:
    """Write results.json, results.md and report.html into each job, and say the answers.

    Example: gatebench analyze latest
    """
    for name in jobs or [LATEST]:
        home = find_job(name)
        data = replace(load_job(home), replay=load_replay(home))
        found = results(data, worth)
        _write(home.path, data, found)
        if json_out:
            print(to_json(found), end="")
        else:
            _say(home.path, found)
            _blamed(found)
            _fill(name, data)


def _write(path: Path, data: JobData, found: Results) -> None:
    write_text(path / "results.json", to_json(found))
    write_text(path / "results.md", to_markdown(found))
    write_text(path / "report.html", to_html(found, data))


def _say(path: Path, found: Results) -> None:
    console = Console()
    if found.simulated:
        console.print("SIMULATED: a script played every role.", style="bold reverse yellow")
    for answer in found.questions:
        console.print(f"[bold]{escape(answer.question)}[/]")
        console.print(f"  {escape(answer.answer)}", highlight=False)
    console.print(f"Written: {path}/results.json, results.md, report.html", highlight=False)


def _blamed(found: Results) -> None:
    """What the blocks pointed at, over all gates, where that was looked into."""
    tables = found.reasons
    if not tables:
        return
    matched, lucky, strict, outside, unknown = (
        sum(getattr(table, key) for table in tables)
        for key in (
            "right_matched",
            "right_coincidental",
            "false_over_strict",
            "false_outside",
            "false_unknown",
        )
    )
    print(
        f"What blocks pointed at: {plural(matched, 'right block')} at what fails, {lucky} "
        f"elsewhere; {plural(strict, 'false block')} over-strict, {outside} at a defect outside "
        f"the hidden tests, {unknown} not known."
    )


def _fill(name: str, data: JobData) -> None:
    """What the results lack, and the command that fills the gap."""
    blocks = untriaged(Cells(data))
    if blocks:
        print(
            f"{plural(blocks, 'block')} not looked into yet (for the right reason, by luck, "
            f"over-strict?): {place.program()} triage {name}, then analyze again."
        )
