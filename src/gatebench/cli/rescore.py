"""``gatebench rescore``: judge stored snapshots again."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer

from gatebench.cli import place
from gatebench.cli.jobs import LATEST, find_either
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal
from gatebench.store.trial_dir import TrialDir
from gatebench.trial.bench import Means, open_bench
from gatebench.trial.rescore import Rescored, rescore_trial


def main(
    targets: Annotated[
        list[str] | None, typer.Argument(help="Jobs, or single trials by their path.  [latest]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Run the hidden tests on the stored snapshots again and derive the scores anew.

    No agent runs and nothing is asked of a model. Earlier verdicts are kept in the trial's
    rescored/<n>/. Example: gatebench rescore latest
    """
    found: list[Rescored] = []
    for target in targets or [LATEST]:
        found += anyio.run(partial(_rescore, *find_either(target)))
    if as_json:
        print(json.dumps([_dump(r) for r in found], indent=2))
        return
    for one in found:
        if one.changed:
            print(f"{one.trial}: {_hidden(one, 'before')} -> {_hidden(one, 'after')}")
    changed = sum(one.changed for one in found)
    print(f"{len(found)} trials judged again, {changed} changed.")


def _dump(one: Rescored) -> dict[str, object]:
    return {
        "trial": one.trial,
        "changed": one.changed,
        "before": one.before.model_dump(mode="json"),
        "after": one.after.model_dump(mode="json"),
    }


def _hidden(one: Rescored, when: str) -> str:
    score = one.before if when == "before" else one.after
    return f"hidden {score.hidden_pass} (failing: {', '.join(score.failed_reqs or ()) or 'none'})"


async def _rescore(job: JobDir, trial: TrialDir | None) -> list[Rescored]:
    lock = job.lock()
    assert lock is not None  # noqa: S101  # find_either has seen it
    wanted = [trial] if trial else [t for t in job.trial_dirs() if t.score() is not None]
    choice = lock.matrix.choice.model_copy(update={"agent": "nop"})
    means = Means(place.cache(), place.search_path(), roles=False)
    with job.claimed(), Journal(Path(job.journal)) as journal:
        async with open_bench(choice, means, job.trees) as bench:
            done = [await rescore_trial(bench, home, journal) for home in wanted]
        if trial is None:
            digests = {**lock.digests, "hidden": bench.hidden.digest}
            job.save_lock(lock.model_copy(update={"digests": digests}))
    return done
