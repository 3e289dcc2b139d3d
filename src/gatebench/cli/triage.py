"""``gatebench triage``: what the blocks of a job were about."""

from functools import partial
from typing import Annotated

import anyio
import typer

from gatebench.cli import place
from gatebench.cli.jobs import LATEST, find_job
from gatebench.errors import JobMismatch
from gatebench.report.words import plural
from gatebench.stats.blamed import reason_tables
from gatebench.stats.cells import Cells
from gatebench.stats.records import ReasonTable
from gatebench.store.job_dir import JobDir
from gatebench.store.reading import load_job
from gatebench.trial.bench import Means, open_bench
from gatebench.trial.triage import Triagist


def main(
    jobs: Annotated[
        list[str] | None, typer.Argument(help="Jobs by name or path.  [latest]")
    ] = None,
) -> None:
    """Tell blocks that pointed at what was wrong from lucky ones, and over-strict tests apart.

    Runs each trial's acceptance tests once on the reference and on each tree that lacks one
    requirement; no agent runs. 'analyze' reads what it files. Example: gatebench triage latest
    """
    for name in jobs or [LATEST]:
        home = find_job(name)
        stops = anyio.run(partial(_triage, home))
        found = load_job(home)
        mark = "SIMULATED " if found.simulated else ""
        print(f"{mark}{name}: {stops} stops triaged.")
        for table in reason_tables(Cells(found)):
            if table.right or table.false:
                print(f"  {_told(table)}")
        print(f"Next: {place.program()} analyze {name}")


def _told(table: ReasonTable) -> str:
    """One gate's blocks by what they were about."""
    return (
        f"{table.config} · {table.gate}: {plural(table.right, 'right block')} "
        f"({table.right_matched} matched, {table.right_coincidental} by luck, "
        f"{table.right_unknown} not known), {plural(table.false, 'false block')} "
        f"({table.false_over_strict} over-strict, {table.false_outside} outside the hidden tests, "
        f"{table.false_unknown} not known)"
    )


async def _triage(job: JobDir) -> int:
    lock = job.lock()
    if lock is None:
        raise JobMismatch(f"{job.path} has no lock.json.", "Give a job's directory.")
    choice = lock.matrix.choice.model_copy(update={"agent": "nop"})
    means = Means(place.cache(), place.search_path(), roles=False)
    with job.claimed():
        async with open_bench(choice, means, job.trees) as bench:
            triagist = Triagist(bench)
            trials = [t for t in job.trial_dirs() if t.score() is not None]
            return sum([len(await triagist.triage(home)) for home in trials])
