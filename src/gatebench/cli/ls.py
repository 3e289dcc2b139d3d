"""``gatebench ls``: the jobs there are."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from gatebench.cli.jobs import all_jobs
from gatebench.cli.place import jobs
from gatebench.errors import StoreError
from gatebench.store.job_dir import JobDir
from gatebench.store.reading import load_job


@dataclass(frozen=True)
class Line:
    """One job."""

    name: str
    done: int | None
    planned: int | None
    invalid: int | None
    simulated: bool | None
    note: str = ""


def main(
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """List the jobs below ./jobs, the one used last first.

    Example: gatebench ls
    """
    lines = [_line(path) for path in all_jobs()]
    if as_json:
        print(json.dumps([vars(line) for line in lines], indent=2))
    elif not lines:
        print(f"No jobs below {jobs()}/ yet. 'gatebench run' makes the first one.")
    else:
        Console().print(_table(lines))


def _line(path: Path) -> Line:
    try:
        job = load_job(JobDir(path))
    except StoreError as error:
        return Line(path.name, None, None, None, None, error.message)
    scores = [t.score for t in job.trials if t.score is not None]
    invalid = sum(not score.valid for score in scores)
    return Line(path.name, len(scores), len(job.trials), invalid, job.simulated)


def _table(lines: list[Line]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("job", "trials", "invalid", ""):
        table.add_column(header)
    for line in lines:
        done = "?" if line.done is None else f"{line.done}/{line.planned}"
        invalid = "?" if line.invalid is None else str(line.invalid)
        table.add_row(
            line.name, done, invalid, line.note or ("SIMULATED" if line.simulated else "")
        )
    return table
