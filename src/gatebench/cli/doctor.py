"""``gatebench doctor``: what works here, and what to do about what doesn't."""

import json
import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer

from gatebench.checks.doctor import Finding, examine
from gatebench.checks.ways import Place, Way, ways
from gatebench.cli import options, place
from gatebench.cli.jobs import all_jobs
from gatebench.cli.spending import CASSETTES, Spending, key_named, upstreams_of
from gatebench.errors import UnknownName
from gatebench.matrix.examples import EXAMPLE, examples
from gatebench.model.matrix import Choice
from gatebench.trial.bench import VIAS, Means

LOOK = 1


def main(
    via: Annotated[
        str | None, typer.Option(help="The way to a model that you mean to take.")
    ] = None,
    upstream: options.UpstreamUrl = None,
    key: options.Key = None,
    agent_bin: Annotated[
        Path | None, typer.Option(help="The executable that the trials would use.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Say what works on this machine, way by way to a model, and the command to run next.

    Example: gatebench doctor --via live
    """
    if via is not None and via not in VIAS:
        raise UnknownName("way", via, VIAS)
    choice = Choice(via=via or "scripted", upstream=upstream)
    there = Place(
        upstreams_of(choice, Spending(key=key)).worker,
        key_named(key),
        place.login(),
        _recorded(),
    )
    means = Means(place.cache(), place.search_path(), agent_bin=agent_bin)
    findings = anyio.run(examine, means)
    found = anyio.run(partial(ways, there, findings))
    if as_json:
        parts = {"findings": findings, "ways": found}
        print(json.dumps({n: [vars(p) for p in part] for n, part in parts.items()}, indent=2))
    else:
        _tell(findings, found, via)
    asked = [way.ok for way in found if way.via == (via or "scripted")]
    if not all([*asked, *(f.ok for f in findings)]):
        raise typer.Exit(LOOK)


def _recorded() -> Path:
    """The job recorded last, else the one that ships."""
    mine = (job for job in all_jobs() if (job / CASSETTES).is_dir())
    return next(mine, examples() / EXAMPLE)


def _tell(findings: Sequence[Finding], found: Sequence[Way], via: str | None) -> None:
    for finding in findings:
        print(f"{'ok  ' if finding.ok else 'FAIL'} {finding.name:<12} {finding.said}")
        if finding.remedy:
            print(f"     {finding.remedy}")
    print("\nWays to a model (--via):")
    for way in found:
        print(f"{'yes ' if way.ok else 'no  '} {way.via:<12} {way.said}")
        if way.remedy:
            print(f"     {way.remedy}")
    wanted = next(way for way in found if way.via == (via or "scripted"))
    if wanted.ok:
        print(f"\nNext: {place.program()} {shlex.join(wanted.command.split())}")
