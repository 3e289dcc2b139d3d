"""Runs pytest on a tree inside the sandbox; gates and oracle share it.

Results never come from the output. A small program of ours (`suites.inside`) runs in the test
environment, imports pytest before the tree can be imported, and writes sealed records to a
channel; docs/oracle.md says what that prevents and what it only detects.
"""

import json
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio

from gatebench.errors import SpawnFailed
from gatebench.sandbox import Completed, Sandbox, clean_text, refuse_crowded
from gatebench.suites.environment import TestEnvironment
from gatebench.suites.inside.channel import KEY_BYTES, Receiver
from gatebench.suites.pytest_run import PytestRun, from_records
from gatebench.suites.stand import Mode, Shape, Stand, tools, tree_place
from gatebench.suites.waiting import Waiters

LOG_CHARS = 60_000
_MARGIN_S = 5.0
_ALWAYS = ("-p", "no:cacheprovider", "-p", "no:faulthandler", "--color=no")
Go = Callable[[bytes, float], Awaitable[Completed]]
"""Takes a stand's command to its end: (stdin, seconds)."""


@dataclass(frozen=True)
class Bench:
    """Where tests can be run."""

    sandbox: Sandbox
    environment: TestEnvironment
    waiters: Waiters | None = None
    """What waits for trees to be tested; ``None``: every run starts anew."""

    def place(self, shape: Shape) -> AbstractAsyncContextManager[Path]:
        """An absent or empty directory for a tree that is to be tested, gone afterwards."""
        return tree_place() if self.waiters is None else self.waiters.seat(shape)


@dataclass(frozen=True)
class PytestJob:
    """One run of pytest on one tree."""

    tree: Path
    """The tree's files on the host; a copy nobody else uses where ``writable``."""
    limit_s: float
    mode: Mode = "whole"
    """``whole``: one session in one process. ``each``: every test by itself in a process forked
    from one that never imports the tree, twice, once as a control that must fail."""
    files: tuple[tuple[Path, str], ...] = ()
    """Tests from outside the tree: (file or directory, its name below the run's root)."""
    texts: tuple[tuple[str, str], ...] = ()
    """Further tests from outside the tree: (name below the run's root, source)."""
    targets: tuple[str, ...] = ()
    """What to run: paths below the tree, or, with ``files`` or ``texts``, below the run's root."""
    options: tuple[str, ...] = ()
    """Further pytest options."""
    conftest: bool = False
    """Whether ``conftest.py`` beside the tests is loaded."""
    writable: bool = False
    each_s: float = 10.0
    """Seconds for one test in ``each``."""
    mark: str = ""
    """A mark whose arguments are to be told."""
    watch: tuple[str, ...] = ()
    """Modules the tests compare with, watched for changes besides those always watched."""
    controls: str = ""
    """Name of a module of control tests; their outcome is told, but neither shown nor counted."""
    calibrate: str = ""
    """Name of a test that touches nothing of the tree: what changes during it is pytest's own."""

    @property
    def shape(self) -> Shape:
        """What must be known of it when its command is started."""
        return Shape(self.mode, self.writable)

    @property
    def outside(self) -> bool:
        """Whether the tests come from outside the tree."""
        return bool(self.files or self.texts)


async def run_pytest(bench: Bench, job: PytestJob) -> PytestRun:
    """Run pytest; never raises for what the tests or the code under test do.

    What waits at the tree's place is used, if it still lives.

    Raises:
        SpawnFailed: the command can't be started.
        DiskFull: the disk of temporary files was as good as full; what came of it says nothing.
    """
    waiting = bench.waiters.claim(job.tree, job.shape) if bench.waiters else None
    if waiting is not None:
        with suppress(SpawnFailed):
            run = await _run(job, waiting.stand, waiting.go)
            if run.started:
                return run
        # It was gone before any code of the tree ran: what follows is as if it had never been.
    with tools() as folder:
        stand = Stand(bench.sandbox, bench.environment, job.shape, job.tree, folder)

        async def anew(stdin: bytes, wall_s: float) -> Completed:
            return await bench.sandbox.run(stand.command(wall_s, stdin))

        return await _run(job, stand, anew)


async def _run(job: PytestJob, stand: Stand, go: Go) -> PytestRun:
    _fill(stand.folder / "root", job)
    key = os.urandom(KEY_BYTES)
    order = json.dumps(_order(job, stand)).encode()
    done = await go(key + order, job.limit_s)
    refuse_crowded(stand.folder)
    run = await anyio.to_thread.run_sync(_read, done, key, job)
    return _tidied(run, stand.shown())


def _fill(root: Path, job: PytestJob) -> None:
    """Lay out the tests that come from outside the tree."""
    for source, target in job.files:
        _copy(source, root / target)
    for target, text in job.texts:
        place = root / target
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, symlinks=True, ignore=ignore)
    else:
        shutil.copyfile(source, target)


def _order(job: PytestJob, stand: Stand) -> dict[str, Any]:
    base = stand.root_inside if job.outside else stand.tree_inside
    roots = [stand.root_inside, stand.tree_inside] if job.outside else [stand.tree_inside]
    return {
        # The tree comes last: nothing in it can stand before a module of Python or of pytest.
        "roots": roots,
        "tree": stand.tree_inside,
        "args": [*_args(job, stand), *(f"{base}/{target}" for target in job.targets)],
        "mark": job.mark,
        "watch": list(job.watch),
        "controls": job.controls,
        "calibrate": job.calibrate,
        "each_s": job.each_s,
        "wall_s": max(job.limit_s - _MARGIN_S, job.limit_s / 2),
    }


def _args(job: PytestJob, stand: Stand) -> list[str]:
    """Options; tests from outside the tree run under our own, empty configuration."""
    options = [*_ALWAYS, *job.options]
    if job.outside:
        options += ["-c", f"{stand.root_inside}/pytest.ini", f"--confcutdir={stand.root_inside}"]
        options += [f"--rootdir={stand.root_inside}"]
    else:
        tree = stand.tree_inside
        options += [f"--rootdir={tree}", f"--confcutdir={tree}", "-o", "addopts="]
    if not job.conftest:
        options.append("--noconftest")
    if job.mode == "each":
        return [*options, "--import-mode=importlib", "--assert=plain", "-s"]
    return [*options, "--import-mode=append"]


def _tidied(run: PytestRun, prefixes: Mapping[str, str]) -> PytestRun:
    """The run with the mount points gone from its texts: what is left are the tests' own paths."""

    def tidy(text: str) -> str:
        for prefix, shown in prefixes.items():
            text = text.replace(prefix, shown)
        return text

    return replace(
        run,
        log=tidy(run.log),
        reports=tuple(replace(r, text=tidy(r.text)) for r in run.reports),
        collect_errors={name: tidy(text) for name, text in run.collect_errors.items()},
    )


def _read(done: Completed, key: bytes, job: PytestJob) -> PytestRun:
    receiver = Receiver(key)
    records = receiver.feed(done.stdout)
    receiver.close()
    strays = (f"{receiver.strays} forged lines on the report channel",) if receiver.strays else ()
    process = PytestRun(
        reports=(),
        collected=(),
        collect_errors={},
        exit_code=done.exit_code,
        ended=False,
        log=clean_text(done.stderr, LOG_CHARS),
        timed_out=done.timed_out,
        wall_s=done.wall_s,
        tampered=strays,
        proofs=job.mode == "each",
        controls=job.controls,
        limit=done.limit,
    )
    return from_records(records, process)
