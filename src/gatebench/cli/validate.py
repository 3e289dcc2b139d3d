"""``gatebench validate``: does the instrument measure what it says, here?"""

import json
import tempfile
from pathlib import Path
from typing import Annotated

import anyio
import typer

from gatebench.checks.result import Check
from gatebench.checks.strength import REPEATS
from gatebench.checks.validate import STEPS, Setting, validate
from gatebench.cli import place
from gatebench.cli import strength as strengths
from gatebench.cli.asked import listed
from gatebench.errors import UsageError
from gatebench.model.matrix import Choice
from gatebench.trial.bench import Means

LOOK = 1


def main(
    suite: Annotated[
        str, typer.Argument(help="A shipped suite, or a suite's directory.")
    ] = "tinydb",
    agent_bin: Annotated[
        Path | None, typer.Option(help="An executable that takes the CLI's flags.")
    ] = None,
    only: Annotated[
        str,
        typer.Option(help=f"Steps, comma-separated: {','.join(STEPS)}.  [all]"),
    ] = "",
    strength: Annotated[
        bool,
        typer.Option("--strength", help="Instead measure how strong the hidden tests are."),
    ] = False,
    tasks: Annotated[
        str, typer.Option(help="With --strength: tasks, comma-separated.  [all]")
    ] = "",
    repeats: Annotated[
        int, typer.Option(help="With --strength: runs of each reference, half under load.", min=0)
    ] = REPEATS,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Check the oracle on every subset of requirements, the hook, the gates, and that none wavers.

    Takes two to three minutes; --strength, which needs cosmic-ray, several for each task.

    Example: gatebench validate; gatebench validate --strength --tasks T1
    """
    if strength:
        if only:
            raise UsageError("--only and --strength don't go together.", "Leave one out.")
        strengths.show(suite, listed(tasks), repeats, as_json=as_json)
        return
    with tempfile.TemporaryDirectory(prefix="validate-") as scratch:
        means = Means(place.cache(), place.search_path(), agent_bin=agent_bin)
        setting = Setting(Choice(suite=suite), means, Path(scratch))
        told = _silent if as_json else _tell
        checks = anyio.run(validate, setting, told, listed(only))
    if as_json:
        print(json.dumps([vars(check) for check in checks], indent=2))
    bad = [check.name for check in checks if not check.ok]
    if bad:
        if not as_json:
            print(f"Not valid: {', '.join(bad)}. Run no matrix before this is mended.")
        raise typer.Exit(LOOK)
    if not as_json:
        whole = "All steps" if not only else "These steps"
        print(f"{whole} green" + (": 'gatebench run' can be believed here." if not only else "."))


def _silent(_check: Check) -> None:
    """For --json: nothing on the way."""


def _tell(check: Check) -> None:
    print(
        f"{'ok  ' if check.ok else 'FAIL'} {check.name:<13} {check.said} ({check.seconds:.1f}s)",
        flush=True,
    )
    for problem in check.problems:
        print(f"     - {problem}", flush=True)
