"""``gatebench writer``: one test writer's call, and what its tests are worth."""

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from gatebench.checks.writer import WriterCheck, check_writers, write_alone
from gatebench.cli import place
from gatebench.cli.asked import listed
from gatebench.gates.writer import Written
from gatebench.matrix.resolve import Request, choose
from gatebench.model.matrix import Choice
from gatebench.trial.bench import Means, open_bench


def main(
    task: Annotated[str, typer.Option(help="Tasks, comma-separated.  [all]")] = "",
    validate: Annotated[
        bool, typer.Option("--validate", help="Measure what the tests catch, and where they err.")
    ] = False,
    suite: Annotated[str, typer.Option(help="A shipped suite or a suite's directory.")] = "tinydb",
    profile: Annotated[str, typer.Option(help="The simulated team's profile.")] = "mixed",
    prompt: Annotated[str, typer.Option(help="terse or explicit.")] = "terse",
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Have acceptance tests written (simulated); --validate runs them where the truth is known.

    Example: gatebench writer --task T1 --validate
    """
    choice = choose(Request(choices={"suite": suite, "profile": profile, "prompt": prompt}))
    if not validate:
        written = anyio.run(partial(_write, choice, listed(task)))
        for name, one in written.items():
            print(f"# {name}: {one.record.error or f'{one.record.tests_total} tests'}")
            print(one.source or "")
        return
    checks = anyio.run(partial(_check, choice, listed(task)))
    if as_json:
        print(
            json.dumps(
                {"simulated": choice.simulated, "tasks": [vars(c) for c in checks]}, indent=2
            )
        )
    else:
        _tell(checks, simulated=choice.simulated)


async def _write(choice: Choice, tasks: tuple[str, ...]) -> dict[str, Written]:
    with tempfile.TemporaryDirectory(prefix="writer-") as scratch:
        means = Means(place.cache(), place.search_path())
        async with open_bench(choice, means, Path(scratch) / "trees") as bench:
            wanted = tasks or tuple(t.id for t in bench.suite.tasks if not t.spare)
            return {name: await write_alone(bench, bench.suite.task(name)) for name in wanted}


async def _check(choice: Choice, tasks: tuple[str, ...]) -> tuple[WriterCheck, ...]:
    with tempfile.TemporaryDirectory(prefix="writer-") as scratch:
        means = Means(place.cache(), place.search_path())
        async with open_bench(choice, means, Path(scratch) / "trees") as bench:
            wanted = tasks or tuple(t.id for t in bench.suite.tasks if not t.spare)
            return await check_writers(bench, tuple(bench.suite.task(name) for name in wanted))


def _tell(checks: tuple[WriterCheck, ...], *, simulated: bool) -> None:
    table = Table(title="SIMULATED writer" if simulated else None, box=box.SIMPLE_HEAD)
    for header in ("task", "tests", "fail on upstream", "false alarms", "catches", "misses"):
        table.add_column(header)
    for check in checks:
        caught = [r for r, seen in check.caught.items() if seen]
        missed = [r for r, seen in check.caught.items() if not seen]
        if check.source is None:
            table.add_row(check.task, "none", check.why or "")
            continue
        table.add_row(
            check.task,
            str(check.tests),
            str(check.fail_upstream),
            str(len(check.false_alarms)),
            " ".join(caught) or "–",
            " ".join(missed) or "–",
        )
    console = Console()
    console.print(table)
    whole = [c for c in checks if c.source is not None]
    tests = sum(c.tests or 0 for c in whole)
    alarms = sum(len(c.false_alarms) for c in whole)
    suites = sum(bool(c.false_alarms) for c in whole)
    console.print(
        f"False alarms: {alarms} of {tests} tests; {suites} of {len(whole)} suites would block "
        "correct work.",
        highlight=False,
    )
