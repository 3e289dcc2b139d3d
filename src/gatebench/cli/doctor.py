"""``gatebench doctor``: what works here, and what to do about what doesn't."""

import json
from typing import Annotated

import anyio
import typer

from gatebench.checks.doctor import Finding, examine
from gatebench.cli import place
from gatebench.trial.bench import Means

LOOK = 1


def main(
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Say whether this machine can run trials, and what to do where it can't.

    Example: gatebench doctor
    """
    findings = anyio.run(examine, Means(place.cache(), place.search_path()))
    if as_json:
        print(json.dumps([vars(f) for f in findings], indent=2))
    else:
        for finding in findings:
            _tell(finding)
    if not all(f.ok for f in findings):
        raise typer.Exit(LOOK)
    if not as_json:
        print("All there. Next: gatebench run")


def _tell(finding: Finding) -> None:
    print(f"{'ok  ' if finding.ok else 'FAIL'} {finding.name:<12} {finding.said}")
    if finding.remedy:
        print(f"     {finding.remedy}")
