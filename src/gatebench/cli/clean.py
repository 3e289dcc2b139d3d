"""``gatebench clean``: make room, after saying what would go."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from gatebench.cli import place
from gatebench.cli.jobs import find_job
from gatebench.errors import UsageError


def main(
    jobs: Annotated[
        list[str] | None, typer.Argument(help="Jobs to delete, by name or path.")
    ] = None,
    cache: Annotated[
        bool, typer.Option("--cache", help="Delete fetched upstreams and test environments.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Delete jobs, or the cache. Says what goes and asks first.

    Example: gatebench clean tinydb-1a2b3c4d
    """
    doomed = [find_job(name).path for name in jobs or []]
    if cache and place.cache().exists():
        doomed.append(place.cache())
    if not doomed:
        if jobs or cache:
            print("Nothing to delete.")
            return
        raise UsageError(
            "nothing named.", "Name jobs ('gatebench ls' lists them), or give --cache."
        )
    for path in doomed:
        print(f"{path}  ({_megabytes(path):.1f} MB)")
    if not yes:
        typer.confirm("Delete for good?", abort=True)
    for path in doomed:
        shutil.rmtree(path)
    print(f"Deleted {len(doomed)}.")


def _megabytes(path: Path) -> float:
    return sum(p.lstat().st_size for p in path.rglob("*") if not p.is_dir()) / 1e6
