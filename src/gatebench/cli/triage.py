"""``gatebench triage``: what the blocks of a job were about."""

from functools import partial
from typing import Annotated

import anyio
import typer

from gatebench.cli import place
from gatebench.cli.jobs import LATEST, find_job
from gatebench.errors import JobMismatch
from gatebench.store.job_dir import JobDir
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
        stops = anyio.run(partial(_triage, find_job(name)))
        print(f"{name}: {stops} stops triaged. Next: {place.program()} analyze {name}")


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
